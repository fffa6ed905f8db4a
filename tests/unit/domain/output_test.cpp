// SPDX-License-Identifier: BSD-3-Clause
// Output of a domain on one rank; with several, see tests/contract/files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <memory>

#include "core/posix_file.hpp"
#include "device/host.hpp"
#include "halocline/files.hpp"
#include "halocline/halocline.hpp"
#include "support/error_of.hpp"
#include "support/temporary_folder.hpp"

namespace halocline {
namespace {

using testing::HasSubstr;

/// Fails copies from fail() on.
class BrokenLink final : public device::Injector {
 public:
  device::Injection before(device::Operation operation, int) override {
    if (!fails_ || operation != device::Operation::copy) return {};
    return {.delay = Duration::zero(), .failure = "the link is down"};
  }
  void fail() { fails_ = true; }

 private:
  std::atomic<bool> fails_{false};
};

struct Written {
  std::shared_ptr<BrokenLink> link = std::make_shared<BrokenLink>();
  std::unique_ptr<Domain> domain;

  Written() {
    DomainOptions options;
    options.devices.existing.emplace(
        device::make_host_backend({.devices = 1, .injector = link, .peer_access = {}, .mapping = {}}));
    domain = std::make_unique<Domain>(Vec3{8, 6, 4}, Stencil::box(1), options);
    domain->add_field<float>("u");
    domain->realize();
  }
};

TEST(OutputOfOneRank, begins_a_series_where_there_is_none_to_resume) {
  const test::TemporaryFolder folder;
  const std::string series = folder.at("u.pvd");
  const Written written;
  Output output(*written.domain, series, {.resume = true});
  EXPECT_FALSE(std::filesystem::exists(series)) << "nothing is written before the first step";
  output.write(3, 0.5);
  EXPECT_THAT(read_file(series), HasSubstr("file=\"u-000003.vti\""));
  Output resumed(*written.domain, series, {.resume = true});
  resumed.write(4, 0.75);
  EXPECT_THAT(read_file(series), testing::AllOf(HasSubstr("u-000003.vti"), HasSubstr("u-000004.vti")));
  written.domain->close();
}

/// What is written would not be what the device holds: no file appears.
TEST(OutputOfOneRank, of_a_device_that_fails_is_its_error_and_no_file) {
  const test::TemporaryFolder folder;
  Written written;
  Output output(*written.domain, folder.at("u.pvd"));
  Output other(*written.domain, folder.at("v.pvd"));
  output.write(1, 0);
  written.link->fail();
  EXPECT_THAT(test::error_of<DeviceError>([&] { output.write(2, 1); }), HasSubstr("the link is down"));
  // The copy had failed in start(), or under way; not that a step is under way.
  EXPECT_THAT(test::error_of<DeviceError>([&] { output.start(3, 2); }),
              testing::AnyOf(HasSubstr("the link is down"), HasSubstr("was given up with copies under way")));
  // The stream has failed for good: nothing more is copied, and memory that a copy may still write to is not used again.
  EXPECT_THAT(test::error_of<DeviceError>([&] { other.start(2, 1); }), HasSubstr("the link is down"));
  EXPECT_EQ(test::error_of<DeviceError>([&] { other.start(2, 1); }),
            "the host memory of a copy was given up with copies under way");
  EXPECT_FALSE(std::filesystem::exists(folder.at("u-000002.vti")));
  EXPECT_THAT(read_file(folder.at("u.pvd")),
              testing::AllOf(HasSubstr("u-000001.vti"), testing::Not(HasSubstr("u-000002.vti"))));
}

}  // namespace
}  // namespace halocline
