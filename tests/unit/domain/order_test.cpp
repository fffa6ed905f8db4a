// SPDX-License-Identifier: BSD-3-Clause
// validate_ordering finds work that is not ordered with exchanges: one planted race of each kind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <latch>
#include <mutex>
#include <thread>

#include "comm/local_ranks.hpp"
#include "device/host.hpp"
#include "domain/internals.hpp"
#include "halocline/halocline.hpp"
#include "halocline/session.hpp"
#include "support/captured.hpp"

namespace halocline {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;

class Order : public testing::Test {
 protected:
  static constexpr Vec3 extent{12, 10, 8};
  using Race = std::function<void(Domain&, Field<double>)>;

  static DomainOptions options_for(routing::Transport transport) {
    DomainOptions options;
    options.routing.policy.order = {transport, routing::Transport::self, routing::Transport::mpi_staged};
    options.partition.method = partition::Method::given;
    options.partition.node_grid = Vec3{1, 1, 1};
    options.partition.device_grid = Vec3{1, 1, 2};
    options.debug.validate_ordering = true;
    return options;
  }
  static void write(Domain& domain, Field<double> u, int step) {
    for (const Subdomain& s : domain.subdomains()) {
      s.launch(s.owned(), [step, view = s.view(u)](const Box& part) {
        for_each_cell(part,
                      [&](const Vec3& p) { view(p) = static_cast<double>(p.x + 100 * p.y + 10000 * p.z + step); });
      });
    }
  }
  /// Three exchanges of two slabs, with the race in the last one. Returns its error, or "".
  static std::string found_with(Domain& domain, const Race& race) {
    const auto u = domain.add_field<double>("u");
    domain.realize();
    for (int step = 0; step < 2; ++step) {
      write(domain, u, step);
      domain.exchange();
    }
    try {
      write(domain, u, 2);
      auto exchange = domain.start_exchange();
      race(domain, u);
      exchange.finish();
    } catch (const ProtocolError& error) {
      return error.what();
    }
    domain.close();
    return "";
  }
  static std::string found_with(routing::Transport transport, const Race& race) {
    DomainOptions options = options_for(transport);
    options.devices.per_rank = 2;
    Domain domain(extent, Stencil::box(1), options);
    return found_with(domain, race);
  }
};

class OrderBy : public Order, public testing::WithParamInterface<routing::Transport> {};

#ifdef __SANITIZE_THREAD__
constexpr bool races_are_reported = true;
#else
constexpr bool races_are_reported = false;
#endif

/// Runs a body in a stream that is not ordered with the domain's streams.
template <typename Body>
void run_unordered(Domain& domain, const Subdomain& subdomain, Body&& body) {
  const auto stream = internals(domain).backend().create_stream(subdomain.device());
  stream->launch(Box{{0, 0, 0}, {1, 1, 1}}, [&](const Box&) { body(); });
  stream->synchronize();
}

TEST_P(OrderBy, nothing_is_found_where_there_is_nothing) {
  EXPECT_EQ(found_with(GetParam(), [](Domain&, Field<double>) {}), "");
}

TEST_P(OrderBy, halos_in_a_wire_format_are_what_was_sent) {
  DomainOptions options = options_for(GetParam());
  options.devices.per_rank = 2;
  Domain domain(extent, Stencil::box(1), options);
  const auto u = domain.add_field<double>("u", {.wire = Element::bf16});
  domain.realize();
  for (int step = 0; step < 3; ++step) {
    for (const Subdomain& s : domain.subdomains()) {
      for_each_cell(s.owned(), [&, view = s.view(u)](const Vec3& p) {
        view(p) = p.x == 0 && p.y == step ? NAN : std::cos(static_cast<double>(p.x + 100 * p.y + 10000 * p.z + step));
      });
    }
    domain.exchange();
  }
  domain.close();
}

TEST_P(OrderBy, a_cell_that_is_written_while_it_is_sent_is_named) {
  if (races_are_reported) GTEST_SKIP() << "plants a race, which this build reports as such";
  const std::string found = found_with(GetParam(), [](Domain& domain, Field<double> u) {
    const Subdomain& s = domain.subdomains()[0];
    s.stream().synchronize();  // the start of the exchange has completed
    run_unordered(domain, s, [view = s.view(u)] { view(Vec3{1, 2, 3}) = -1; });
  });
  EXPECT_THAT(found, AllOf(HasSubstr("cell (1, 2, 3) of field 'u' was written while exchange 3 sent it"),
                           HasSubstr("before start_exchange() or after finish()")));
}

TEST_P(OrderBy, a_halo_that_is_read_before_it_arrived_is_no_number) {
  std::mutex mutex;
  std::latch has_looked(1);
  std::vector<double> seen;
  comm::run_as_threads(2, [&](comm::RankGroup& comm) {
    DomainOptions options = options_for(GetParam());
    device::HostOptions host;
    host.ranks_on_node = 2;
    options.devices.existing.emplace(device::make_host_backend(host));
    Domain domain(extent, Stencil::box(1), comm, options);
    const auto u = domain.add_field<double>("u");
    domain.realize();
    write(domain, u, 0);
    domain.exchange();
    write(domain, u, 1);
    if (comm.rank() == rank_id(1)) has_looked.wait();
    auto exchange = domain.start_exchange();
    if (comm.rank() == rank_id(0)) {
      const Subdomain& s = domain.subdomains()[0];
      s.stream().synchronize();
      const auto view = s.view(u);
      run_unordered(domain, s, [&] { seen = {view(Vec3{5, 5, -1}), view(Vec3{5, 5, 4})}; });
      has_looked.count_down();
    }
    exchange.finish();
    domain.close();
  });
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_TRUE(std::isnan(seen[0])) << seen[0];
  EXPECT_TRUE(std::isnan(seen[1])) << seen[1];
}

TEST_F(Order, a_halo_that_is_written_when_it_has_arrived_is_named) {
  if (races_are_reported) GTEST_SKIP() << "plants a race, which this build reports as such";
  std::string found;
  // The race is found only if the halo has arrived by then.
  for (int attempt = 0; attempt < 20 && found.empty(); ++attempt) {
    found = found_with(routing::Transport::direct, [&](Domain& domain, Field<double> u) {
      std::this_thread::sleep_for(20ms * (attempt + 1));
      const Subdomain& s = domain.subdomains()[1];
      run_unordered(domain, s, [view = s.view(u)] { view(Vec3{0, 0, 8}) = -1; });
    });
  }
  EXPECT_THAT(found, AllOf(HasSubstr("subdomain 0 -> 1"), HasSubstr("the halo of field 'u' on side"),
                           HasSubstr("is not what exchange 3 sent")));
}

TEST_F(Order, checked_exchanges_are_not_captured) {
  DomainOptions options = options_for(routing::Transport::direct);
  options.devices.per_rank = 2;
  Domain domain(extent, Stencil::box(1), options);
  static_cast<void>(domain.add_field<double>("u"));
  domain.realize();
  EXPECT_THROW((void)test::captured(domain, [&] { domain.exchange(); }), CapabilityError);
  domain.close();
}

TEST_F(Order, all_ranks_check_or_none) {
  std::mutex mutex;
  std::vector<std::string> errors;
  comm::run_as_threads(2, [&](comm::RankGroup& comm) {
    DomainOptions options = options_for(routing::Transport::mpi_staged);
    options.debug.validate_ordering = comm.rank() == rank_id(0);
    Domain domain(extent, Stencil::box(1), comm, options);
    static_cast<void>(domain.add_field<double>("u"));
    try {
      domain.realize();
    } catch (const InvalidArgument& error) {
      const std::lock_guard lock(mutex);
      errors.emplace_back(error.what());
    }
  });
  ASSERT_EQ(errors.size(), 2u);
  EXPECT_EQ(errors[0], errors[1]);
  EXPECT_THAT(errors[0], HasSubstr("validate_ordering: rank 0 has true, rank 1 has false"));
}

INSTANTIATE_TEST_SUITE_P(routes, OrderBy,
                         testing::Values(routing::Transport::direct, routing::Transport::peer_copy,
                                         routing::Transport::ipc_copy, routing::Transport::mpi_staged),
                         [](const auto& param) { return std::string(routing::to_string(param.param)); });

}  // namespace
}  // namespace halocline
