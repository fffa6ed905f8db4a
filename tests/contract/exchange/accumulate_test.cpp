// SPDX-License-Identifier: BSD-3-Clause
// accumulate() with each transport: that it is the transpose of the exchange, alone, alternating with exchanges and
// replayed; and refused calls. The contract suite and property_exchange compare cell by cell.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "comm/gather.hpp"
#include "domain/internals.hpp"
#include "ranks.hpp"
#include "routing/messages.hpp"
#include "support/captured.hpp"
#include "support/error_of.hpp"
#include "support/forwarding_backend.hpp"
#include "support/seeded.hpp"
#include "ways.hpp"

namespace halocline::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using Number = std::uint64_t;  // sums and products wrap around and are therefore exact

constexpr Vec3 extent{9, 8, 12};

/// A domain with a field whose cells hold seeded numbers.
class Cells {
 public:
  Cells(comm::RankGroup& comm, const DomainOptions& options,
        const Stencil& stencil = Stencil::per_side({2, 1, 3}, {1, 0, 2}))
      : domain(extent, stencil, comm, options) {
    u = domain.add_field<Number>("u", {.components = 2});
    domain.realize();
  }
  /// Visits the owned cells, or all cells.
  void fill(std::uint64_t seed, bool halos) {
    each([&](const Subdomain& s, const View<Number>& view, const Vec3& p, int c) {
      const bool filled = halos || s.owned().contains(p);
      view(p, c) = filled ? number(seed, s, p, c) : 0;
    });
  }
  /// The dot product of the field with seeded numbers, over owned or all cells and all ranks.
  [[nodiscard]] Number product(std::uint64_t seed, bool halos) {
    domain.synchronize();
    Number sum = 0;
    each([&](const Subdomain& s, const View<Number>& view, const Vec3& p, int c) {
      if (halos || s.owned().contains(p)) sum += view(p, c) * number(seed, s, p, c);
    });
    Number all = 0;
    for (const Number part : comm::gather_value(domain.plan().comm, sum)) all += part;
    return all;
  }
  /// <exchange x, y> and <x, accumulate y>.
  [[nodiscard]] std::pair<Number, Number> products(std::uint64_t seed) {
    fill(seed, false);
    domain.exchange();
    const Number forwards = product(seed + 1, true);
    fill(seed + 1, true);
    domain.accumulate();
    return {forwards, product(seed, false)};
  }

  Domain domain;
  Field<Number> u;

 private:
  static Number number(std::uint64_t seed, const Subdomain& s, const Vec3& p, int c) {
    const auto mix = [&](std::int64_t value) { seed = Seeded(seed * 31 + static_cast<std::uint64_t>(value)).next(); };
    for (const std::int64_t value : {s.id().value(), p.x, p.y, p.z, std::int64_t{c}}) mix(value);
    return seed;
  }
  template <typename F>
  void each(F&& f) {
    for (const Subdomain& s : domain.subdomains()) {
      const auto view = s.view(u);
      for_each_cell(view.with_halo(), [&](const Vec3& p) {
        for (int c = 0; c < 2; ++c) f(s, view, p, c);
      });
    }
  }
};

class Accumulate : public testing::TestWithParam<std::tuple<routing::Transport, bool>> {
 protected:
  [[nodiscard]] DomainOptions options() const {
    const auto [transport, graphs] = GetParam();
    return options_with(nullptr, transport, 30s, graphs);
  }
};

TEST_P(Accumulate, is_the_transpose_of_the_exchange) {
  for (const bool validate_ordering : {false, true}) {
    for (const Boundary boundary : {Boundary::periodic, Boundary::open, Boundary::periodic_in_kernel}) {
      const auto all = outcomes(2, [&](comm::RankGroup& comm) {
        DomainOptions with = options();
        with.debug.validate_ordering = validate_ordering;
        with.boundaries[1] = boundary;
        Cells cells(comm, with);
        cells.domain.on_open_boundary({});
        for (std::uint64_t seed = 0; seed < 6; seed += 2) {
          const auto [forwards, backwards] = cells.products(seed);
          EXPECT_EQ(forwards, backwards) << "seed " << seed << ", checked " << validate_ordering;
        }
        cells.domain.close();
      });
      for (const Outcome& outcome : all) EXPECT_EQ(outcome.text, "");
    }
  }
}

TEST_P(Accumulate, returns_the_halos_of_several_steps) {
  const auto all = outcomes(2, [&](comm::RankGroup& comm) {
    DomainOptions with = options();
    with.steps_per_exchange = 2;
    Cells cells(comm, with, Stencil::star(1));
    const auto [forwards, backwards] = cells.products(7);
    EXPECT_EQ(forwards, backwards);
    cells.domain.close();
  });
  for (const Outcome& outcome : all) EXPECT_EQ(outcome.text, "");
}

/// Expects that messages used the transport under test.
TEST_P(Accumulate, goes_by_the_same_transport) {
  const auto transport = std::get<0>(GetParam());
  const auto all = outcomes(2, [&](comm::RankGroup& comm) {
    Cells cells(comm, options());
    static_cast<void>(cells.products(1));
    const auto sum = [&](const exchange::Traffic& mine) {
      exchange::Traffic total{transport};
      for (const std::int64_t messages : comm::gather_value(comm, mine.messages)) total.messages += messages;
      for (const std::int64_t bytes : comm::gather_value(comm, mine.bytes)) total.bytes += bytes;
      return total;
    };
    const exchange::Traffic forwards = sum(internals(cells.domain).traffic(transport));
    const exchange::Traffic backwards = sum(internals(cells.domain).returned_traffic(transport));
    EXPECT_GT(backwards.messages, 0);
    EXPECT_EQ(backwards.messages, forwards.messages);
    if (routing::packs(transport)) {
      EXPECT_GT(backwards.bytes, forwards.bytes) << "halos of edges are returned, whose cells are sent with faces";
    } else {
      EXPECT_EQ(backwards.bytes, forwards.bytes);
    }
    cells.domain.close();
  });
  for (const Outcome& outcome : all) EXPECT_EQ(outcome.text, "");
}

INSTANTIATE_TEST_SUITE_P(all, Accumulate, all_ways, named);

TEST(AccumulateCaptured, is_replayed_with_exchanges_in_turn) {
  const auto all = outcomes(2, [](comm::RankGroup& comm) {
    Cells cells(comm, options_with(nullptr, routing::Transport::direct, 30s));
    const auto steps = [&] {
      cells.domain.exchange();
      cells.domain.accumulate();
    };
    const auto after = [&](const std::function<void()>& run) {
      cells.fill(3, true);
      run();
      return cells.product(4, true);
    };
    const Number eager = after([&] {
      steps();
      steps();
    });
    const Graph graph = test::captured(cells.domain, steps);
    for (int round = 0; round < 3; ++round) {
      EXPECT_EQ(after([&] {
                  graph.launch();
                  graph.launch();
                }),
                eager);
      EXPECT_EQ(after([&] {
                  steps();
                  graph.launch();
                }),
                eager);
    }
    cells.domain.close();
  });
  for (const Outcome& outcome : all) EXPECT_EQ(outcome.text, "");
}

TEST(AccumulateRefuses, what_it_cannot_do_and_changes_nothing) {
  const auto all = outcomes(2, [](comm::RankGroup& comm) {
    Cells cells(comm, options_with(nullptr, routing::Transport::direct, 30s));
    Domain& domain = cells.domain;
    EXPECT_THAT(
        error_of<InvalidArgument>([&] { static_cast<void>(test::captured(domain, [&] { domain.accumulate(); })); }),
        HasSubstr("accumulate() must be called once before capture()"));
    EXPECT_THAT(error_of<InvalidArgument>([&] { domain.accumulate({{.field = cells.u.id, .depth = 1}}); }),
                HasSubstr("depth of field 'u' is 1; allowed for accumulate() is 3 or more, the whole halo"));
    auto exchange = domain.start_exchange();
    EXPECT_THAT(error_of<InvalidArgument>([&] { domain.accumulate(); }),
                HasSubstr("accumulate() must not be called while an exchange is under way"));
    exchange.finish();
    domain.synchronize();  // products() writes cells that are being sent
    const auto [forwards, backwards] = cells.products(11);
    EXPECT_EQ(forwards, backwards);
    domain.close();
    EXPECT_NE(error_of<InvalidArgument>([&] { domain.accumulate(); }), "");
  });
  for (const Outcome& outcome : all) EXPECT_EQ(outcome.text, "");
}

/// Also if the failing rank keeps its domain.
TEST(AccumulateFails, on_all_ranks_where_one_fails) {
  Meeting out;
  const auto all = outcomes(3, [&](comm::RankGroup& comm) {
    const bool fails = comm.rank() == rank_id(1);
    std::shared_ptr<device::Injector> injector;
    if (fails) injector = std::make_shared<FailNth>(device::Operation::sum_list, 3);
    Cells cells(comm, options_with(injector, routing::Transport::direct, 20s));
    try {
      for (int step = 0; step < 50; ++step) {
        cells.domain.accumulate();
        cells.domain.exchange();
        cells.domain.synchronize();
      }
    } catch (const Error&) {
      out.arrive();
      if (fails) {
        EXPECT_TRUE(out.wait_for(3));
      }
      throw;
    }
  });
  for (const Outcome& outcome : all) {
    EXPECT_THAT(outcome.text, HasSubstr("planted"));
    EXPECT_LT(outcome.took, 10s);
  }
}

/// Whose lists of sums cannot be made from some time on.
class WithoutSums final : public ForwardingBackend {
 public:
  using ForwardingBackend::ForwardingBackend;
  bool fails = false;
  std::unique_ptr<device::SumList> prepare_sums(int device, std::span<const device::StridedSum> sums) override {
    if (fails) throw ResourceError("planted");
    return ForwardingBackend::prepare_sums(device, sums);
  }
};

TEST(AccumulateFails, on_all_ranks_where_one_cannot_prepare_another_selection) {
  Meeting out;
  const auto all = outcomes(2, [&](comm::RankGroup& comm) {
    const auto backend =
        std::make_shared<WithoutSums>(device::make_host_backend({.ranks_on_node = 2, .clock = &comm.clock()}), Said{});
    DomainOptions options;
    options.timeout = 20s;
    options.devices.existing.emplace(std::shared_ptr<device::Backend>(backend));
    Domain domain(extent, Stencil::box(1), comm, options);
    const auto u = domain.add_field<Number>("u");
    const auto v = domain.add_field<Number>("v");
    domain.realize();
    domain.accumulate({{u.id}});
    domain.synchronize();
    backend->fails = comm.rank() == rank_id(1);
    const std::string error = error_of<Error>([&] {
      domain.accumulate({{v.id}});
      domain.synchronize();
    });
    out.arrive();
    EXPECT_TRUE(out.wait_for(2));
    EXPECT_THAT(error, HasSubstr("planted"));
    EXPECT_NE(error_of<Error>([&] { domain.exchange(); }), "(no error)");
    domain.close();
  });
  for (const Outcome& outcome : all) EXPECT_LT(outcome.took, 10s);
}

/// A failed allocation on one rank is an error on all ranks.
TEST(AccumulateFails, on_all_ranks_where_one_has_no_memory) {
  const auto all = outcomes(2, [](comm::RankGroup& comm) {
    auto counted = std::make_shared<FailNth>(device::Operation::allocate, 1000000);
    Cells cells(comm, options_with(counted, routing::Transport::direct, 20s));
    if (comm.rank() == rank_id(1)) counted->fail_next();
    cells.domain.accumulate();
  });
  for (const Outcome& outcome : all) {
    EXPECT_THAT(outcome.text, HasSubstr("planted"));
    EXPECT_LT(outcome.took, 15s);
  }
}

}  // namespace
}  // namespace halocline::test
