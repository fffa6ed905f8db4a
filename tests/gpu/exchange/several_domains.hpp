// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include "comm/rank_group.hpp"
#include "gpu/exchange/gpus.hpp"
#include "halocline/halocline.hpp"

// Several domains at a time on the same GPUs, which each rank exchanges in another order.
namespace halocline::test {

/// Half of it is a GPU's: with two fields of 8 bytes and radius 3, more tiles than an exchange may have blocks.
inline constexpr Vec3 shared_extent{192, 192, 256};

/// One domain of several.
struct One {
  std::unique_ptr<Domain> domain;
  std::array<Field<double>, 2> fields;
};

inline double value_of(const Vec3& p, int which, int round) {
  Vec3 q = p;
  for (int dim = 0; dim < 3; ++dim) q[dim] = (p[dim] + shared_extent[dim]) % shared_extent[dim];
  return static_cast<double>(q.x + shared_extent.x * (q.y + shared_extent.y * q.z)) + which / 8. + round / 64.;
}

inline void fill(const One& one, int which, int round) {
  for (const Subdomain& s : one.domain->subdomains()) {
    for (const auto field : one.fields) {
      const auto cells = to_host(s, field);
      for_each_cell(cells.view().with_halo(),
                    [&](const Vec3& p) { cells(p) = s.owned().contains(p) ? value_of(p, which, round) : -1; });
      cells.upload(s, field);
    }
  }
}

inline std::int64_t wrong_cells(const One& one, int which, int round) {
  std::int64_t wrong = 0;
  for (const Subdomain& s : one.domain->subdomains()) {
    for (const auto field : one.fields) {
      const auto cells = to_host(s, field);
      for_each_cell(cells.view().with_halo(),
                    [&](const Vec3& p) { wrong += cells(p) == value_of(p, which, round) ? 0 : 1; });
    }
  }
  return wrong;
}

/// A rank's domains, each with a backend of its own, as by default.
inline std::vector<One> make_domains(comm::RankGroup& comm, int count, routing::Transport transport) {
  std::vector<One> domains;
  for (int i = 0; i < count; ++i) {
    DomainOptions options;
    options.devices.existing.emplace(gpus_of_rank(static_cast<int>(comm.rank().value()), 1));
    options.routing.policy.order = {routing::Transport::self, transport};
    options.timeout = std::chrono::seconds(20);
    options.tuning.domains_at_once = count;
    auto domain = std::make_unique<Domain>(shared_extent, Stencil::box(3), comm, options);
    const std::array fields{domain->add_field<double>("u"), domain->add_field<double>("v")};
    domain->realize();
    domains.push_back({std::move(domain), fields});
  }
  return domains;
}

/// Rank 0 exchanges them in order, `in_a_row` times each, rank 1 in the opposite order; the host waits for nothing between.
inline void exchange_in_opposite_orders(comm::RankGroup& comm, int count, int in_a_row, routing::Transport transport) {
  std::vector<One> domains = make_domains(comm, count, transport);
  // The first exchange of a domain is prepared, for which the host waits for the GPU.
  for (const One& one : domains) {
    one.domain->exchange();
    one.domain->synchronize();
  }
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < count; ++i) fill(domains[static_cast<std::size_t>(i)], i, round);
    for (int repeat = 0; repeat < 20; ++repeat) {
      for (int i = 0; i < count; ++i) {
        const int which = comm.rank().value() == 0 ? i : count - 1 - i;
        for (int k = 0; k < in_a_row; ++k) domains[static_cast<std::size_t>(which)].domain->exchange();
      }
    }
    for (const One& one : domains) one.domain->synchronize();
    for (int i = 0; i < count; ++i) {
      EXPECT_EQ(wrong_cells(domains[static_cast<std::size_t>(i)], i, round), 0)
          << "domain " << i << " of " << count << ", rank " << comm.rank().value() << ", round " << round;
    }
  }
  for (One& one : domains) one.domain->close();
}

}  // namespace halocline::test
