// SPDX-License-Identifier: BSD-3-Clause
// Which memory a user's array may be in, with a backend that reports what the test sets for an address.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device/backend.hpp"
#include "device/host.hpp"
#include "domain/internals.hpp"
#include "halocline/halocline.hpp"
#include "plan/plan.hpp"
#include "support/error_of.hpp"
#include "support/forwarding_backend.hpp"

namespace halocline {
namespace {

using device::MemoryInfo;
using device::MemoryKind;
using testing::HasSubstr;

/// Two devices of one rank, each with user arrays in memory of the given kinds.
class UserMemory : public testing::Test {
 protected:
  /// memory: the report for an address.
  void plan(const std::function<MemoryInfo(const void*)>& memory,
            halocline::DeviceKind kind = halocline::DeviceKind::cuda) {
    device::HostOptions host;
    host.devices = 2;
    test::Said said;
    said.kind = kind;
    said.memory = memory;
    DomainOptions options;
    options.devices.existing.emplace(std::make_shared<test::ForwardingBackend>(device::make_host_backend(host), said));
    domain = std::make_unique<Domain>(Vec3{8, 8, 8}, Stencil::box(1), options);
    u = domain->add_field<float>("u");
    const auto mine = internals(*domain).plan().placement.of_rank(rank_id(0));
    for (std::size_t i = 0; i < mine.size(); ++i) {
      const Vec3 extent = internals(*domain).geometry().with_halo(u.id, mine[i]).extent();
      arrays[i].assign(static_cast<std::size_t>(extent.x * extent.y * extent.z), 0.F);
      const std::int64_t row = 4 * extent.x;
      domain->use_array(u.id, mine[i], 0,
                        UserArray{arrays[i].data(), extent, {4, row, row * extent.y}, {1, 1, 1}, {1, 1, 1}});
    }
  }
  [[nodiscard]] bool is_in(std::size_t array, const void* address) const {
    const auto* at = static_cast<const float*>(address);
    return at >= arrays[array].data() && at < arrays[array].data() + arrays[array].size();
  }
  /// Each array is in memory of its own device.
  [[nodiscard]] std::function<MemoryInfo(const void*)> all_in(MemoryKind kind) const {
    return [this, kind](const void* address) { return MemoryInfo{kind, is_in(1, address) ? 1 : 0, false}; };
  }
  [[nodiscard]] std::string reason() const {
    for (const RoutedMessage& message : internals(*domain).routes()) {
      if (message.route.from != message.route.to) return message.route.reason;
    }
    return "none";
  }
  std::string refusal() {
    return test::error_of<InvalidArgument>([&] { domain->realize(); });
  }

  std::array<std::vector<float>, 2> arrays;
  std::unique_ptr<Domain> domain;
  Field<float> u;
};

TEST_F(UserMemory, OfTheDeviceIsStoredToByTheOthers) {
  plan(all_in(MemoryKind::device));
  domain->realize();
  EXPECT_THAT(reason(), HasSubstr("direct: same process, peer access yes"));
  domain->close();
}

TEST_F(UserMemory, ThatPeerAccessDoesNotCoverIsFilledThroughAReceiveBuffer) {
  for (const MemoryKind kind : {MemoryKind::pool, MemoryKind::mapped, MemoryKind::managed, MemoryKind::pinned}) {
    plan(all_in(kind));
    domain->realize();
    EXPECT_THAT(reason(), HasSubstr("direct: same process, peer access yes; through a receive buffer: other devices do "
                                    "not store to the receiver's arrays: field 'u' is in "));
    EXPECT_THAT(reason(), HasSubstr(std::string(to_string(kind))));
    const auto value = [](const Vec3& p) {
      const auto wrapped = [](std::int64_t i) { return (i + 8) % 8; };
      return static_cast<float>(1 + wrapped(p.x) + 10 * wrapped(p.y) + 100 * wrapped(p.z));
    };
    for (const Subdomain& s : domain->subdomains()) {
      for_each_cell(s.owned(), [&, view = s.view(u)](const Vec3& p) { view(p) = value(p); });
    }
    domain->exchange();
    domain->synchronize();
    for (const Subdomain& s : domain->subdomains()) {
      const Box all = internals(*domain).geometry().with_halo(u.id, s.id());
      for_each_cell(all, [&, view = s.view(u)](const Vec3& p) { ASSERT_EQ(view(p), value(p)) << to_string(p); });
    }
    domain->close();
  }
}

TEST_F(UserMemory, OfTheHostIsRefused) {
  plan(all_in(MemoryKind::host));
  EXPECT_THAT(
      refusal(),
      HasSubstr("array of field 'u' of subdomain 0 begins in memory of the host that CUDA does not know (malloc); "
                "allowed are memory of device 0 (host device 0), managed memory and pinned memory of the host"));
}

TEST_F(UserMemory, OfAnotherDeviceIsRefused) {
  plan([](const void*) { return MemoryInfo{MemoryKind::device, 0, true}; });
  EXPECT_THAT(refusal(),
              HasSubstr("of subdomain 1 begins in device memory of device 0; allowed are memory of device 1"));
  plan([](const void*) { return MemoryInfo{MemoryKind::pool, -1, false}; });
  EXPECT_THAT(refusal(),
              HasSubstr("begins in device memory of a pool (cudaMallocAsync) of a device that is not this rank's"));
}

TEST_F(UserMemory, IsLookedAtUpToItsEnd) {
  plan([this](const void* address) {
    const bool inside = is_in(0, address) || is_in(1, address);
    const bool last = address > arrays[0].data() + arrays[0].size() - 2 && is_in(0, address);
    if (!inside) ADD_FAILURE() << "an address that is not of an array";
    return last ? MemoryInfo{} : MemoryInfo{MemoryKind::device, is_in(1, address) ? 1 : 0, true};
  });
  EXPECT_THAT(refusal(), HasSubstr("array of field 'u' of subdomain 0 ends in memory of the host"));
}

TEST_F(UserMemory, IsNotAskedAboutOnHostDevices) {
  plan(all_in(MemoryKind::host), halocline::DeviceKind::host);
  domain->realize();
  EXPECT_THAT(reason(), HasSubstr("direct: "));
  domain->close();
}

}  // namespace
}  // namespace halocline
