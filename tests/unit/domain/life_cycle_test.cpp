// SPDX-License-Identifier: BSD-3-Clause
// The life cycle of a domain: which calls each state allows, and the errors of calls that it does not allow.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <thread>

#include "device/backend.hpp"
#include "device/host.hpp"
#include "domain/internals.hpp"
#include "halocline/halocline.hpp"
#include "support/captured.hpp"
#include "support/error_of.hpp"
#include "support/fail_operation.hpp"

namespace halocline {
namespace {

using namespace std::chrono_literals;
using test::error_of;
using testing::AllOf;
using testing::HasSubstr;

Graph recorded(Domain& domain) {
  return test::captured(domain, [&] { domain.exchange(); });
}

/// Two devices, whose exchanges can be captured.
DomainOptions by_direct_alone() {
  DomainOptions options;
  options.devices.per_rank = 2;
  options.routing.policy.order = {routing::Transport::direct, routing::Transport::self};
  return options;
}

TEST(LifeCycle, before_realize_each_call_names_itself) {
  Domain domain({8, 8, 8}, Stencil::box(1));
  const auto u = domain.add_field<float>("u", {.buffers = 2});
  EXPECT_THAT(error_of<InvalidArgument>([&] { (void)internals(domain).geometry(); }),
              HasSubstr("geometry() before plan()"));
  EXPECT_THAT(error_of<InvalidArgument>([&] { (void)internals(domain).comm(); }), HasSubstr("comm() before plan()"));
  EXPECT_THAT(error_of<InvalidArgument>([&] { (void)internals(domain).backend(); }),
              HasSubstr("backend() before plan()"));
  EXPECT_THAT(error_of<InvalidArgument>([&] { (void)domain.subdomains(); }), HasSubstr("subdomains() before plan()"));
  for (const bool planned : {false, true}) {
    if (planned) domain.plan();
    EXPECT_THAT(error_of<InvalidArgument>([&] { (void)internals(domain).routes(); }),
                HasSubstr("routes() before realize()"));
    EXPECT_THAT(error_of<InvalidArgument>([&] { domain.swap(u); }), HasSubstr("swap() before realize()"));
    EXPECT_THAT(error_of<InvalidArgument>([&] { (void)recorded(domain); }), HasSubstr("capture() before realize()"));
    EXPECT_THAT(error_of<InvalidArgument>([&] { domain.synchronize(); }), HasSubstr("synchronize() before realize()"));
  }
  // The boxes are known; memory and streams do not exist yet.
  ASSERT_EQ(domain.subdomains().size(), 1u);
  const Subdomain& subdomain = domain.subdomains()[0];
  EXPECT_EQ(subdomain.owned(), Box::of_extent({8, 8, 8}));
  EXPECT_EQ(domain.plan().devices.count(), 1);
  EXPECT_THAT(error_of<InvalidArgument>([&] { (void)subdomain.read(u); }), HasSubstr("before realize()"));
  EXPECT_THAT(error_of<InvalidArgument>([&] { (void)subdomain.stream(); }), HasSubstr("stream() before realize()"));
  domain.realize();
  EXPECT_EQ(&domain.subdomains()[0], &subdomain);
  domain.close();
}

TEST(LifeCycle, after_close_each_call_names_itself) {
  for (const int reached : {0, 1, 2}) {  // made, planned, realized
    Domain domain({8, 8, 8}, Stencil::box(1));
    domain.add_field<float>("u");
    if (reached == 1) domain.plan();
    if (reached == 2) domain.realize();
    domain.close();
    domain.close();
    EXPECT_THAT(error_of<InvalidArgument>([&] { domain.plan(); }),
                HasSubstr("plan() after close(); allowed is before"));
    EXPECT_THAT(error_of<InvalidArgument>([&] { domain.realize(); }), HasSubstr("realize() after close()"));
    EXPECT_THAT(error_of<InvalidArgument>([&] { domain.add_field<float>("v"); }), HasSubstr("add_field after close()"));
    EXPECT_THAT(error_of<InvalidArgument>([&] { (void)domain.subdomains(); }), HasSubstr("subdomains() after close()"));
    EXPECT_THAT(error_of<InvalidArgument>([&] { domain.exchange(); }), HasSubstr("exchange() after close()"));
  }
}

TEST(LifeCycle, after_a_failed_set_up_all_calls_but_close_throw_its_error) {
  auto injector = std::make_shared<test::FailOperation>(device::Operation::allocate);
  device::HostOptions host;
  host.injector = injector;
  DomainOptions options;
  options.devices.existing.emplace(device::make_host_backend(host));
  Domain domain({8, 8, 8}, Stencil::box(1), options);
  const auto u = domain.add_field<float>("u", {.buffers = 2});
  domain.plan();
  injector->fail = true;
  const std::string first = error_of<ResourceError>([&] { domain.realize(); });
  EXPECT_THAT(first, HasSubstr("planted"));
  injector->fail = false;
  EXPECT_EQ(error_of<ResourceError>([&] { domain.realize(); }), first);
  EXPECT_EQ(error_of<ResourceError>([&] { domain.plan(); }), first);
  EXPECT_EQ(error_of<ResourceError>([&] { domain.add_field<float>("v"); }), first);
  EXPECT_EQ(error_of<ResourceError>([&] { (void)domain.subdomains(); }), first);
  EXPECT_EQ(error_of<ResourceError>([&] { (void)internals(domain).geometry(); }), first);
  EXPECT_EQ(error_of<ResourceError>([&] { domain.swap(u); }), first);
  EXPECT_EQ(error_of<ResourceError>([&] { domain.exchange(); }), first);
  domain.close();
  EXPECT_THAT(error_of<InvalidArgument>([&] { domain.realize(); }), HasSubstr("realize() after close()"));
}

TEST(LifeCycle, after_a_failed_plan_too) {
  Domain domain({8, 8, 8}, Stencil::box(1));
  const std::string first = error_of<InvalidArgument>([&] { domain.plan(); });
  EXPECT_THAT(first, HasSubstr("no fields"));
  EXPECT_EQ(error_of<InvalidArgument>([&] { domain.add_field<float>("u"); }), first);
  EXPECT_EQ(error_of<InvalidArgument>([&] { domain.realize(); }), first);
}

TEST(LifeCycle, a_failed_step_is_the_error_of_all_later_calls) {
  DomainOptions options;
  options.devices.per_rank = 2;
  Domain domain({8, 8, 16}, Stencil::box(1), options);
  const auto u = domain.add_field<float>("u", {.buffers = 2});
  domain.realize();
  const Subdomain subdomain = domain.subdomains()[0];
  subdomain.stream().host_function([] { throw std::runtime_error("planted"); });
  const std::string first = error_of<DeviceError>([&] { domain.synchronize(); });
  EXPECT_THAT(first, HasSubstr("planted"));
  EXPECT_EQ(error_of<DeviceError>([&] { (void)subdomain.update_box(0); }), first);
  EXPECT_EQ(error_of<DeviceError>([&] { (void)subdomain.wraps(0); }), first);
  EXPECT_EQ(error_of<DeviceError>([&] { (void)subdomain.descriptor(u.id); }), first);
  EXPECT_EQ(error_of<DeviceError>([&] { (void)subdomain.device_info(); }), first);
  EXPECT_EQ(error_of<DeviceError>([&] { domain.exchange(); }), first);
  EXPECT_EQ(error_of<DeviceError>([&] { domain.swap(u); }), first);
  EXPECT_EQ(error_of<DeviceError>([&] { (void)domain.subdomains(); }), first);
  EXPECT_EQ(error_of<DeviceError>([&] { (void)recorded(domain); }), first);
  domain.close();
  EXPECT_THAT(error_of<InvalidArgument>([&] { domain.exchange(); }), HasSubstr("after close()"));
}

TEST(LifeCycle, an_exchange_under_way_is_not_joined_by_another_of_the_same_flags) {
  Domain domain({8, 8, 16}, Stencil::box(1), by_direct_alone());
  const auto u = domain.add_field<float>("u", {.buffers = 2});
  const auto v = domain.add_field<float>("v", {.buffers = 2});
  domain.realize();
  {
    const Graph steps = recorded(domain);
    auto exchange = domain.start_exchange({{u}});
    EXPECT_THAT(error_of<InvalidArgument>([&] { steps.launch(); }),
                HasSubstr("launch() must not be called while an exchange is under way"));
    EXPECT_THAT(error_of<InvalidArgument>([&] { domain.swap(u); }),
                HasSubstr("swap() of field 'u' must not be called while the field is exchanged"));
    EXPECT_THAT(error_of<InvalidArgument>([&] { (void)recorded(domain); }),
                HasSubstr("capture() must not be called while an exchange is under way"));
    domain.swap(v);  // swapped, but not exchanged
    exchange.finish();
    domain.swap(v);
    steps.launch();
    domain.swap(u);
    domain.exchange();
    domain.synchronize();
  }
  domain.close();
}

TEST(LifeCycle, steps_are_captured_between_two_calls) {
  Domain domain({8, 8, 16}, Stencil::box(1), by_direct_alone());
  const auto u = domain.add_field<float>("u", {.buffers = 2});
  EXPECT_THAT(error_of<InvalidArgument>([&] { (void)domain.capture(); }), HasSubstr("capture() before realize()"));
  domain.realize();
  {
    Capture capture = domain.capture();
    EXPECT_THAT(error_of<InvalidArgument>([&] { (void)domain.capture(); }),
                HasSubstr("capture() must not be called while another is under way; finish() it before"));
    domain.exchange();
    const Graph steps = capture.finish();
    EXPECT_THAT(error_of<InvalidArgument>([&] { (void)capture.finish(); }),
                HasSubstr("finish() of a capture that has ended"));

    // A refused capture leaves the domain unchanged.
    Capture refused = domain.capture();
    domain.swap(u);
    auto unfinished = domain.start_exchange();
    EXPECT_THROW((void)refused.finish(), Error);
    EXPECT_THAT(error_of<InvalidArgument>([&] { unfinished.finish(); }), HasSubstr("without start_exchange"));
    steps.launch();
    domain.exchange();
    domain.synchronize();
  }
  domain.close();
}

TEST(LifeCycle, a_capture_ends_with_its_handle_or_with_its_domain) {
  std::optional<Domain> domain(std::in_place, Vec3{8, 8, 16}, Stencil::box(1), by_direct_alone());
  const auto u = domain->add_field<float>("u", {.buffers = 2});
  domain->realize();
  const int before = internals(*domain).current_buffer(u.id);
  {
    Capture first = domain->capture();
    domain->swap(u);
    const Capture capture = std::move(first);
    EXPECT_THAT(
        error_of<InvalidArgument>([&] { (void)first.finish(); }),  // NOLINT(bugprone-use-after-move): is checked
        HasSubstr("finish() of a capture that has ended"));
    EXPECT_NE(internals(*domain).current_buffer(u.id), before);
  }
  EXPECT_EQ(internals(*domain).current_buffer(u.id), before);
  domain->exchange();
  domain->synchronize();
  std::optional<Capture> open(domain->capture());
  domain->exchange();
  domain->close();
  EXPECT_THAT(error_of<InvalidArgument>([&] { (void)open->finish(); }),
              HasSubstr("finish() of a capture that has ended"));
  domain.emplace(Vec3{8, 8, 16}, Stencil::box(1), by_direct_alone());
  domain->add_field<float>("u");
  domain->realize();
  open.emplace(domain->capture());
  domain.reset();
  EXPECT_THAT(error_of<InvalidArgument>([&] { (void)open->finish(); }),
              HasSubstr("finish() of a capture that has ended"));
}

TEST(LifeCycle, a_plan_is_made_once_and_asked_for_often) {
  DomainOptions options;
  options.devices.per_rank = 2;
  options.steps_per_exchange = 3;
  Domain domain({8, 8, 32}, Stencil::box(1), options);
  domain.add_field<float>("u");
  const Planned planned = domain.plan();
  EXPECT_EQ(planned.devices.count(), 2);
  EXPECT_EQ(planned.comm.size(), 1);
  EXPECT_EQ(planned.steps_per_exchange, 3);
  const Subdomain* const first = domain.subdomains().data();
  domain.realize();
  EXPECT_EQ(domain.plan().machine.json(), planned.machine.json());
  EXPECT_EQ(domain.plan().devices.backend(), planned.devices.backend());
  EXPECT_EQ(domain.subdomains().data(), first);
  domain.close();
}

TEST(LifeCycle, captured_steps_finish_what_they_start) {
  Domain domain({8, 8, 16}, Stencil::box(1), by_direct_alone());
  domain.add_field<float>("u");
  domain.realize();
  std::optional<ExchangeHandle> exchange;
  EXPECT_THROW((void)test::captured(domain,
                                    [&] {
                                      exchange.emplace(domain.start_exchange());
                                      throw InvalidArgument("planted");
                                    }),
               InvalidArgument);
  EXPECT_THAT(error_of<InvalidArgument>([&] { exchange->finish(); }), HasSubstr("without start_exchange"));
  EXPECT_THROW((void)test::captured(domain, [&] { exchange.emplace(domain.start_exchange()); }), Error);
  EXPECT_THAT(error_of<InvalidArgument>([&] { exchange->finish(); }), HasSubstr("without start_exchange"));
  domain.exchange();
  domain.synchronize();
  domain.close();
}

/// Graphs run in streams that were set after the last eager exchange.
TEST(LifeCycle, close_waits_for_the_streams_that_the_domain_has_now) {
  Domain domain({8, 8, 16}, Stencil::box(1), by_direct_alone());
  domain.add_field<float>("u");
  domain.realize();
  std::atomic<int> run{0};
  {
    const Graph steps = test::captured(domain, [&] {
      for (const Subdomain& s : domain.subdomains()) {
        s.stream().host_function([&] {
          std::this_thread::sleep_for(200ms);
          ++run;
        });
      }
      domain.exchange();
    });
    std::vector<std::unique_ptr<Stream>> mine;
    std::vector<Stream*> streams;
    for (const Subdomain& s : domain.subdomains()) {
      mine.push_back(internals(domain).backend().create_stream(s.device()));
      streams.push_back(mine.back().get());
    }
    domain.use_streams(streams);
    steps.launch();
    domain.close();
    EXPECT_EQ(run, 2);
  }
}

/// Streams that were set and replaced may be destroyed before the domain collects its errors.
TEST(LifeCycle, streams_of_earlier_exchanges_are_not_used_any_more) {
  Domain domain({8, 8, 8}, Stencil::box(1));
  domain.add_field<float>("u");
  domain.realize();
  Stream* const own = &domain.subdomains()[0].stream();
  {
    const auto mine = internals(domain).backend().create_stream(0);
    Stream* const streams[] = {mine.get()};
    domain.use_streams(streams);
    domain.exchange();
    domain.use_streams({&own, 1});
    domain.synchronize();
  }
  domain.synchronize();
  domain.close();
}

/// Timeouts apply to exchange operations, not to kernels of the caller.
TEST(LifeCycle, synchronize_waits_for_the_callers_own_work_however_long_it_takes) {
  DomainOptions options;
  options.timeout = 100ms;
  Domain domain({8, 8, 8}, Stencil::box(1), options);
  domain.add_field<float>("u");
  domain.realize();
  bool done = false;
  domain.subdomains()[0].stream().host_function([&] {
    std::this_thread::sleep_for(400ms);
    done = true;
  });
  domain.exchange();
  domain.synchronize();
  EXPECT_TRUE(done);
  domain.close();
}

class Leaks : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
  /// The number of occurrences of `what`.
  static int count(const std::string& text, const std::string& what) {
    int n = 0;
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
    return n;
  }
  /// A program that fails in the middle of its work; prints the error as main() would.
  [[noreturn]] static void fail_in_the_middle(bool close) {
    try {
      DomainOptions options;
      options.devices.per_rank = 2;
      set_launch_threads(options, close);
      Domain domain({8, 8, 16}, Stencil::box(1), options);
      domain.add_field<float>("u");
      domain.realize();
      domain.exchange();
      if (!close) throw InvalidArgument("planted");
      domain.subdomains()[0].stream().host_function([] { throw std::runtime_error("planted"); });
      try {
        domain.synchronize();
      } catch (const Error&) {
        domain.close();
        throw;
      }
    } catch (const Error& error) {
      std::fprintf(stderr, "error: %s\n", error.what());
    }
    std::exit(0);
  }
  static bool one_line_behind_the_error(const std::string& text) {
    return count(text, "leaked") == 1 && count(text, "warning") == 1 && text.find("leaked") > text.find("error: ");
  }
};
using LeaksDeathTest = Leaks;

TEST_F(LeaksDeathTest, are_one_line_behind_the_error_that_they_follow_from) {
  for (const bool close : {false, true}) {
    EXPECT_EXIT(fail_in_the_middle(close), testing::ExitedWithCode(0), testing::Truly(one_line_behind_the_error));
  }
}

}  // namespace
}  // namespace halocline
