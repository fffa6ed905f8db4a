// How much of a device exchanges ask for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "halocline/device/host.hpp"
#include "halocline/halocline.hpp"
#include "support/forwarding_backend.hpp"

namespace halocline {
namespace {

using testing::ElementsAre;

/// What is asked for by two exchanges that have the device to themselves, and two that work may run beside.
std::vector<int> budgets(int multiprocessors) {
  const auto backend =
      std::make_shared<test::ForwardingBackend>(device::make_host_backend(device::HostOptions()), test::Said());
  DomainOptions options;
  options.backend = backend;
  options.tuning.multiprocessors = multiprocessors;
  Domain domain({6, 5, 4}, Radius::uniform(1), options);
  static_cast<void>(domain.add_field<float>("u"));
  domain.realize();
  for (int i = 0; i < 2; ++i) {
    domain.exchange();
    domain.start_exchange();
    domain.finish_exchange();
  }
  domain.close();
  return backend->budgets();
}

TEST(ExchangeBudget, leaves_most_of_a_device_to_what_may_run_beside_it) { EXPECT_THAT(budgets(0), ElementsAre(0, 16)); }

TEST(ExchangeBudget, is_what_the_user_says) { EXPECT_THAT(budgets(5), ElementsAre(5, 5)); }

}  // namespace
}  // namespace halocline
