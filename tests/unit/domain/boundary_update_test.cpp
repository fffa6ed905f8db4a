// SPDX-License-Identifier: BSD-3-Clause
// finish() with an update: every cell is updated once, from the old values of its neighbours, for all routes, messages,
// boundaries and shapes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>

#include "comm/local_ranks.hpp"
#include "device/backend.hpp"
#include "device/host.hpp"
#include "domain/internals.hpp"
#include "exchange/exchange.hpp"
#include "halocline/halocline.hpp"
#include "halocline/session.hpp"
#include "support/captured.hpp"
#include "support/halo_case.hpp"

namespace halocline {
namespace {

struct Case {
  std::string name;
  Vec3 extent{12, 10, 14};
  Stencil radius = Stencil::box(1);
  std::string transports;
  exchange::Messages messages = exchange::Messages::by_direction;
  int ranks = 2;
  int devices = 2;
  Boundaries boundaries = all_periodic;
  int steps_per_exchange = 1;
  overlap::Update update = overlap::Update::double_buffered;
  bool graphs = false;
  bool delays = false;
  bool launch_threads = false;
};

using Cell = std::uint64_t;
constexpr int steps = 4;
constexpr Cell beyond = 77;  ///< the value beyond open boundaries

Cell start_of(const Vec3& p) { return static_cast<Cell>(p.x + 1000 * p.y + 1000000 * p.z) * 2654435761u; }

/// The next value of a cell, computed from all cells that it reads, including corners and edges where they are on. Sums
/// modulo 2^64 do not depend on the order.
template <typename Read>
Cell next_of(const Stencil& radius, const Read& read) {
  Cell sum = read(Vec3{0, 0, 0});
  for_each_cell(Box{Vec3{} - radius.lower(), radius.upper() + Vec3::filled(1)}, [&](const Vec3& o) {
    const auto sign = [](std::int64_t v) { return v < 0 ? -1 : (v > 0 ? 1 : 0); };
    if (o == Vec3{} || !radius.reads(Direction::of(sign(o.x), sign(o.y), sign(o.z)))) return;
    sum += read(o) * static_cast<Cell>(3 + o.x + 7 * o.y + 49 * o.z);
  });
  return sum;
}

/// The solution without Halocline.
std::vector<Cell> expected(const Case& c) {
  const Box all = Box::of_extent(c.extent);
  const auto at = [&](const Vec3& p) { return static_cast<std::size_t>(p.x + c.extent.x * (p.y + c.extent.y * p.z)); };
  std::vector<Cell> now(static_cast<std::size_t>(all.volume()));
  for_each_cell(all, [&](const Vec3& p) { now[at(p)] = start_of(p); });
  for (int step = 0; step < steps; ++step) {
    std::vector<Cell> next(now.size());
    for_each_cell(all, [&](const Vec3& p) {
      next[at(p)] = next_of(c.radius, [&](const Vec3& o) {
        Vec3 q = p + o;
        for (int dim = 0; dim < 3; ++dim) {
          if (c.boundaries[static_cast<std::size_t>(dim)] == Boundary::periodic) {
            q[dim] = (q[dim] + c.extent[dim]) % c.extent[dim];
          } else if (q[dim] < 0 || q[dim] >= c.extent[dim]) {
            return beyond;
          }
        }
        return now[at(q)];
      });
    });
    now = next;
  }
  return now;
}

std::shared_ptr<device::Backend> backend_of(const Case& c, comm::RankGroup& comm) {
  device::HostOptions host;
  host.devices = c.devices;
  host.ranks_on_node = comm.size();
  host.graphs = c.graphs;
  if (c.delays) host.injector = test::random_delays(static_cast<std::uint64_t>(comm.rank().value()) + 5);
  return device::make_host_backend(host);
}

/// Wrong cells of this rank, and the number of calls of the update function.
struct Outcome {
  std::int64_t wrong = 0;
  std::int64_t calls = 0;
};

Outcome run(const Case& c, comm::RankGroup& comm, const std::vector<Cell>& solution) {
  DomainOptions options;
  options.boundaries = c.boundaries;
  options.devices.existing.emplace(backend_of(c, comm));
  options.routing.policy = routing::Policy::parse(c.transports);
  options.routing.messages = c.messages;
  options.steps_per_exchange = c.steps_per_exchange;
  options.update = c.update;
  set_launch_threads(options, c.launch_threads);
  options.timeout = std::chrono::seconds(30);
  Domain domain(c.extent, c.radius, comm, options);
  const auto u = domain.add_field<Cell>("u", {.buffers = 2});
  domain.on_open_boundary([u](const Subdomain& s, field_id, const overlap::OpenBoundaryBox& boundary) {
    s.launch(boundary.box,
             [view = s.view(u)](const Box& part) { for_each_cell(part, [&](const Vec3& p) { view(p) = beyond; }); });
  });
  domain.realize();
  for (const Subdomain& s : domain.subdomains()) {
    const auto view = s.view(u);
    for_each_cell(view.with_halo(), [&](const Vec3& p) { view(p) = view.owned().contains(p) ? start_of(p) : 1; });
  }
  domain.plan().comm.barrier();
  Outcome outcome;
  const auto update = [&](const Subdomain& s, const Box& box) {
    s.launch(box, [now = s.view(u), next = s.view(u, 1), radius = c.radius](const Box& part) {
      for_each_cell(part, [&](const Vec3& p) { next(p) = next_of(radius, [&](const Vec3& o) { return now(p + o); }); });
    });
  };
  for (int step = 0; step < steps; ++step) {
    if (step % c.steps_per_exchange != 0) {
      for (const auto& s : domain.subdomains()) {
        s.fill_open_boundaries(step % c.steps_per_exchange);
        update(s, s.update_box(step % c.steps_per_exchange));
      }
    } else {
      auto exchange = domain.start_exchange();
      for (const auto& s : domain.subdomains()) update(s, s.interior());
      exchange.finish([&](const Subdomain& s, std::span<const Box> boxes) {
        ++outcome.calls;
        EXPECT_FALSE(boxes.empty());
        for (const Box& box : boxes) update(s, box);
      });
    }
    domain.swap(u);
  }
  domain.synchronize();
  for (const Subdomain& s : domain.subdomains()) {
    const auto view = s.view(u);
    for_each_cell(s.owned(), [&](const Vec3& p) {
      const auto at = static_cast<std::size_t>(p.x + c.extent.x * (p.y + c.extent.y * p.z));
      outcome.wrong += view(p) == solution[at] ? 0 : 1;
    });
  }
  domain.close();
  return outcome;
}

class BoundaryUpdaters : public testing::TestWithParam<Case> {};

TEST_P(BoundaryUpdaters, give_the_serial_solution) {
  const Case& c = GetParam();
  const auto solution = expected(c);
  std::mutex one;
  comm::run_as_threads(c.ranks, [&](comm::RankGroup& comm) {
    const Outcome outcome = run(c, comm, solution);
    const std::lock_guard lock(one);
    EXPECT_EQ(outcome.wrong, 0) << "rank " << comm.rank().value();
    EXPECT_GE(outcome.calls, steps / c.steps_per_exchange * c.devices);
  });
}

std::vector<Case> cases() {
  constexpr Boundaries open_y{Boundary::periodic, Boundary::open, Boundary::periodic};
  constexpr Boundaries all_open{Boundary::open, Boundary::open, Boundary::open};
  const Stencil uneven = Stencil::per_side({2, 0, 1}, {1, 1, 3});
  return {
      {.name = "staged", .transports = "mpi_staged"},
      {.name = "staged_late", .transports = "mpi_staged", .ranks = 4, .devices = 1, .delays = true},
      {.name = "staged_by_neighbour", .transports = "mpi_staged", .messages = exchange::Messages::by_neighbour},
      {.name = "staged_uneven_late", .radius = uneven, .transports = "mpi_staged", .ranks = 3, .delays = true},
      {.name = "staged_star", .radius = Stencil::star(2), .transports = "mpi_staged", .delays = true},
      {.name = "staged_no_corners", .radius = Stencil::box(2).without_corners(), .transports = "mpi_staged"},
      {.name = "device_mpi", .transports = "mpi_device"},
      {.name = "no_interior", .extent = {4, 10, 14}, .radius = Stencil::box(2), .transports = "mpi_staged"},
      {.name = "open", .transports = "mpi_staged", .boundaries = open_y, .delays = true},
      {.name = "all_open", .transports = "mpi_staged", .boundaries = all_open, .delays = true},
      {.name = "steps_per_exchange", .transports = "mpi_staged", .steps_per_exchange = 2, .delays = true},
      {.name = "open_steps", .transports = "mpi_staged", .boundaries = open_y, .steps_per_exchange = 2},
      {.name = "direct", .transports = "direct,self"},
      {.name = "direct_open_late", .transports = "direct,self", .boundaries = open_y, .delays = true},
      {.name = "peer_copy", .transports = "peer_copy,self", .ranks = 1, .devices = 4},
      {.name = "ipc_graphs", .transports = "ipc_copy,peer_copy,self", .graphs = true, .delays = true},
      {.name = "mixed", .transports = "peer_copy,mpi_staged", .delays = true},
      {.name = "mixed_direct", .transports = "peer_copy,self,mpi_device", .ranks = 3, .delays = true},
      {.name = "launch_threads", .transports = "mpi_staged", .ranks = 1, .devices = 4, .launch_threads = true},
      // With two buffers nevertheless: the case checks that each cell is updated once.
      {.name = "in_place", .transports = "mpi_staged", .update = overlap::Update::in_place},
  };
}

INSTANTIATE_TEST_SUITE_P(all, BoundaryUpdaters, testing::ValuesIn(cases()),
                         [](const auto& param) { return param.param.name; });

/// A capture of steps also includes the streams of the boundary segments.
TEST(BoundaryUpdatersCaptured, replay_to_the_same) {
  Case c{.name = "captured", .transports = "direct,self", .ranks = 1, .devices = 4};
  const auto solution = expected(c);
  DomainOptions options;
  options.devices.per_rank = c.devices;
  options.routing.policy = routing::Policy::parse(c.transports);
  Domain domain(c.extent, c.radius, options);
  const auto u = domain.add_field<Cell>("u", {.buffers = 2});
  domain.realize();
  for (const Subdomain& s : domain.subdomains()) {
    for_each_cell(s.owned(), [view = s.view(u)](const Vec3& p) { view(p) = start_of(p); });
  }
  const auto update = [&](const Subdomain& s, const Box& box) {
    s.launch(box, [now = s.view(u), next = s.view(u, 1), radius = c.radius](const Box& part) {
      for_each_cell(part, [&](const Vec3& p) { next(p) = next_of(radius, [&](const Vec3& o) { return now(p + o); }); });
    });
  };
  {
    const auto recording = test::captured(domain, [&] {
      for (int step = 0; step < 2; ++step) {
        auto exchange = domain.start_exchange();
        for (const auto& s : domain.subdomains()) update(s, s.interior());
        exchange.finish([&](const Subdomain& s, std::span<const Box> boxes) {
          for (const Box& box : boxes) update(s, box);
        });
        domain.swap(u);
      }
    });
    for (int step = 0; step < steps; step += 2) recording.launch();
    domain.synchronize();
  }
  for (const Subdomain& s : domain.subdomains()) {
    const auto view = s.view(u);
    for_each_cell(s.owned(), [&](const Vec3& p) {
      ASSERT_EQ(view(p), solution[static_cast<std::size_t>(p.x + c.extent.x * (p.y + c.extent.y * p.z))]);
    });
  }
  domain.close();
}

}  // namespace
}  // namespace halocline
