// SPDX-License-Identifier: BSD-3-Clause
// Which devices ranks get. Cases that need a GPU are in tests/gpu; here machines have none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "comm/local_ranks.hpp"
#include "device/cuda_backend.hpp"
#include "device/host.hpp"
#include "halocline/halocline.hpp"
#include "support/error_of.hpp"

namespace halocline {
namespace {

using halocline::DeviceKind;
using testing::HasSubstr;

/// Sets an environment variable for its own lifetime.
class Setting {
 public:
  Setting(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    ::setenv(name, value, 1);
  }
  ~Setting() {
    if (before_) {
      ::setenv(name_, before_->c_str(), 1);
    } else {
      ::unsetenv(name_);
    }
  }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

template <typename E>
std::string refusal(comm::RankGroup& comm, const DeviceOptions& request) {
  return test::error_of<E>([&] { static_cast<void>(make_devices(comm, request)); });
}

TEST(MakeDevices, host_devices_are_as_many_as_asked_for) {
  const auto comm = comm::serial();
  EXPECT_EQ(make_devices(*comm, {.kind = halocline::DeviceKind::host}).count(), 1);
  const auto devices = make_devices(*comm, {.kind = halocline::DeviceKind::host, .per_rank = 3});
  EXPECT_EQ(devices.kind(), halocline::DeviceKind::host);
  EXPECT_EQ(devices.count(), 3);
}

TEST(MakeDevices, the_environment_decides_where_nothing_is_asked_for) {
  const auto comm = comm::serial();
  {
    const Setting setting("HALOCLINE_BACKEND", "host");
    EXPECT_EQ(make_devices(*comm, {}).kind(), halocline::DeviceKind::host);
  }
  const Setting setting("HALOCLINE_BACKEND", "gpu");
  EXPECT_EQ(refusal<InvalidArgument>(*comm, {}),
            "rank 0: HALOCLINE_BACKEND is 'gpu'; allowed is one of auto host cuda");
  EXPECT_EQ(make_devices(*comm, {.kind = halocline::DeviceKind::host}).kind(), halocline::DeviceKind::host);
}

TEST(MakeDevices, without_gpus_automatic_is_host_and_cuda_is_one_error_on_all_ranks) {
  if (!device::cuda_devices().empty()) GTEST_SKIP() << "there is a GPU";
  const Setting setting("HALOCLINE_BACKEND", "auto");
  std::vector<std::string> texts(3);
  comm::run_as_threads(3, [&](comm::RankGroup& comm) {
    EXPECT_EQ(make_devices(comm, {}).kind(), halocline::DeviceKind::host);
    texts[comm.rank().index()] = refusal<CapabilityError>(comm, {.kind = halocline::DeviceKind::cuda});
  });
  for (const auto& text : texts) {
    EXPECT_THAT(text, HasSubstr("rank 0: "));
    EXPECT_EQ(text, texts[0]);
  }
}

TEST(MakeDevices, ranks_that_ask_for_different_devices_are_told) {
  std::vector<std::string> texts(2);
  comm::run_as_threads(2, [&](comm::RankGroup& comm) {
    const bool first = comm.rank() == rank_id(0);
    texts[comm.rank().index()] =
        refusal<InvalidArgument>(comm, {.kind = first ? halocline::DeviceKind::host : halocline::DeviceKind::cuda});
  });
  for (const auto& text : texts) EXPECT_EQ(text, "backend of rank 1 is cuda; allowed is that of rank 0, host");
}

TEST(MakeDevices, all_ranks_of_a_domain_bring_their_own_devices_or_none) {
  std::vector<std::string> texts(2);
  comm::run_as_threads(2, [&](comm::RankGroup& comm) {
    DomainOptions options;
    options.devices.kind = halocline::DeviceKind::host;
    if (comm.rank() == rank_id(0)) options.devices.existing.emplace(device::make_host_backend({}));
    Domain domain({8, 8, 8}, Stencil::box(1), comm, options);
    domain.add_field<float>("u");
    try {
      domain.realize();
    } catch (const InvalidArgument& error) {
      texts[comm.rank().index()] = error.what();
    }
  });
  for (const auto& text : texts)
    EXPECT_EQ(text, "rank 1: a rank has no devices in its options; allowed are all ranks with devices, or none");
}

TEST(DeviceKind, is_known_by_name) {
  EXPECT_EQ(device_kind_of("auto"), std::nullopt);
  EXPECT_EQ(device_kind_of("host"), halocline::DeviceKind::host);
  EXPECT_EQ(device_kind_of("cuda"), halocline::DeviceKind::cuda);
  EXPECT_THROW(static_cast<void>(device_kind_of("gpu")), InvalidArgument);
}

TEST(Options, come_from_the_environment) {
  const auto read = [](const std::string& backend) {
    return DomainOptions::from(Environment::read(
        [&](const std::string& name) { return name == "HALOCLINE_BACKEND" ? std::optional(backend) : std::nullopt; }));
  };
  EXPECT_EQ(read("cuda").devices.kind, halocline::DeviceKind::cuda);
  EXPECT_EQ(read("host").devices.kind, halocline::DeviceKind::host);
  EXPECT_FALSE(read("auto").devices.kind);
  EXPECT_FALSE(read("auto").devices.per_rank);
  Environment misspelled;
  misspelled.transports = "pigeon";
  EXPECT_THAT(test::error_of<InvalidArgument>([&] { static_cast<void>(DomainOptions::from(misspelled)); }),
              HasSubstr("HALOCLINE_TRANSPORTS is 'pigeon': 'pigeon' is no transport; allowed are self,"));
}

}  // namespace
}  // namespace halocline
