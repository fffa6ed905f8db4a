// SPDX-License-Identifier: BSD-3-Clause
// Ports of net on host devices.
#include <gmock/gmock.h>

#include "comm/local_ranks.hpp"
#include "contract/exchange/engines.hpp"
#include "contract/exchange/net_ports.hpp"
#include "device/host.hpp"
#include "exchange/net/ucx/ucx.hpp"

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

/// The thread that moves messages looks again at once, as the other ends may leave, too.
TEST(NetProxy, a_leave_that_arrives_is_progress) {
  const auto backend = device::make_host_backend({});
  GroupMessages messages(comm::serial());
  Proxy leaving(messages, *backend), other(messages, *backend);
  const Way data(*backend, 64);
  const Way ready(*backend, 0);
  (void)leaving.open({"sender", rank_id(0), 0, 10, data.slots(false), ready.slots(true)});
  (void)other.open({"receiver", rank_id(0), 10, 0, ready.slots(false), data.slots(true)});
  EXPECT_FALSE(other.progress());
  EXPECT_FALSE(leaving.leave()) << "the other end has not left";
  EXPECT_TRUE(other.progress());
  EXPECT_FALSE(other.progress());
}

/// An MPI may complete the send of a large message after a later, small one, and long after both have arrived.
class SlowSends final : public Messages {
 public:
  bool slow = false;      ///< of sends that begin
  bool complete = false;  ///< the slow ones
  [[nodiscard]] std::string_view name() const override { return "slow"; }
  [[nodiscard]] std::unique_ptr<comm::Request> send(std::span<const std::byte> bytes, rank_id to, int tag) override {
    return std::make_unique<Sent>(inner_.send(bytes, to, tag), slow ? &complete : nullptr);
  }
  [[nodiscard]] std::unique_ptr<comm::PersistentRequest> receive_at_most(std::span<std::byte> bytes, rank_id from,
                                                                         int tag) override {
    return inner_.receive_at_most(bytes, from, tag);
  }
  [[nodiscard]] std::unique_ptr<comm::ConcurrentCaller> caller() override { return inner_.caller(); }
  void close(const Deadline& deadline) override { inner_.close(deadline); }

 private:
  struct Sent final : comm::Request {
    Sent(std::unique_ptr<comm::Request> sent, const bool* is_complete)
        : request(std::move(sent)), complete(is_complete) {}
    [[nodiscard]] bool test() override { return request->test() && (complete == nullptr || *complete); }
    std::unique_ptr<comm::Request> request;
    const bool* complete;
  };
  GroupMessages inner_{comm::serial()};
};

TEST(NetProxy, puts_under_way_are_complete_before_a_rank_has_left) {
  const auto backend = device::make_host_backend({});
  SlowSends sends;
  Proxy proxy(sends, *backend);
  const Way data(*backend, 64);
  const Way ready(*backend, 0);
  const std::size_t sender = proxy.open({"sender", rank_id(0), 0, 10, data.slots(false), ready.slots(true)});
  const std::size_t receiver = proxy.open({"receiver", rank_id(0), 10, 0, ready.slots(false), data.slots(true)});
  proxy.announce(sender, 7, 64);
  proxy.announce(receiver, 7, 0);
  sends.slow = true;
  for (const Way* way : {&data, &ready}) {
    const device::FlagSignal posted{way->flag(false, 0), 7, way->flag(false, 1)};
    backend->signal_from_host({&posted, 1}, 1);
  }
  for (int i = 0; i < 10; ++i) (void)proxy.progress();
  ASSERT_EQ(data.flag(true, 1)->epoch, 1U) << "the exchange is over at both ends";
  ASSERT_EQ(ready.flag(true, 1)->epoch, 1U);
  sends.slow = false;
  for (int i = 0; i < 100; ++i) ASSERT_FALSE(proxy.leave()) << "the put's buffer is still MPI's";
  sends.complete = true;
  bool left = false;
  for (int i = 0; i < 100 && !left; ++i) left = proxy.leave();
  EXPECT_TRUE(left);
}

TEST(NetProxy, ports_that_wait_are_named) {
  Pair pair(on_host(Kind::proxy, "proxy"));
  const auto late = [&](std::uint64_t epoch) {
    exchange::LateMessages messages;
    pair.engine->list_late(epoch, messages);
    return messages.text();
  };
  EXPECT_EQ(late(0), "");
  EXPECT_THAT(late(1), HasSubstr("sender of message 0: packing; receiver of message 0: packing"));
}

/// As where it has found no path to them: they may have found theirs to it.
TEST(UcxMessages, close_waits_for_ranks_that_this_one_has_not_connected_to) {
  if (const std::string why = ucx_missing(); !why.empty()) GTEST_SKIP() << why;
  comm::run_as_threads(3, [](comm::RankGroup& comm) {
    const auto messages = exchange::net::make_ucx_messages(comm.split(0, 0));
    std::array<std::byte, 8> bytes{};
    if (comm.rank() == rank_id(0)) static_cast<void>(messages->receive_at_most(bytes, rank_id(2), 0));
    EXPECT_NO_THROW(messages->close(Deadline(Clock::steady(), std::chrono::seconds(5))));
  });
}

TEST(LateMessages, AFewOfEachRankAreNamed) {
  exchange::LateMessages messages;
  for (int i = 0; i < 100; ++i) messages.add(rank_id(i < 98 ? 2 : 7), fmt::format("message {}", i));
  EXPECT_EQ(messages.text(), "message 0; message 1; message 2; message 3; message 98; message 99; 94 more with rank 2");
}

}  // namespace
}  // namespace halocline::test
