// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "comm/agree.hpp"
#include "common/boundaries.hpp"
#include "common/gather.hpp"
#include "common/in_parallel.hpp"
#include "common/slowest.hpp"
#include "core/printable.hpp"
#include "domain/internals.hpp"
#include "halocline/error.hpp"
#include "halocline/host_array.hpp"
#include "mhd/mhd.hpp"

namespace mhd {
namespace {

/// Interiors of whole tiles of the kernel, where that leaves each of the rank's at least half of its cells to update while halos
/// are under way; otherwise the largest ones.
void choose_tiles(halocline::Domain& domain, const halocline::Vec3& tile) {
  domain.use_tiles(tile);
  const auto subdomains = domain.subdomains();
  const bool enough = std::all_of(subdomains.begin(), subdomains.end(), [](const halocline::Subdomain& s) {
    return 2 * s.interior().volume() >= s.owned().volume();
  });
  if (!enough) domain.use_tiles(halocline::Vec3::filled(1));
}

/// Throws InvalidArgument unless the domain's halos can serve as many substeps as they are wide for. The first substep after an
/// exchange may read, in all of its box, what the last but one wrote: that was owned cells and one radius more, or the substep is a
/// step's first, which does not read it.
template <typename T>
void check_substeps(halocline::Domain& domain, const State<T>& state) {
  const int served = domain.plan().steps_per_exchange;
  if (!can_serve(served)) {
    throw halocline::InvalidArgument(fmt::format(
        "mhd: the domain's steps_per_exchange is {} (substeps); allowed are 1, 2 and multiples of 3", served));
  }
  if (Williamson::substeps % served == 0) return;
  for (const auto field : state) {
    const auto& descriptor = internals(domain).geometry().fields.at(field.id.index());
    if (!descriptor.wire) continue;
    throw halocline::InvalidArgument(
        fmt::format("mhd: field '{}' has a wire format, and the domain's steps_per_exchange is {} (substeps); allowed "
                    "are 1 and 3, as every step must begin with an exchange",
                    descriptor.name, served));
  }
}

}  // namespace

bool can_serve(int substeps) {
  return substeps == 1 || substeps == 2 || (substeps > 0 && substeps % Williamson::substeps == 0);
}

template <typename T>
Solver<T>::Solver(halocline::Domain& domain, const State<T>& state, const Parameters& parameters, int order,
                  const ForcingSettings& forcing)
    : domain_(domain), state_(state), parameters_(parameters), traced_(domain) {
  halocline::comm::agree_on(domain.plan().comm, [&] {
    parameters.check();
    const halocline::Stencil wanted = stencil(order);
    const auto& geometry = internals(domain).geometry();
    apps::check_periodic("mhd", geometry);
    const halocline::Stencil read_beyond = geometry.beyond_box(wanted);
    for (const auto field : state) {
      const auto& descriptor = geometry.fields.at(field.id.index());
      if (descriptor.buffers != 2) {
        throw halocline::InvalidArgument(
            fmt::format("mhd: field '{}' has {} buffers; allowed is 2", descriptor.name, descriptor.buffers));
      }
    }
    check_substeps(domain, state);
    for (const auto& subdomain : domain.subdomains()) {
      const auto view = subdomain.view(state[0]);
      const halocline::Box read = subdomain.owned().grown(read_beyond.lower(), read_beyond.upper());
      if (!view.with_halo().contains(read)) {
        throw halocline::InvalidArgument(fmt::format(
            "mhd: the domain's radius is less than {}, which differences of order {} read", order / 2, order));
      }
      if (geometry.wraps(0) && subdomain.owned().extent().x < wanted.lower().x) {
        throw halocline::InvalidArgument(
            fmt::format("mhd: the domain is {} cells in x; allowed is {} or more, which differences of order {} read",
                        subdomain.owned().extent().x, wanted.lower().x, order));
      }
    }
    if (forcing.amplitude > 0) {
      forcing_.emplace(forcing, geometry.partition.extent(), parameters.spacing, parameters.sound_speed);
    }
    kernels_ = make_kernels<T>(domain, state, parameters, order);
    choose_tiles(domain, kernels_->tile());
    for (std::size_t i = 0; i < domain.subdomains().size(); ++i) {
      results_.push_back({internals(domain).backend().allocate_pinned(sizeof(Extremes)),
                          internals(domain).backend().allocate_pinned(sizeof(Sums))});
    }
  });
}

/// Plane by plane, so that the host holds no second copy of the fields.
template <typename T>
void Solver<T>::initialise(const InitialValues& values) {
  for (const auto& subdomain : domain_.subdomains()) {
    constexpr std::int64_t planes = 16;
    const halocline::Box& owned = subdomain.owned();
    const auto slab_from = [&owned](std::int64_t z) {
      halocline::Box slab = owned;
      slab.lo.z = z;
      slab.hi.z = std::min(owned.hi.z, z + planes);
      return slab;
    };
    std::vector<halocline::HostArray<T>> arrays;
    for (const auto field : state_) arrays.emplace_back(subdomain, field, slab_from(owned.lo.z));
    for (std::int64_t z = owned.lo.z; z < owned.hi.z; z += planes) {
      const halocline::Box slab = slab_from(z);
      for (std::size_t i = 0; i < field_count; ++i) arrays[i].move_to(subdomain, state_[i], slab);
      // By rows, as there may be more cores than planes.
      const std::int64_t rows = slab.extent().y;
      apps::for_each_in_parallel(0, slab.extent().z * rows, [&](std::int64_t row) {
        halocline::Box cells = slab;
        cells.lo.y = slab.lo.y + row % rows;
        cells.lo.z = slab.lo.z + row / rows;
        cells.hi.y = cells.lo.y + 1;
        cells.hi.z = cells.lo.z + 1;
        halocline::for_each_cell(cells, [&](const halocline::Vec3& p) {
          const auto here = values(p);
          for (std::size_t i = 0; i < field_count; ++i) arrays[i](p) = static_cast<T>(here[i]);
        });
      });
      for (std::size_t i = 0; i < field_count; ++i) arrays[i].upload(subdomain, state_[i]);
    }
  }
  continue_from({});
}

template <typename T>
void Solver<T>::continue_from(const Position& position) {
  position_ = position;
  since_exchange_ = 0;
}

template <typename T>
void Solver<T>::swap() {
  for (const auto field : state_) domain_.swap(field);
}

/// since_exchange: substeps since the last exchange.
template <typename T>
void Solver<T>::update_all(const Substep<T>& substep, int since_exchange) {
  for (const auto& s : domain_.subdomains()) {
    const halocline::Box box = s.update_box(since_exchange);
    update(apps::Work::all_cells, s, {&box, 1}, substep);
  }
}

template <typename T>
void Solver<T>::update(apps::Work work, const halocline::Subdomain& subdomain, std::span<const halocline::Box> boxes,
                       const Substep<T>& substep) {
  traced_.run(work, subdomain, [&] { kernels_->update(subdomain, boxes, substep); });
}

/// Reads the current buffers and writes the next ones, without a swap.
template <typename T>
void Solver<T>::exchange_and_update(const Substep<T>& substep, bool overlap) {
  using halocline::device::Range;
  auto& backend = internals(domain_).backend();
  if (!overlap) {
    domain_.exchange();
    return update_all(substep, 0);
  }
  auto exchange = domain_.start_exchange();
  {
    const Range range(backend, "mhd: interior");
    for (const auto& s : domain_.subdomains()) update(apps::Work::interior, s, {&s.interior(), 1}, substep);
  }
  finish_and_update_boundary(exchange, substep);
}

template <typename T>
void Solver<T>::finish_and_update_boundary(halocline::ExchangeHandle& exchange, const Substep<T>& substep) {
  const halocline::device::Range range(internals(domain_).backend(), "mhd: boundary");
  if (boundary_order_ == BoundaryOrder::after_all) {
    exchange.finish();
    for (const auto& s : domain_.subdomains()) update(apps::Work::boundary, s, s.boundary(), substep);
    return;
  }
  exchange.finish([&](const halocline::Subdomain& s, std::span<const halocline::Box> boxes) {
    for (; !boxes.empty(); boxes = boxes.subspan(std::min(boxes.size(), most_boxes))) {
      update(apps::Work::boundary, s, boxes.first(std::min(boxes.size(), most_boxes)), substep);
    }
  });
}

template <typename T>
void Solver<T>::substep(const Substep<T>& substep, bool overlap) {
  const halocline::device::Range whole(internals(domain_).backend(), "mhd: substep");
  if (since_exchange_ == 0) {
    exchange_and_update(substep, overlap);
  } else {
    update_all(substep, since_exchange_);
  }
  swap();
  since_exchange_ = (since_exchange_ + 1) % domain_.plan().steps_per_exchange;
}

/// All cells that the last substep updated, as the next one may read them without an exchange.
template <typename T>
void Solver<T>::kick(double dt) {
  if (!forcing_) return;
  const Wave wave = forcing_->wave_of(position_.step, dt);
  const int served = domain_.plan().steps_per_exchange;
  const int last = (since_exchange_ + served - 1) % served;
  for (const auto& s : domain_.subdomains()) kernels_->kick(s, s.update_box(last), wave);
}

template <typename T>
void Solver<T>::step(double dt, bool overlap) {
  for (int i = 0; i < Williamson::substeps; ++i) substep(Substep<T>::of(i, dt), overlap);
  kick(dt);
  position_ = {position_.step + 1, position_.time + dt, dt};
}

template <typename T>
std::vector<T> Solver<T>::gather(int field) {
  return gather(field, halocline::Box::of_extent(internals(domain_).geometry().partition.extent()));
}

template <typename T>
std::vector<T> Solver<T>::gather(int field, const halocline::Box& box) {
  return apps::gather(domain_, state_[static_cast<std::size_t>(field)], box);
}

/// The median of some turns, the slowest rank's; the first turn does not count.
template <typename T>
double Solver<T>::slowest_of(int repeats, const std::function<void()>& work) {
  std::vector<double> times;
  for (int turn = 0; turn <= repeats; ++turn) {
    domain_.synchronize();
    const double took = apps::slowest_seconds(domain_.plan().comm, [&] {
      work();
      domain_.synchronize();
    });
    if (turn > 0) times.push_back(took);
  }
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  return times[times.size() / 2];
}

template <typename T>
Parts Solver<T>::time_parts(int repeats) {
  Parts parts;
  const int served = domain_.plan().steps_per_exchange;
  const int substeps = std::lcm(served, Williamson::substeps);
  const double steps = substeps / Williamson::substeps;
  parts.compute = slowest_of(repeats,
                             [&] {
                               for (int i = 0; i < substeps; ++i) {
                                 update_all(Substep<T>::of(i % Williamson::substeps, 0), i % served);
                                 swap();
                               }
                             }) /
                  steps;
  parts.exchange = slowest_of(repeats,
                              [&] {
                                for (int i = 0; i < substeps / served; ++i) domain_.exchange();
                              }) /
                   steps;
  parts.synchronisation = slowest_of(repeats, [&] {
    for (int i = 0; i < Williamson::substeps; ++i) {
      domain_.synchronize();
      domain_.plan().comm.barrier();
    }
  });
  return parts;
}

/// Reads the current buffers and writes the next ones, without a swap.
template <typename T>
std::vector<typename Solver<T>::Trial> Solver<T>::try_variants(int repeats) {
  std::vector<Trial> trials;
  const auto names = kernels_->variants();
  std::size_t fastest = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    kernels_->choose(i);
    trials.push_back({names[i], slowest_of(repeats, [&] { update_all(Substep<T>::of(1, 0), 0); })});
    if (trials[i].seconds < trials[fastest].seconds) fastest = i;
  }
  kernels_->choose(fastest);
  choose_tiles(domain_, kernels_->tile());
  return trials;
}

template <typename T>
bool Solver<T>::try_overlap(int repeats) {
  const auto time_of = [&](bool overlap) {
    return slowest_of(repeats, [&] { exchange_and_update(Substep<T>::of(1, 0), overlap); });
  };
  const double without = time_of(false);
  return time_of(true) < without;
}

template <typename T>
void Solver<T>::choose_variant(const std::string& name) {
  const auto names = kernels_->variants();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    std::string all;
    for (const auto& one : names) all += (all.empty() ? "" : ", ") + one;
    throw halocline::InvalidArgument(
        fmt::format("mhd: the variant is '{}'; allowed are {}", halocline::printable(name, 80), all));
  }
  kernels_->choose(static_cast<std::size_t>(found - names.begin()));
  choose_tiles(domain_, kernels_->tile());
}

template class Solver<float>;
template class Solver<double>;

}  // namespace mhd
