// SPDX-License-Identifier: BSD-3-Clause
// Reductions that fail, that not all ranks make, or that are refused.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reduced.hpp"
#include "support/error_of.hpp"
#include "ways.hpp"

namespace halocline::test {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;

class ReductionFailure : public Reduction {};

/// Rank 1 stops before the fourth reduction, and stays alive until the others have failed.
TEST_P(ReductionFailure, that_a_rank_does_not_begin_is_an_error_that_names_pair_transport_and_step) {
  const std::string transport(routing::to_string(std::get<0>(GetParam())));
  Meeting given_up;
  const auto all = outcomes(3, [&](comm::RankGroup& comm) {
    Reduced reduced(comm, options(1s));
    for (std::uint64_t step = 0; step < 3; ++step) {
      reduced.fill(step);
      reduced.domain.reduce(reduced.all());
    }
    reduced.domain.synchronize();
    if (comm.rank() == rank_id(1)) {
      EXPECT_TRUE(given_up.wait_for(2));
      return;
    }
    std::exception_ptr error;
    try {
      reduced.domain.reduce(reduced.sum);
      static_cast<void>(reduced.domain.value(reduced.sum));
    } catch (...) {
      error = std::current_exception();
    }
    given_up.arrive();
    ASSERT_TRUE(error);
    EXPECT_THROW(reduced.domain.reduce(reduced.sum), Error);
    EXPECT_THROW(reduced.domain.exchange(), Error);
    std::rethrow_exception(error);
  });
  EXPECT_EQ(all[1].text, "");
  for (const int rank : {0, 2}) {
    const Outcome& outcome = all[static_cast<std::size_t>(rank)];
    EXPECT_LT(outcome.took, 8s);
    EXPECT_THAT(outcome.text, AllOf(HasSubstr(transport), HasSubstr("subdomain "), HasSubstr("rank 1"),
                                    testing::AnyOf(HasSubstr("epoch 4"), HasSubstr("exchange 4"))));
  }
}

/// The operations of rank 1 fail, or it throws an exception of its own, while the others wait in a reduction.
TEST_P(ReductionFailure, ends_on_all_ranks_where_one_fails) {
  for (const bool leaves : {false, true}) {
    Meeting out;
    const auto all = outcomes(3, [&](comm::RankGroup& comm) {
      const bool fails = comm.rank() == rank_id(1);
      const auto injector = std::make_shared<FailNth>(device::Operation::reduction_list, fails && !leaves ? 5 : -1);
      Reduced reduced(comm, options(20s, injector));
      try {
        for (int step = 0; step < 50; ++step) {
          reduced.domain.exchange();
          if (leaves && fails && step == 3) throw InternalError("planted");
          reduced.domain.reduce(reduced.all());
          reduced.domain.synchronize();
        }
      } catch (const InternalError&) {
        reduced.domain.synchronize();
        throw;
      } catch (const Error&) {
        out.arrive();
        if (fails) {
          EXPECT_TRUE(out.wait_for(3));
        }
        throw;
      }
    });
    for (const Outcome& outcome : all) {
      EXPECT_THAT(outcome.text, testing::AnyOf(HasSubstr("planted"), HasSubstr("left without close()")));
      EXPECT_LT(outcome.took, 10s);
    }
  }
}

TEST_P(ReductionFailure, of_another_kind_on_one_rank_is_an_error_that_names_both) {
  const auto all = outcomes(2, [&](comm::RankGroup& comm) {
    Reduced reduced(comm, options(5s));
    reduced.domain.reduce(comm.rank() == rank_id(0) ? reduced.sum : reduced.most_abs);
    reduced.domain.synchronize();
  });
  EXPECT_THAT(all[0].text + all[1].text, AllOf(HasSubstr("sum of 'u'"), HasSubstr("max_abs of 'v'")));
}

/// Selections of reductions have numbers that selections of fields have, too.
TEST_P(ReductionFailure, is_not_named_where_ranks_disagree_about_an_exchange) {
  const auto all = outcomes(2, [&](comm::RankGroup& comm) {
    Reduced reduced(comm, options(5s));
    reduced.domain.reduce(reduced.sum);
    reduced.domain.reduce(reduced.squares);
    reduced.domain.exchange({{comm.rank() == rank_id(0) ? reduced.u.id : reduced.v.id}});
    reduced.domain.synchronize();
  });
  const std::string both = all[0].text + all[1].text;
  // By MPI the messages already have other sizes.
  EXPECT_THAT(both, testing::AnyOf(AllOf(HasSubstr("'u'"), HasSubstr("'v'")), HasSubstr("bytes; expected were")));
  EXPECT_THAT(both, testing::Not(HasSubstr("of 'u'")));
}

INSTANTIATE_TEST_SUITE_P(all, ReductionFailure, all_ways, named);

/// A failed allocation on one rank is an error on all ranks, and the domain can be closed.
TEST(ReductionFails, on_all_ranks_where_one_cannot_be_set_up) {
  for (int nth = 1; nth < 40; nth += 3) {
    const auto all = outcomes(2, [&](comm::RankGroup& comm) {
      auto fails = std::make_shared<FailNth>(device::Operation::allocate, comm.rank() == rank_id(1) ? nth : -1);
      Reduced reduced(comm, options_with(fails, routing::Transport::direct, 20s));
      reduced.domain.close();
    });
    if (all[0].text.empty()) {
      EXPECT_GT(nth, 10);
      return;
    }
    EXPECT_EQ(all[0].text, all[1].text);
    EXPECT_THAT(all[0].text, HasSubstr("planted"));
    EXPECT_LT(all[0].took, 10s);
  }
}

TEST(ReductionRefuses, what_it_cannot_do_and_changes_nothing) {
  expect_all_reduce(outcomes(2, [](comm::RankGroup& comm) {
    Domain without({8, 8, 8}, Stencil::box(1), comm, options_with(nullptr, routing::Transport::direct, 30s));
    EXPECT_THAT(error_of<InvalidArgument>([&] { return without.add_reduction(field_id(0), Reduce::sum); }),
                HasSubstr("add_reduction() of a domain without fields"));
    const field_id numbers = without.add_field<int>("numbers");
    EXPECT_THAT(error_of<InvalidArgument>([&] { return without.add_reduction(numbers, Reduce::sum); }),
                HasSubstr("field 'numbers' is of i32; allowed for a reduction are f32 and f64"));
    EXPECT_THAT(error_of<InvalidArgument>([&] { return without.add_reduction(field_id(1), Reduce::sum); }),
                HasSubstr("field is 1; allowed are 0 to 0"));
    EXPECT_THAT(error_of<InvalidArgument>([&] { without.reduce(reduction_id(0)); }), HasSubstr("realize()"));
    without.realize();
    EXPECT_THAT(error_of<InvalidArgument>([&] { without.reduce(reduction_id(0)); }),
                HasSubstr("reduction is 0, of a domain without any; add_reduction() makes them"));
    without.close();

    Reduced reduced(comm, options_with(nullptr, routing::Transport::direct, 30s));
    Domain& domain = reduced.domain;
    EXPECT_NE(error_of<InvalidArgument>([&] { return domain.add_reduction(reduced.u, Reduce::max); }), "(no error)");
    for (const std::int64_t number : {-1, 4}) {
      EXPECT_THAT(error_of<InvalidArgument>([&] {
                    domain.reduce({reduced.sum, reduction_id(number)});
                  }),
                  HasSubstr(fmt::format("reduction is {}; allowed are 0 to 3", number)));
      EXPECT_NE(error_of<InvalidArgument>([&] { return domain.value(reduction_id(number)); }), "(no error)");
      EXPECT_NE(error_of<InvalidArgument>([&] { return domain.subdomains()[0].result(reduction_id(number)); }),
                "(no error)");
    }
    EXPECT_THAT(error_of<InvalidArgument>([&] { return domain.value(reduced.sum); }),
                HasSubstr("value() must be called after reduce()"));
    auto exchange = domain.start_exchange();
    EXPECT_THAT(error_of<InvalidArgument>([&] { domain.reduce(reduced.sum); }),
                HasSubstr("reduce() must not be called while an exchange is under way"));
    exchange.finish();
    reduced.fill(7);
    domain.reduce(reduced.all());
    {
      const Capture capture = domain.capture();
      EXPECT_THAT(error_of<InvalidArgument>([&] { return domain.value(reduced.sum); }),
                  HasSubstr("value() while steps are being captured"));
    }
    domain.reduce(std::vector<reduction_id>{});
    reduced.expect_near_to_a_loop(7);
    domain.close();
    EXPECT_NE(error_of<InvalidArgument>([&] { domain.reduce(reduced.sum); }), "(no error)");
    EXPECT_NE(error_of<InvalidArgument>([&] { return domain.value(reduced.sum); }), "(no error)");
  }));
}

TEST(ReductionRefuses, what_differs_between_ranks) {
  const auto all = outcomes(2, [](comm::RankGroup& comm) {
    Domain domain({8, 8, 8}, Stencil::box(1), comm, options_with(nullptr, routing::Transport::direct, 30s));
    const field_id u = domain.add_field<double>("u");
    domain.add_reduction(u, comm.rank() == rank_id(0) ? Reduce::sum : Reduce::max);
    domain.realize();
  });
  for (const Outcome& outcome : all) {
    EXPECT_EQ(outcome.kind, ErrorKind::invalid_argument);
    EXPECT_THAT(outcome.text, HasSubstr("reductions: rank 0 has sum of 'u', rank 1 has max of 'u'"));
  }
}

}  // namespace
}  // namespace halocline::test
