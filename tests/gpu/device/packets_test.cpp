// SPDX-License-Identifier: BSD-3-Clause
// Guarantees of packets on GPUs beyond the contract of all backends: senders do not wait for the receiver.
#include <array>
#include <chrono>
#include <cstring>
#include <random>

#include "gpu/device/gpus.hpp"
#include "unit/device/exchange_case.hpp"

namespace halocline::device::test {
namespace {

class GpuPackets : public TwoGpus {
 protected:
  void SetUp() override {
    TwoGpus::SetUp();
    if (IsSkipped()) return;
    other_ = make();
    pinned_ = other_->allocate_pinned(sizeof(std::uint64_t) * 2);
    reading_ = other_->create_stream(0);
  }
  /// Uses a stream and memory allocated in advance: an allocation waits for kernels, which wait for the test.
  std::array<std::uint64_t, 2> look_at(const std::byte* packet) {
    reading_->copy(pinned_->data(), packet, 16);
    reading_->synchronize();
    std::array<std::uint64_t, 2> words{};
    std::memcpy(words.data(), pinned_->data(), sizeof words);
    return words;
  }
  /// For the first exchange, number 1.
  static std::byte* packet_buffer_of(const OutgoingPart& part) { return part.packets.buffers[1]; }
  /// The announcement of a sender's packets.
  void announce(Stream& stream, const std::uint64_t* epoch, const OutgoingPart& part) {
    const FlagSignal said{reinterpret_cast<Flag*>(packet_buffer_of(part)), part.arrived.token};
    stream.signal(epoch, {&said, 1});
  }

 private:
  std::shared_ptr<Backend> other_;
  std::unique_ptr<Buffer> pinned_;
  std::unique_ptr<Stream> reading_;
};

TEST_F(GpuPackets, AreThereBeforeTheReceiverIsReady) {
  std::mt19937 random(1);
  ExchangeCase tested(*backend);
  const ParticipantId from = tested.add_participant(0);
  const ParticipantId to = tested.add_participant(1);
  tested.send_packets(random, from, to, 1);
  tested.prepare(2);
  tested.renew(0);
  tested.run(0);
  const std::byte* first = packet_buffer_of(tested.outgoing(from)) + sizeof(Flag);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  const auto mark = [&] { return look_at(first)[1] >> 48; };
  while (mark() != 0x8001) ASSERT_LT(std::chrono::steady_clock::now(), deadline) << "no packet";
  EXPECT_FALSE(tested.stream(0).query());
  tested.renew(1);
  tested.run(1);
  tested.synchronize();
  EXPECT_EQ(look_at(first), (std::array<std::uint64_t, 2>{})) << "a slot is empty when its packet was taken";
  EXPECT_EQ(look_at(packet_buffer_of(tested.outgoing(from)))[0], 1u);
}

/// A receiver that has its packets continues, and may be ready for the next exchange, of other cells, before the sender
/// has seen the "ready" of this one. At most one exchange ahead.
TEST_F(GpuPackets, MayGoToAReceiverThatIsReadyForTheNextExchange) {
  for (const std::uint64_t ahead : {std::uint64_t{1}, std::uint64_t{2}}) {
    std::mt19937 random(4);
    backend = make();
    ExchangeCase tested(*backend);
    const ParticipantId from = tested.add_participant(0);
    const ParticipantId to = tested.add_participant(1);
    tested.send_packets(random, from, to, 1);
    tested.prepare(1);
    const auto memory = make_page(*backend, 1);
    const FlagSignal ready{tested.incoming(to).ready.flag, tested.incoming(to).ready.token + 100};
    for (std::uint64_t i = 0; i <= ahead; ++i) tested.stream(1).advance(&page(*memory).epoch);
    tested.stream(1).signal(&page(*memory).epoch, {&ready, 1});
    tested.stream(1).synchronize();
    tested.renew(0);
    tested.run(0);
    const std::string text = failure(tested.stream(0));
    const std::string expected = ahead == 1 ? "" : "protocol: message 1 (ready): the two sides disagree";
    EXPECT_EQ(ahead == 1 ? text : text.substr(0, expected.size()), expected) << text;
  }
}

/// The sender fails after it has announced its packets: the receiver does not wait forever for packets that were not
/// sent.
TEST_F(GpuPackets, ThatWereAnnouncedAndDoNotComeAreADeadlineError) {
  std::mt19937 random(2);
  ExchangeCase tested(*backend);
  const ParticipantId from = tested.add_participant(0);
  const ParticipantId to = tested.add_participant(1);
  tested.send_packets(random, from, to, 1);
  tested.incoming(to).arrived.guard = guard("subdomain 3 -> 5", std::chrono::milliseconds(100));
  tested.prepare(1);
  const auto memory = make_page(*backend);
  announce(tested.stream(0), &page(*memory).one, tested.outgoing(from));
  tested.renew(1);
  tested.run(1);
  const std::string text = failure(tested.stream(1));
  EXPECT_EQ(text.find("deadline: subdomain 3 -> 5: not there after 0."), 0u) << text;
}

TEST_F(GpuPackets, AreGivenUpWhereTheExchangeIsAborted) {
  std::mt19937 random(3);
  const auto pinned = backend->allocate_pinned(sizeof(std::atomic<std::uint32_t>));
  auto* abort = new (pinned->data()) std::atomic<std::uint32_t>(0);
  ExchangeCase tested(*backend);
  const ParticipantId from = tested.add_participant(0);
  const ParticipantId to = tested.add_participant(1);
  tested.send_packets(random, from, to, 1);
  tested.incoming(to).arrived.guard = guard("subdomain 3 -> 5", std::chrono::seconds(60), abort);
  tested.prepare(1);
  const auto memory = make_page(*backend);
  announce(tested.stream(0), &page(*memory).one, tested.outgoing(from));
  ASSERT_EQ(failure(tested.stream(0)), "");  // announced
  tested.renew(1);
  tested.run(1);
  EXPECT_FALSE(tested.stream(1).query());
  abort->store(1);
  EXPECT_EQ(
      failure(tested.stream(1)),
      "communication: subdomain 3 -> 5: given up at epoch 1 (the flag is at 1), because the exchange was aborted");
}

}  // namespace
}  // namespace halocline::device::test
