// SPDX-License-Identifier: BSD-3-Clause
// Speeds of devices in a domain, and rebalance(): what it refuses, and failures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <mutex>

#include "comm/local_ranks.hpp"
#include "device/host.hpp"
#include "domain/internals.hpp"
#include "halocline/halocline.hpp"
#include "support/captured.hpp"
#include "support/error_of.hpp"
#include "support/fail_operation.hpp"
#include "support/manual_clock.hpp"

namespace halocline {
namespace {

using test::error_of;
using testing::HasSubstr;

DomainOptions of_two_devices() {
  DomainOptions options;
  options.devices = {.kind = DeviceKind::host, .per_rank = 2};
  return options;
}

TEST(Rebalance, by_the_measured_speeds_of_a_kernel_gives_each_device_its_share) {
  // Ranks of 2 devices; the kernel is 3 times as slow on device 1 of rank 1, by the devices' clock.
  comm::run_as_threads(2, [](comm::RankGroup& comm) {
    test::ManualClock clock;
    device::HostOptions host;
    host.devices = 2;
    host.clock = &clock;
    DomainOptions options;
    options.devices.existing = Devices(device::make_host_backend(host));
    Domain domain({32, 32, 60}, Stencil::box(1), comm, options);
    const auto u = domain.add_field<double>("u");
    domain.realize();
    const auto kernel = [&](const Subdomain& subdomain) {
      const bool slow = comm.rank() == rank_id(1) && subdomain.device() == 1;
      const auto time = std::chrono::nanoseconds(subdomain.owned().volume() * (slow ? 30 : 10));
      subdomain.stream().launch(Box::of_extent({1, 1, 1}), [&clock, time](const Box&) { clock.advance(time); });
    };
    const std::vector<double> speeds = domain.measure(kernel);
    ASSERT_EQ(speeds.size(), 2u);
    EXPECT_NEAR(speeds[0], 1e8, 1e5);
    EXPECT_NEAR(speeds[1], comm.rank() == rank_id(1) ? 1e8 / 3 : 1e8, 1e5);
    domain.rebalance(speeds);
    // 60 planes over speeds 3 3 3 1: 18 18 18 6.
    const Plan& plan = internals(domain).plan();
    EXPECT_EQ(plan.geometry.partition.grid(), (Vec3{1, 1, 4}));
    for (const Subdomain& subdomain : domain.subdomains()) {
      const bool slow = comm.rank() == rank_id(1) && subdomain.device() == 1;
      EXPECT_EQ(subdomain.owned().extent(), (Vec3{32, 32, slow ? 6 : 18}));
      EXPECT_EQ(subdomain.view(u).owned(), subdomain.owned());
      EXPECT_EQ(subdomain.interior(),
                (Box{subdomain.owned().lo + Vec3::filled(1), subdomain.owned().hi - Vec3::filled(1)}));
    }
    EXPECT_THAT(domain.explain(),
                HasSubstr("balance    speeds given to rebalance(); predicted time of the slowest device over an ideal "
                          "split's: 1.000, 2.500 with equal cells\n"));
    EXPECT_THAT(domain.explain(), HasSubstr("speed 0.333 of the fastest, 6144 cells (10.0 %)"));
    domain.exchange();
    domain.synchronize();
    domain.close();
  });
}

TEST(Rebalance, in_plan_states_what_was_measured) {
  DomainOptions options = of_two_devices();
  options.partition.measure_weights = true;
  Domain domain({16, 16, 64}, Stencil::box(1), options);
  domain.add_field<double>("u");
  domain.realize();
  EXPECT_THAT(domain.explain(), HasSubstr("balance    speeds measured in "));
  domain.rebalance();
  EXPECT_THAT(domain.explain(), HasSubstr("balance    speeds measured in "));
  domain.close();
  options.partition.weights = {1, 2};
  Domain other({16, 16, 64}, Stencil::box(1), options);
  other.add_field<double>("u");
  EXPECT_THAT(error_of<InvalidArgument>([&] { other.plan(); }),
              HasSubstr("option partition.measure_weights is true; allowed beside partition.weights is false"));
}

TEST(Rebalance, is_refused_where_it_cannot_be_and_changes_nothing) {
  DomainOptions options = of_two_devices();
  options.routing.policy.order = {routing::Transport::direct, routing::Transport::self};
  Domain domain({16, 16, 64}, Stencil::box(1), options);
  domain.add_field<double>("u");
  const std::array<double, 2> speeds{1, 3};
  const auto refused = [&] { return error_of<InvalidArgument>([&] { domain.rebalance(speeds); }); };
  EXPECT_THAT(refused(), HasSubstr("rebalance() before realize()"));
  domain.realize();
  const Box before = domain.subdomains()[0].owned();
  auto exchange = domain.start_exchange();
  EXPECT_THAT(refused(), HasSubstr("rebalance() must not be called while an exchange is under way"));
  exchange.finish();
  {
    const Graph graph = test::captured(domain, [&] { domain.exchange(); });
    EXPECT_THAT(refused(), HasSubstr("rebalance() of a domain of which 1 graphs exist; allowed is one without graphs"));
  }
  {
    const Capture capture = domain.capture();
    EXPECT_THAT(refused(), HasSubstr("rebalance() of a domain that captures steps; allowed is one whose capture is"));
  }
  const auto of_speeds = [&](std::vector<double> given) {
    return error_of<InvalidArgument>([&] { domain.rebalance(given); });
  };
  EXPECT_THAT(of_speeds({1}), HasSubstr("number of speeds is 1; allowed is one for each of this rank's 2 devices"));
  EXPECT_THAT(of_speeds({1, -2}), HasSubstr("speed of device 1 is -2; allowed are finite numbers above 0"));
  EXPECT_EQ(domain.subdomains()[0].owned(), before);

  const HostArray<double> copy(domain.subdomains()[0], Field<double>{field_id(0)});
  Checkpoints checkpoints(domain, testing::TempDir() + "halocline_rebalance");
  domain.rebalance(speeds);
  EXPECT_NE(domain.subdomains()[0].owned(), before);
  EXPECT_THAT(error_of<InvalidArgument>([&] { copy.download(domain.subdomains()[0], Field<double>{field_id(0)}); }),
              HasSubstr("allowed for this host copy"));
  EXPECT_THAT(error_of<InvalidArgument>([&] { checkpoints.write(); }),
              HasSubstr("Checkpoints::start() after rebalance(); allowed is one that is made after it"));
  EXPECT_EQ(error_of<InvalidArgument>([&] { static_cast<void>(checkpoints.restore()); }),
            "rank 0: Checkpoints::restore() after rebalance(); allowed is one that is made after it");
  domain.exchange();
  domain.close();
}

TEST(Rebalance, of_own_arrays_boxes_or_cuts_is_refused_by_name) {
  const std::array<double, 1> speeds{1};
  Domain own({8, 8, 8}, Stencil::box(1));
  const auto u = own.add_field<double>("u");
  own.plan();
  std::vector<double> cells(1000);
  own.use_array(u, own.subdomains()[0].id(), 0, cells.data() + 111, {8, 80, 800});
  own.realize();
  EXPECT_THAT(error_of<InvalidArgument>([&] { own.rebalance(speeds); }),
              HasSubstr("rebalance() of a domain in which field 'u' of subdomain 0 is the user's own array"));
  own.close();

  Domain boxes(OwnedBoxes{{Box::of_extent({8, 8, 8})}}, Stencil::box(1));
  boxes.add_field<double>("u");
  boxes.realize();
  EXPECT_THAT(error_of<InvalidArgument>([&] { boxes.rebalance(speeds); }),
              HasSubstr("rebalance() of a domain of OwnedBoxes"));
  boxes.close();

  DomainOptions options;
  options.partition.cuts = {std::vector<std::int64_t>{0, 8}, {0, 8}, {0, 8}};
  Domain cut({8, 8, 8}, Stencil::box(1), options);
  cut.add_field<double>("u");
  cut.realize();
  EXPECT_THAT(error_of<InvalidArgument>([&] { cut.rebalance(speeds); }),
              HasSubstr("rebalance() of a domain with given cuts"));
  cut.close();
}

/// The errors of all ranks of a rebalance that goes wrong on rank 1.
std::vector<std::string> errors_of(bool allocation) {
  std::vector<std::string> errors(3);
  comm::run_as_threads(3, [&](comm::RankGroup& comm) {
    const auto injector = std::make_shared<test::FailOperation>(device::Operation::allocate);
    device::HostOptions host;
    host.injector = injector;
    DomainOptions options;
    options.devices.existing = Devices(device::make_host_backend(host));
    options.timeout = std::chrono::seconds(20);
    Domain domain({12, 12, 60}, Stencil::box(1), comm, options);
    domain.add_field<float>("u", {.buffers = 2});
    domain.realize();
    const bool here = comm.rank() == rank_id(1);
    injector->fail = allocation && here;
    const std::vector<double> speeds(here && !allocation ? 2 : 1, 1.0 + static_cast<double>(comm.rank().value()));
    std::string& error = errors[comm.rank().index()];
    error = error_of<Error>([&] { domain.rebalance(speeds); });
    if (allocation) {
      EXPECT_EQ(error_of<Error>([&] { domain.exchange(); }), error);
    } else {
      domain.exchange();
    }
    domain.close();
  });
  return errors;
}

/// The ranks agree on it although the failure is their exchanges', too.
TEST(Rebalance, fails_on_all_ranks_at_once_where_a_copy_fails_on_one) {
  std::vector<std::string> errors(2);
  comm::run_as_threads(2, [&](comm::RankGroup& comm) {
    const auto injector = std::make_shared<test::FailOperation>(device::Operation::copy);
    DomainOptions options;
    options.devices.existing = Devices(device::make_host_backend({.injector = injector}));
    options.timeout = std::chrono::seconds(20);
    Domain domain({12, 12, 60}, Stencil::box(1), comm, options);
    domain.add_field<float>("u");
    domain.realize();
    injector->fail = comm.rank() == rank_id(1);
    const std::vector<double> speeds{1.0 + static_cast<double>(comm.rank().value())};
    errors[comm.rank().index()] = error_of<Error>([&] { domain.rebalance(speeds); });
    domain.close();
  });
  EXPECT_THAT(errors, testing::Each(HasSubstr("rank 1: planted")));
}

TEST(Rebalance, with_speeds_on_some_ranks_only_is_refused_on_all) {
  std::vector<std::string> errors(3);
  comm::run_as_threads(3, [&](comm::RankGroup& comm) {
    DomainOptions options;
    options.devices.kind = DeviceKind::host;
    options.timeout = std::chrono::seconds(5);
    Domain domain({12, 12, 60}, Stencil::box(1), comm, options);
    domain.add_field<float>("u");
    domain.realize();
    const std::vector<double> speeds(comm.rank() == rank_id(1) ? 0 : 1, 1.0);
    errors[comm.rank().index()] = error_of<InvalidArgument>([&] { domain.rebalance(speeds); });
    domain.exchange();
    domain.close();
  });
  EXPECT_THAT(errors, testing::Each(HasSubstr("rebalance() without speeds on rank 1, with speeds on others")));
}

TEST(Rebalance, that_fails_on_one_rank_fails_on_all) {
  EXPECT_THAT(errors_of(false), testing::Each(HasSubstr("rank 1: number of speeds is 2; allowed is one for each")));
  EXPECT_THAT(errors_of(true), testing::Each(HasSubstr("rank 1: ")));
  EXPECT_THAT(errors_of(true), testing::Each(HasSubstr("planted")));
}

}  // namespace
}  // namespace halocline
