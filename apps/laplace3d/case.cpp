// SPDX-License-Identifier: BSD-3-Clause
#include "laplace3d/case.hpp"
#include "domain/internals.hpp"

#include <fmt/core.h>

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

/// Slabs in z, one a device, on all nodes alike. Makes the backend where the options have none.
halocline::DomainOptions in_slabs(halocline::comm::Communicator& comm, const Problem& problem,
                                  halocline::DomainOptions options) {
  const auto node = comm.split_by_node(options.ranks_per_node);
  const auto of_node = [&](std::int64_t value) { return node->all_reduce(value, Reduction::sum); };
  try {
    if (!options.backend) {
      options.backend = halocline::make_devices(comm,
                                                {.kind = options.backend_kind,
                                                 .per_rank = options.devices_per_rank,
                                                 .host_workers = options.host_workers},
                                                node->size())
                            .backend();
    }
  } catch (const halocline::Error&) {
    node->close();  // all ranks throw the same
    throw;
  }
  const std::int64_t devices = of_node(options.backend->device_count());
  const std::int64_t nodes = comm.all_reduce(std::int64_t{node->rank().value() == 0 ? 1 : 0}, Reduction::sum);
  node->close();
  check_cut(problem.extent, comm.all_reduce(std::int64_t{options.backend->device_count()}, Reduction::sum),
            options.halo_multiplier);
  options.boundaries = {halocline::Boundary::open, halocline::Boundary::open, halocline::Boundary::open};
  options.partition = halocline::partition::Method::given;
  options.node_grid = halocline::Vec3{1, 1, nodes};
  options.device_grid = halocline::Vec3{1, 1, devices};
  return options;
}

}  // namespace

void check_steps(std::int64_t steps, int halo_multiplier) {
  if (steps >= 1 && steps % halo_multiplier == 0) return;
  throw halocline::InvalidArgument(fmt::format(
      "steps are {}; allowed is a multiple of the halo multiplier, {}, and at least 1", steps, halo_multiplier));
}

void check_own_way(const OwnWay& way, int halo_multiplier) {
  if (way.order != OwnOrder::stored || halo_multiplier == 1) return;
  throw halocline::InvalidArgument(
      fmt::format("sides are stored by the kernel, with a halo multiplier of {}; allowed is 1", halo_multiplier));
}

template <typename T>
Case<T>::Case(halocline::comm::Communicator& comm, const Problem& problem, const halocline::DomainOptions& options,
              std::optional<OwnWay> own)
    : problem_(problem),
      options_(in_slabs(comm, problem, options)),
      domain_(problem.extent, radius_of(problem.stencil), comm, options_),
      field_(domain_.template add_field<T>("u", halocline::buffers::two)),
      own_(own) {
  if (own_) check_own_way(*own_, options_.halo_multiplier);
  domain_.realize();
  halocline::comm::agree_on(domain_.comm(),
                            [&] { kernels_ = make_kernels<T>(internals(domain_).backend(), problem_); });
}

template <typename T>
Case<T>::~Case() = default;

template <typename T>
Scheme& Case<T>::scheme(SchemeKind kind) {
  auto& found = schemes_[kind];
  if (!found) {
    halocline::comm::agree_on(domain_.comm(), [&] {
      // Not the domain's backend: schemes with threads of their own need none that launch for them.
      const Setting<T> setting{&domain_, field_, kernels_.get(), options_.backend.get(), options_.timeout, own_};
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
  check_steps(steps, domain_.halo_multiplier());
  Scheme& chosen = scheme(kind);
  initialise();
  return apps::slowest_seconds(domain_.comm(), [&] { chosen.run(steps / domain_.halo_multiplier()); });
}

template <typename T>
std::vector<T> Case<T>::gather() {
  return apps::gather(domain_, field_, halocline::Box::of_extent(problem_.extent));
}

template <typename T>
apps::Check Case<T>::check(std::int64_t steps) {
  const std::vector<T> found = gather();
  return apps::check_on_root<T>(
      domain_.comm(), [&] { return solve_serially<T>(problem_, steps); }, found);
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
  kernels_.reset();
  domain_.close();
}

template class Case<float>;
template class Case<double>;

}  // namespace laplace3d
