// SPDX-License-Identifier: BSD-3-Clause
// Seeded random runs with rebalance() in between: bit for bit as without. Ranks are threads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <random>
#include <tuple>
#include <vector>

#include "comm/local_ranks.hpp"
#include "domain/internals.hpp"
#include "halocline/halocline.hpp"
#include "support/effort.hpp"

namespace halocline {
namespace {

/// The run of a seed.
struct RunCase {
  Vec3 extent;
  Boundaries boundaries;
  Stencil stencil = Stencil::box(1);
  int devices = 1;
  int steps = 5;
  std::vector<bool> rebalances;             ///< by step
  std::vector<std::vector<double>> speeds;  ///< by step, of all devices
};

RunCase run_of(std::uint64_t seed, int ranks) {
  std::mt19937_64 random(seed);
  const auto between = [&](std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
  };
  RunCase run;
  run.extent = {between(12, 24), between(12, 20), between(16, 28)};
  for (Boundary& boundary : run.boundaries) boundary = random() % 2 == 0 ? Boundary::open : Boundary::periodic;
  run.devices = static_cast<int>(between(1, 2));
  if (random() % 2 == 0) run.stencil = Stencil::per_side({1, 0, 2}, {2, 1, 1});
  for (int step = 0; step < run.steps; ++step) {
    run.rebalances.push_back(step == 1 || random() % 3 == 0);
    auto& speeds = run.speeds.emplace_back();
    for (int d = 0; d < ranks * run.devices; ++d) speeds.push_back(1 + static_cast<double>(random() % 300) / 100);
  }
  return run;
}

/// Values that tell fields, buffers, components and cells apart.
double first_value(int field, int buffer, int component, const Vec3& at) {
  std::uint64_t mixed = 0x9e3779b97f4a7c15;
  for (const std::int64_t part : {at.x, at.y, at.z, std::int64_t{field * 16 + buffer * 4 + component}}) {
    mixed = (mixed ^ static_cast<std::uint64_t>(part)) * 0xbf58476d1ce4e5b9;
    mixed ^= mixed >> 29;
  }
  return static_cast<double>(mixed % 1000003) / 1000;
}

template <typename F>
void for_cells(const Box& box, F&& f) {
  for (std::int64_t z = box.lo.z; z < box.hi.z; ++z) {
    for (std::int64_t y = box.lo.y; y < box.hi.y; ++y) {
      for (std::int64_t x = box.lo.x; x < box.hi.x; ++x) f(Vec3{x, y, z});
    }
  }
}

/// Owned cells at the end: field, buffer, component, z, y, x.
using Cells = std::map<std::tuple<int, int, int, std::int64_t, std::int64_t, std::int64_t>, double>;

class Simulation {
 public:
  Simulation(comm::RankGroup& comm, const RunCase& run)
      : run_(run), domain_(run.extent, run.stencil, comm, options_of(run)) {
    u_ = domain_.add_field<double>("u", {.components = 2, .buffers = 3});
    v_ = domain_.add_field<float>("v", {.stencil = Stencil::box(1), .staggered = {false, true, false}});
    w_ = domain_.add_field<std::int64_t>("w", {.stencil = Stencil::box(1)});
    domain_.realize();
    domain_.on_open_boundary({});
    for (const Subdomain& subdomain : domain_.subdomains()) {
      for (int buffer = 0; buffer < 3; ++buffer) {
        const auto u = subdomain.view(u_, buffer);
        for_cells(u.with_halo(), [&](const Vec3& at) {
          for (int c = 0; c < 2; ++c) u(at, c) = first_value(0, buffer, c, wrapped(at));
        });
      }
      const auto v = subdomain.view(v_);
      for_cells(v.with_halo(), [&](const Vec3& at) { v(at) = static_cast<float>(first_value(1, 0, 0, wrapped(at))); });
    }
  }

  /// Halos beyond an open end differ from the cells that they are images of in other dimensions, if the test does not wrap these.
  [[nodiscard]] Vec3 wrapped(Vec3 at) const {
    for (int dim = 0; dim < 3; ++dim) {
      const std::int64_t n = run_.extent[dim];
      if (run_.boundaries[static_cast<std::size_t>(dim)] != Boundary::open) at[dim] = (at[dim] + n) % n;
    }
    return at;
  }

  void step() {
    domain_.exchange();
    domain_.synchronize();
    for (const Subdomain& subdomain : domain_.subdomains()) {
      const auto from = subdomain.read(u_);
      const auto to = subdomain.write(u_);
      const auto v = subdomain.view(v_);
      const Vec3 below = run_.stencil.lower();
      const Vec3 above = run_.stencil.upper();
      for_cells(subdomain.owned(), [&](const Vec3& at) {
        double sum = 0;
        for_cells({at - below, at + above + Vec3::filled(1)},
                  [&](const Vec3& near) { sum = 0.7 * sum + from(near, 0) - from(near, 1); });
        for_cells({at - Vec3::filled(1), at + Vec3::filled(2)},
                  [&](const Vec3& near) { sum += 0.01 * static_cast<double>(v(near)); });
        to(at, 0) = sum;
        to(at, 1) = 0.5 * from(at, 1) + 0.1 * sum;
      });
    }
    for (const Subdomain& subdomain : domain_.subdomains()) {
      const auto v = subdomain.view(v_);
      for_cells(v.owned(), [&](const Vec3& at) { v(at) = 0.5F * v(at) + 1; });
    }
    domain_.swap(u_);
  }

  /// Whether cells moved.
  bool rebalance(const std::vector<double>& speeds) {
    const auto before = internals(domain_).geometry().partition;
    const auto first = static_cast<std::size_t>(domain_.plan().comm.rank().value() * run_.devices);
    domain_.rebalance(std::span(speeds).subspan(first, static_cast<std::size_t>(run_.devices)));
    return internals(domain_).geometry().partition != before;
  }

  /// Each cell adds to its neighbours' sums, which no partition changes.
  void accumulate() {
    for (const Subdomain& subdomain : domain_.subdomains()) {
      const auto w = subdomain.view(w_);
      for_cells(w.with_halo(), [&](const Vec3& at) { w(at) = 0; });
      for_cells(w.owned(), [&](const Vec3& at) { w(at + Vec3{1, 0, -1}) += at.x + 100 * at.y + 10000 * at.z; });
    }
    domain_.accumulate({{.field = w_}});
    domain_.synchronize();
  }

  void add_to(Cells& cells) {
    for (const Subdomain& subdomain : domain_.subdomains()) {
      for (int buffer = 0; buffer < 3; ++buffer) {
        const auto u = subdomain.view(u_, buffer);
        for_cells(u.owned(), [&](const Vec3& at) {
          for (int c = 0; c < 2; ++c) cells[{0, buffer, c, at.z, at.y, at.x}] = u(at, c);
        });
      }
      const auto v = subdomain.view(v_);
      for_cells(v.owned(), [&](const Vec3& at) { cells[{1, 0, 0, at.z, at.y, at.x}] = static_cast<double>(v(at)); });
      const auto w = subdomain.view(w_);
      for_cells(w.owned(), [&](const Vec3& at) { cells[{2, 0, 0, at.z, at.y, at.x}] = static_cast<double>(w(at)); });
    }
  }
  void close() { domain_.close(); }

 private:
  static DomainOptions options_of(const RunCase& run) {
    DomainOptions options;
    options.boundaries = run.boundaries;
    options.devices = {.kind = DeviceKind::host, .per_rank = run.devices};
    return options;
  }

  const RunCase& run_;
  Domain domain_;
  Field<double> u_{};
  Field<float> v_{};
  Field<std::int64_t> w_{};
};

Cells result_of(const RunCase& run, int ranks, bool rebalances, int& moves) {
  Cells cells;
  std::mutex mutex;
  comm::run_as_threads(ranks, [&](comm::RankGroup& comm) {
    Simulation simulation(comm, run);
    int moved = 0;
    for (int step = 0; step < run.steps; ++step) {
      const auto s = static_cast<std::size_t>(step);
      if (rebalances && run.rebalances[s] && simulation.rebalance(run.speeds[s])) ++moved;
      simulation.step();
      if (step % 2 == 1) simulation.accumulate();
    }
    {
      const std::lock_guard lock(mutex);
      simulation.add_to(cells);
      moves = moved;
    }
    simulation.close();
  });
  return cells;
}

TEST(RandomRebalances, change_no_bit_of_a_run) {
  int all_moves = 0;
  const std::vector<int> shapes = test::rank_counts({1, 2, 3, 4});
  for (std::uint64_t seed = 0; seed < std::max<std::uint64_t>(test::some_of(16), 4); ++seed) {
    const int ranks = shapes[seed % shapes.size()];
    const RunCase run = run_of(seed, ranks);
    int moves = 0;
    const Cells with = result_of(run, ranks, true, moves);
    all_moves += moves;
    const Cells without = result_of(run, ranks, false, moves);
    EXPECT_EQ(with.size(), without.size());
    for (const auto& [key, value] : without) {
      const auto found = with.find(key);
      if (found != with.end() && found->second == value) continue;
      const auto& [field, buffer, component, z, y, x] = key;
      ADD_FAILURE() << "field " << field << ", buffer " << buffer << ", component " << component << " at " << x << ", "
                    << y << ", " << z;
      break;
    }
    EXPECT_TRUE(with == without) << "seed " << seed << ", " << ranks << " ranks, " << run.devices << " devices each";
  }
  EXPECT_GT(all_moves, 4);
}

}  // namespace
}  // namespace halocline
