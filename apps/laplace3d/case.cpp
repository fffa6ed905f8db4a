// SPDX-License-Identifier: BSD-3-Clause
#include "laplace3d/case.hpp"
#include "domain/internals.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "comm/agree.hpp"
#include "common/gather.hpp"
#include "common/slowest.hpp"
#include "halocline/devices.hpp"
#include "halocline/error.hpp"
#include "laplace3d/serial.hpp"

namespace laplace3d {
namespace {

using halocline::comm::Reduction;

void check_cut(const halocline::Vec3& extent, std::int64_t devices, int width) {
  if (extent.z % devices != 0) {
    throw halocline::InvalidArgument(
        fmt::format("size in z is {}; allowed is a multiple of the number of devices, {}", extent.z, devices));
  }
  const std::int64_t least = devices > 1 ? 2 * std::int64_t{width} : 1;
  if (extent.z / devices < least) {
    throw halocline::InvalidArgument(
        fmt::format("size in z is {}, which is {} planes for each of {} devices; allowed are {} or more, as each "
                    "exchanges {} on either side",
                    extent.z, extent.z / devices, devices, least, width));
  }
}

/// Slabs in z, one for each device, on all nodes. Makes the devices if the options have none.
halocline::DomainOptions in_slabs(halocline::comm::RankGroup& comm, const Problem& problem,
                                  halocline::DomainOptions options) {
  const auto node = comm.split_by_node(options.machine.ranks_per_node);
  const auto of_node = [&](std::int64_t value) { return node->all_reduce(value, Reduction::sum); };
  try {
    if (!options.devices.existing) {
      options.devices.existing = halocline::make_devices(comm, options.devices, node->size());
    }
  } catch (const halocline::Error&) {
    node->close();  // all ranks throw the same
    throw;
  }
  const std::int64_t devices = of_node(options.devices.existing->count());
  const std::int64_t nodes = comm.all_reduce(std::int64_t{node->rank().value() == 0 ? 1 : 0}, Reduction::sum);
  node->close();
  check_cut(problem.extent, comm.all_reduce(std::int64_t{options.devices.existing->count()}, Reduction::sum),
            options.steps_per_exchange);
  options.boundaries = {halocline::Boundary::open, halocline::Boundary::open, halocline::Boundary::open};
  options.partition.method = halocline::partition::Method::given;
  options.partition.node_grid = halocline::Vec3{1, 1, nodes};
  options.partition.device_grid = halocline::Vec3{1, 1, devices};
  return options;
}

}  // namespace

void check_steps(std::int64_t steps, int steps_per_exchange) {
  if (steps >= 1 && steps % steps_per_exchange == 0) return;
  throw halocline::InvalidArgument(fmt::format(
      "steps are {}; allowed is a multiple of steps_per_exchange, {}, and at least 1", steps, steps_per_exchange));
}

template <typename T>
Case<T>::Case(halocline::comm::RankGroup& comm, const Problem& problem, const halocline::DomainOptions& options,
              std::optional<OwnWay> own)
    : problem_(problem),
      options_(in_slabs(comm, problem, options)),
      domain_(problem.extent, radius_of(problem.stencil), comm, options_),
      field_(domain_.template add_field<T>("u", {.buffers = 2})),
      own_(own) {
  domain_.on_open_boundary({});  // initialise() sets the fixed values there, in both buffers
  domain_.realize();
  halocline::comm::agree_on(domain_.plan().comm,
                            [&] { kernels_ = make_kernels<T>(internals(domain_).backend(), problem_); });
}

template <typename T>
Case<T>::~Case() = default;

template <typename T>
Scheme& Case<T>::scheme(SchemeKind kind) {
  auto& found = schemes_[kind];
  if (!found) {
    if (processes_of(kind) == Processes::one_a_device && !messages_) {
      halocline::comm::RankGroup& ranks = domain_.plan().comm;
      messages_ = ranks.split(0, static_cast<int>(ranks.rank().value()));
    }
    halocline::comm::agree_on(domain_.plan().comm, [&] {
      // Not the domain's backend: schemes with threads of their own need none that launch for them.
      const Setting<T> setting{&domain_,         field_, kernels_.get(), options_.devices.existing->backend().get(),
                               options_.timeout, own_,   messages_.get()};
      found = make_scheme(kind, setting);
    });
  }
  return *found;
}

template <typename T>
void Case<T>::initialise() {
  for (const auto& subdomain : domain_.subdomains()) {
    for (const int ahead : {0, 1}) {
      const auto view = subdomain.view(field_, ahead);
      kernels_->initialise(stream_of(subdomain), view.with_halo(), view);
    }
  }
  domain_.synchronize();
}

template <typename T>
void Case<T>::prepare(SchemeKind kind) {
  initialise();
  scheme(kind).prepare();
}

template <typename T>
double Case<T>::time(SchemeKind kind, std::int64_t steps) {
  check_steps(steps, domain_.plan().steps_per_exchange);
  Scheme& chosen = scheme(kind);
  initialise();
  return apps::slowest_seconds(domain_.plan().comm, [&] { chosen.run(steps / domain_.plan().steps_per_exchange); });
}

template <typename T>
void Case<T>::watch(SchemeKind kind, std::int64_t steps, const Watch& watch) {
  check_steps(steps, domain_.plan().steps_per_exchange);
  Scheme& chosen = scheme(kind);
  initialise();
  const std::int64_t cycles = steps / domain_.plan().steps_per_exchange;
  const std::int64_t watched = std::min(watch.cycles, cycles);
  if (cycles > watched) chosen.run(cycles - watched);
  watch.begin(domain_);
  chosen.run(watched);
  watch.end(domain_);
}

template <typename T>
std::vector<T> Case<T>::gather() {
  return apps::gather(domain_, field_, halocline::Box::of_extent(problem_.extent));
}

template <typename T>
apps::Check Case<T>::check(std::int64_t steps) {
  const std::vector<T> found = gather();
  return apps::check_on_root<T>(
      domain_.plan().comm, [&] { return solve_serially<T>(problem_, steps); }, found);
}

template <typename T>
std::string Case<T>::detail(SchemeKind kind) const {
  const auto found = schemes_.find(kind);
  return found == schemes_.end() || !found->second ? std::string() : found->second->detail();
}

template <typename T>
std::int64_t Case<T>::devices() const {
  return internals(domain_).geometry().partition.size();
}

template <typename T>
void Case<T>::close() {
  schemes_.clear();
  if (messages_) messages_->close();
  kernels_.reset();
  domain_.close();
}

template class Case<float>;
template class Case<double>;

}  // namespace laplace3d
