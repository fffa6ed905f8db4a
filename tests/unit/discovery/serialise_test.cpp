// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "discovery/serialise.hpp"
#include "halocline/error.hpp"
#include "machine/synthetic.hpp"
#include "support/random_machine.hpp"

namespace halocline::machine {
namespace {

TEST(Serialise, MapsComeBackTheSame) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const MachineMap map = test::random_machine(seed);
    ASSERT_EQ(from_bytes<MachineMap>(to_bytes(map)), map) << "seed " << seed;
  }
}

TEST(Serialise, DeviceProbesComeBackTheSame) {
  const DeviceProbe sent{halocline::DeviceKind::cuda, "name", "uuid", std::int64_t{1} << 40, 3, {"a", "b"}, {"c"}};
  const auto probe = from_bytes<DeviceProbe>(to_bytes(sent));
  EXPECT_EQ(probe.kind, halocline::DeviceKind::cuda);
  EXPECT_EQ(probe.name, "name");
  EXPECT_EQ(probe.uuid, "uuid");
  EXPECT_EQ(probe.memory_bytes, std::int64_t{1} << 40);
  EXPECT_EQ(probe.numa, 3);
  EXPECT_EQ(probe.no_access, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(probe.access, std::vector<std::string>{"c"});
}

TEST(Serialise, MessagesOfAnotherLengthAreRefused) {
  std::vector<std::byte> bytes = to_bytes(synthetic({2, 2, 1}));
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_THROW(static_cast<void>(from_bytes<MachineMap>(std::span(bytes).first(length))), InternalError) << length;
  }
  bytes.push_back(std::byte{0});
  EXPECT_THROW(static_cast<void>(from_bytes<MachineMap>(bytes)), InternalError);
}

}  // namespace
}  // namespace halocline::machine
