// SPDX-License-Identifier: BSD-3-Clause
// Ports of net on host devices.
#include <gmock/gmock.h>

#include "contract/exchange/engines.hpp"
#include "contract/exchange/net_ports.hpp"
#include "device/host.hpp"

namespace halocline::test {
namespace {

using testing::HasSubstr;

Ported on_host(Kind kind, std::string name) {
  return {kind, std::move(name),
          [] {
            device::HostOptions options;
            options.devices = 2;
            return device::make_host_backend(options);
          },
          [kind] { return kind == Kind::ucx ? ucx_missing() : ""; }};
}

INSTANTIATE_TEST_SUITE_P(engines, NetPorts,
                         testing::Values(on_host(Kind::proxy, "proxy"), on_host(Kind::ucx, "ucx"),
                                         on_host(Kind::free, "free")),
                         [](const auto& param) { return param.param.name; });

TEST(NetProxy, giving_up_ends_the_other_end_with_the_reason) {
  Pair pair(on_host(Kind::proxy, "proxy"));
  pair.enqueue(0);
  pair.enqueue(1);
  pair.finish();
  pair.engine->give_up("rank 0: planted");
  std::string text;
  try {
    for (int i = 0; i < 1000; ++i) (void)pair.engine->progress();
  } catch (const CommunicationError& error) {
    text = error.what();
  }
  EXPECT_THAT(text, HasSubstr("sender of message 0, exchange 2: the other end has given up: rank 0: planted"));
  EXPECT_TRUE(pair.engine->flush());
}

TEST(NetProxy, both_ends_leave) {
  Pair pair(on_host(Kind::proxy, "proxy"));
  for (int e = 0; e < 3; ++e) {
    pair.enqueue(0);
    pair.enqueue(1);
  }
  pair.finish();
  bool left = false;
  for (int i = 0; i < 1000 && !left; ++i) left = pair.engine->leave();
  EXPECT_TRUE(left);
}

TEST(NetProxy, ports_that_wait_are_named) {
  Pair pair(on_host(Kind::proxy, "proxy"));
  EXPECT_EQ(pair.engine->late(0), "");
  EXPECT_THAT(pair.engine->late(1), HasSubstr("sender of message 0: packing; receiver of message 0: packing"));
}

}  // namespace
}  // namespace halocline::test
