// SPDX-License-Identifier: BSD-3-Clause
#include "support/outlet_case.hpp"
#include "domain/internals.hpp"
#include "support/captured.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "support/seeded.hpp"

namespace halocline::test {
namespace {

constexpr int most_steps = 6;

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) { return Seeded(a * 0x9e3779b97f4a7c15u + b).next(); }

std::uint64_t initial(const Vec3& p) {
  return mixed(mixed(static_cast<std::uint64_t>(p.x), static_cast<std::uint64_t>(p.y)),
               static_cast<std::uint64_t>(p.z));
}

/// Whether the stencil reads everything in direction d: an edge or a corner also has cells that are read through the
/// adjacent faces.
bool reads_all(const Stencil& radius, Direction d) {
  return std::ranges::all_of(all_directions, [&](Direction part) {
    for (int dim = 0; dim < 3; ++dim) {
      if (part[dim] != 0 && part[dim] != d[dim]) return true;  // not a part of d
    }
    return radius.reads(part);
  });
}

/// The next value of a cell, from itself and the cells at the far end of the radius in each direction that is read.
/// at(p) is the value of a cell, and 0 beyond an open end.
template <typename At>
std::uint64_t updated(const Stencil& radius, const Vec3& p, At&& at) {
  std::uint64_t value = mixed(at(p), 1);
  for (const Direction d : all_directions) {
    if (!reads_all(radius, d)) continue;
    Vec3 q = p;
    for (int dim = 0; dim < 3; ++dim) {
      if (d[dim] < 0) q[dim] -= radius.lower()[dim];
      if (d[dim] > 0) q[dim] += radius.upper()[dim];
    }
    value = mixed(value, at(q));
  }
  return value;
}

/// The whole domain in one array, indexed periodically.
class Reference {
 public:
  Reference(const Vec3& extent, const Boundaries& boundaries) : extent_(extent), boundaries_(boundaries) {
    for_each_cell(Box::of_extent(extent), [&](const Vec3& p) { cells_.push_back(initial(p)); });
  }
  [[nodiscard]] std::uint64_t at(Vec3 p) const {
    for (int dim = 0; dim < 3; ++dim) {
      if (p[dim] >= 0 && p[dim] < extent_[dim]) continue;
      if (boundaries_[static_cast<std::size_t>(dim)] == Boundary::open) return 0;
      p[dim] = (p[dim] + extent_[dim]) % extent_[dim];
    }
    return cells_[static_cast<std::size_t>((p.z * extent_.y + p.y) * extent_.x + p.x)];
  }
  void step(const Stencil& radius) {
    std::vector<std::uint64_t> next;
    for_each_cell(Box::of_extent(extent_),
                  [&](const Vec3& p) { next.push_back(updated(radius, p, [this](const Vec3& q) { return at(q); })); });
    cells_ = std::move(next);
  }

 private:
  Vec3 extent_;
  Boundaries boundaries_;
  std::vector<std::uint64_t> cells_;
};

class Steps {
 public:
  Steps(Domain& domain, const Stencil& stencil, std::uint64_t seed)
      : domain_(domain), stencil_(stencil), seeded_(seed), in_two_(seed % 4 == 1) {
    u_ = domain.add_field<std::uint64_t>("u", {.buffers = 2, .x_halos_apart = seed % 5 < 2});
    rest_ = domain.add_field<float>("rest");
  }
  void initialise() {
    for (const Subdomain& s : domain_.subdomains()) {
      s.launch(s.owned(), [view = s.split_view(u_)](const Box& part) {
        for_each_cell(part, [&](const Vec3& p) { view(p) = initial(p); });
      });
    }
  }
  /// A seeded choice; the same on all ranks.
  Directions choose() { return seeded_.chance(20) ? Directions() : Directions(seeded_.next()); }

  /// Exchanges, updates with stores, and swaps.
  void step(const Directions& stored, bool overlap) {
    if (in_two_) {
      const Directions first = choose();
      for (const Directions& directions : {first, ~first}) domain_.exchange({{.field = u_, .directions = directions}});
    } else if (overlap) {
      auto exchange = domain_.start_exchange();
      exchange.finish();
    } else {
      domain_.exchange();
    }
    for (const Subdomain& s : domain_.subdomains()) update(s, stored);
    internals(domain_).mark_stored(u_, stored);
    domain_.swap(u_);
  }
  [[nodiscard]] Field<std::uint64_t> field() const { return u_; }

 private:
  void update(const Subdomain& s, const Directions& stored) const {
    std::vector<View<std::uint64_t>> outlets;
    for (const Direction d : all_directions) {
      if (!stored.test(static_cast<std::size_t>(d.index()))) continue;
      if (const auto outlet = internals(s).outlet(s, u_, d, 1)) outlets.push_back(*outlet);
    }
    const auto& geometry = internals(domain_).geometry();
    const auto read = [view = s.split_view(u_), extent = geometry.partition.extent(),
                       boundaries = geometry.boundaries](const Vec3& p) {
      for (int dim = 0; dim < 3; ++dim) {
        const bool beyond = p[dim] < 0 || p[dim] >= extent[dim];
        if (beyond && boundaries[static_cast<std::size_t>(dim)] == Boundary::open) return std::uint64_t{0};
      }
      return view(p);
    };
    s.launch(s.owned(),
             [=, radius = stencil_, next = s.split_view(u_, 1), outlets = std::move(outlets)](const Box& part) {
               for_each_cell(part, [&](const Vec3& p) {
                 next(p) = updated(radius, p, read);
                 for (const auto& outlet : outlets) {
                   if (outlet.owned().contains(p)) outlet(p) = next(p);
                 }
               });
             });
  }

  Domain& domain_;
  Stencil stencil_;
  Seeded seeded_;
  bool in_two_;  ///< two exchanges a step, each with a part of the directions
  Field<std::uint64_t> u_;
  Field<float> rest_;
};

}  // namespace

std::string run_outlet_case(comm::RankGroup& comm, const HaloCase& halo_case, std::uint64_t seed) {
  const Stencil radius = halo_case.fields.front().stencil.value_or(halo_case.radius);
  DomainOptions options = options_of(comm, halo_case);
  // This kernel reads halos on all sides.
  std::ranges::replace(options.boundaries, Boundary::periodic_in_kernel, Boundary::periodic);
  options.debug.validate_ordering = seed % 5 == 0;
  Domain domain(halo_case.extent, radius, comm, options);
  Steps steps(domain, radius, seed);
  domain.on_open_boundary({});  // this kernel reads 0 there
  domain.realize();
  steps.initialise();
  int done = 0;
  for (; done < most_steps - 4; ++done) steps.step(steps.choose(), done % 2 == 1);
  if (halo_case.graphs && !options.debug.validate_ordering) {
    // Two steps that can repeat: the last one stores the halos that the first one needs.
    const Directions stored = steps.choose();
    const Directions between = steps.choose();
    steps.step(stored, false);
    ++done;
    std::optional<Graph> cycle;
    try {
      cycle.emplace(test::captured(domain, [&] {
        steps.step(between, true);
        steps.step(stored, false);
      }));
    } catch (const CapabilityError&) {
      // a route needs the host: the steps below run eagerly
    }
    if (comm.all_reduce(std::int64_t{cycle ? 1 : 0}, comm::Reduction::min) == 1) {
      cycle->launch();
      done += 2;
    }
    domain.synchronize();
    comm.barrier();
  }
  for (; done < most_steps; ++done) steps.step(steps.choose(), false);
  domain.synchronize();

  Reference reference(halo_case.extent, options.boundaries);
  for (int i = 0; i < most_steps; ++i) reference.step(radius);
  std::string wrong;
  for (const Subdomain& s : domain.subdomains()) {
    const auto view = s.split_view(steps.field());
    for_each_cell(view.owned(), [&](const Vec3& p) {
      if (wrong.empty() && view(p) != reference.at(p)) {
        wrong = fmt::format("cell {} of subdomain {}", to_string(p), s.id().value());
      }
    });
  }
  domain.close();
  return wrong;
}

}  // namespace halocline::test
