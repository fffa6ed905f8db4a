// SPDX-License-Identifier: BSD-3-Clause
// A hook of set_wait_hook() that throws ends the wait: its rank gets the hook's error at once, the other ranks get it
// as the cause.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>

#include "comm/local_ranks.hpp"
#include "halocline/halocline.hpp"
#include "support/error_of.hpp"

namespace halocline {
namespace {

using namespace std::chrono_literals;
using test::error_of;
using testing::HasSubstr;

class InterruptedWait : public testing::TestWithParam<const char*> {
 protected:
  void TearDown() override { set_wait_hook({}); }
};

TEST_P(InterruptedWait, EndsAndFailsTheDomain) {
  std::atomic<std::thread::id> interrupted{};
  std::atomic<bool> gone{false};
  set_wait_hook([&] {
    if (std::this_thread::get_id() == interrupted.load()) throw CommunicationError("interrupted by a signal");
  });
  comm::run_as_threads(2, [&](comm::RankGroup& comm) {
    DomainOptions options;
    options.timeout = 60s;
    options.routing.policy = routing::Policy::parse(GetParam());
    Domain domain({8, 8, 16}, Stencil::box(1), comm, options);
    domain.add_field<float>("u");
    domain.realize();
    domain.exchange();
    domain.synchronize();
    const auto begin = std::chrono::steady_clock::now();
    if (comm.rank().value() == 0) {
      interrupted = std::this_thread::get_id();
      const std::string error = error_of<CommunicationError>([&] {
        domain.exchange();
        domain.synchronize();
      });
      interrupted = std::thread::id{};
      EXPECT_THAT(error, HasSubstr("interrupted by a signal"));
      EXPECT_EQ(error_of<CommunicationError>([&] { domain.exchange(); }), error) << "the domain has failed";
      gone = true;
    } else {
      while (!gone) std::this_thread::sleep_for(1ms);
      const std::string error = error_of<Error>([&] {
        domain.exchange();
        domain.synchronize();
      });
      EXPECT_THAT(error, HasSubstr("interrupted by a signal")) << "the reason of the other rank";
    }
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 20s);
  });
}

INSTANTIATE_TEST_SUITE_P(Transports, InterruptedWait, testing::Values("direct,self", "mpi_staged,self"),
                         [](const auto& instance) { return std::string(instance.param).substr(0, 6); });

}  // namespace
}  // namespace halocline
