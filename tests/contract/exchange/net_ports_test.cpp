// SPDX-License-Identifier: BSD-3-Clause
// Ports of net: fused exchanges of two devices, whose puts an engine moves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <ostream>

#include "comm/local_ranks.hpp"
#include "contract/exchange/free_engine.hpp"
#include "device/host.hpp"
#include "exchange/net/mpi_proxy.hpp"

namespace halocline::test {
namespace {

using namespace std::chrono_literals;
using exchange::net::Engine;
using exchange::net::Header;
using exchange::net::MpiProxy;
using testing::HasSubstr;

enum class Kind { proxy, free };
void PrintTo(Kind kind, std::ostream* out) { *out << (kind == Kind::proxy ? "proxy" : "free"); }

/// One way of a port: cells of `bytes`, or `ready` without cells.
struct Way {
  Way(device::Backend& backend, std::size_t bytes) {
    flags = backend.allocate_shareable(0, 4 * sizeof(device::Flag));
    for (auto& end : messages) {
      for (auto& message : end)
        message = backend.allocate_pinned(sizeof(Header) + std::max(bytes, exchange::net::text_bytes));
    }
  }
  [[nodiscard]] device::Flag* flag(bool in, std::size_t turn) const {
    return reinterpret_cast<device::Flag*>(flags->data()) + (in ? 2 : 0) + turn;
  }
  [[nodiscard]] std::byte* cells(bool in, std::size_t turn) const {
    return messages[in ? 1 : 0][turn]->data() + sizeof(Header);
  }
  [[nodiscard]] std::array<exchange::net::Slot, 2> slots(bool in) const {
    const auto slot = [&](std::size_t turn) {
      const device::Buffer& message = *messages[in ? 1 : 0][turn];
      return exchange::net::Slot{flag(in, turn), {message.data(), message.bytes()}};
    };
    return {slot(0), slot(1)};
  }
  std::unique_ptr<device::ShareableBuffer> flags;
  std::array<std::array<std::unique_ptr<device::Buffer>, 2>, 2> messages;  ///< by end and turn
};

/// Two devices that send each other cells in each exchange. Cell i that device d owns in exchange e holds value(d, e, i).
class Pair {
 public:
  static constexpr std::size_t cells = 250;
  static constexpr std::size_t bytes = cells * sizeof(std::uint64_t);
  static std::uint64_t value(std::size_t device, std::uint64_t exchange, std::size_t cell) {
    return 1'000'000 * (device + 1) + 1000 * exchange + cell;
  }

  explicit Pair(Kind kind, std::array<std::uint64_t, 2> tokens = {7, 7}, Duration timeout = 20s,
                bool is_one_way = false)
      : one_way(is_one_way) {
    device::HostOptions options;
    options.devices = 2;
    backend = device::make_host_backend(options);
    group = comm::serial();
    if (kind == Kind::proxy) {
      engine = std::make_unique<MpiProxy>(*group, *backend);
    } else {
      auto freed = std::make_unique<FreeEngine>(*backend, 1);
      free = freed.get();
      engine = std::move(freed);
    }
    for (std::size_t d = 0; d < 2; ++d) {
      data.push_back(std::make_unique<Way>(*backend, bytes));
      ready.push_back(std::make_unique<Way>(*backend, 0));
    }
    // Message d goes from device d to the other; its ready goes back.
    for (std::size_t d = 0; d < (one_way ? 1 : 2); ++d) {
      const int data_tag = static_cast<int>(d);
      const int ready_tag = 10 + data_tag;
      const auto name = [&](const char* end) { return std::string(end) + " of message " + std::to_string(d); };
      const std::size_t sender =
          engine->open({name("sender"), rank_id(0), data_tag, ready_tag, data[d]->slots(false), ready[d]->slots(true)});
      const std::size_t receiver = engine->open(
          {name("receiver"), rank_id(0), ready_tag, data_tag, ready[d]->slots(false), data[d]->slots(true)});
      for (const std::uint64_t token : tokens) {
        engine->announce(sender, token, bytes);
        engine->announce(receiver, token, 0);
      }
    }
    for (std::size_t d = 0; d < 2; ++d) {
      streams.push_back(backend->create_stream(static_cast<int>(d)));
      owned[d].resize(cells);
      halo[d].resize(cells);
      fill(d);
      fused.push_back(fuse(d, tokens[d], timeout));
    }
  }
  ~Pair() {
    group->poison();  // receives are under way
    fused.clear();
    streams.clear();
  }

  void fill(std::size_t d) {
    for (std::size_t i = 0; i < cells; ++i) owned[d][i] = value(d, made[d] + 1, i);
  }
  /// One exchange of device d, whose halo is compared, and the next values.
  void enqueue(std::size_t d) {
    streams[d]->run(*fused[d]);
    streams[d]->host_function([this, d] {
      ++made[d];
      for (std::size_t i = 0; i < cells && receives(d); ++i) wrong += halo[d][i] == value(1 - d, made[d], i) ? 0 : 1;
      fill(d);
    });
  }
  void finish() {
    const Deadline deadline(Clock::steady(), 30s);
    const bool in_time = backend->wait_until(
        [&] {
          for (int i = 0; i < 300 && engine->progress(); ++i) {
          }
          return streams[0]->query() && streams[1]->query();
        },
        deadline);
    EXPECT_TRUE(in_time);
  }
  /// The error of device d's stream; empty if there is none in time.
  std::string error(std::size_t d) {
    try {
      (void)backend->wait_until(
          [&] {
            for (int i = 0; i < 300 && engine->progress(); ++i) {
            }
            fused[d]->check();
            return streams[d]->query();
          },
          Deadline(Clock::steady(), 30s));
    } catch (const Error& caught) {
      return caught.what();
    }
    return "";
  }

  [[nodiscard]] bool sends(std::size_t d) const { return !one_way || d == 0; }
  [[nodiscard]] bool receives(std::size_t d) const { return !one_way || d == 1; }

  bool one_way;  ///< from device 0 to device 1
  std::shared_ptr<device::Backend> backend;
  std::unique_ptr<comm::RankGroup> group;
  FreeEngine* free = nullptr;
  std::unique_ptr<Engine> engine;
  std::vector<std::unique_ptr<Way>> data, ready;  ///< by message
  std::array<std::vector<std::uint64_t>, 2> owned, halo;
  std::vector<std::unique_ptr<device::FusedExchange>> fused;
  std::vector<std::unique_ptr<device::Stream>> streams;
  std::array<std::uint64_t, 2> made{};
  std::atomic<int> wrong = 0;

 private:
  static device::StridedCopy whole(const std::byte* from, std::byte* to) {
    device::StridedCopy copy;
    copy.source = from;
    copy.target = to;
    copy.element_bytes = 8;
    copy.extent = {static_cast<std::int64_t>(cells), 1, 1};
    copy.source_stride = copy.target_stride = {8, bytes, bytes};
    return copy;
  }
  std::unique_ptr<device::FusedExchange> fuse(std::size_t d, std::uint64_t token, Duration timeout) {
    epochs.push_back(backend->allocate_shareable(static_cast<int>(d), 128));
    device::Participant participant;
    participant.epoch = reinterpret_cast<std::uint64_t*>(epochs.back()->data());
    const Way &out = *data[d], &in = *data[1 - d], &out_ready = *ready[1 - d], &in_ready = *ready[d];
    const auto guard = [&](const char* what) {
      return std::make_shared<device::WaitGuard>(
          device::WaitGuard{"device " + std::to_string(d) + ", waiting for " + what, timeout, &abort});
    };
    const auto* mine = reinterpret_cast<const std::byte*>(owned[d].data());
    auto* theirs = reinterpret_cast<std::byte*>(halo[d].data());
    if (sends(d))
      participant.puts.push_back({{std::vector{whole(mine, out.cells(false, 0))}, {whole(mine, out.cells(false, 1))}},
                                  {out.flag(false, 0), token, out.flag(false, 1)},
                                  {in_ready.flag(true, 0), token, guard("ready"), nullptr, in_ready.flag(true, 1)}});
    if (receives(d))
      participant.landings.push_back(
          {{out_ready.flag(false, 0), token, out_ready.flag(false, 1)},
           {in.flag(true, 0), token, guard("arrived"), nullptr, in.flag(true, 1)},
           {std::vector{whole(in.cells(true, 0), theirs)}, {whole(in.cells(true, 1), theirs)}}});
    device::FusedPlan plan;
    plan.participants.push_back(std::move(participant));
    return backend->fuse(static_cast<int>(d), plan);
  }
  std::vector<std::unique_ptr<device::ShareableBuffer>> epochs;

 public:
  std::atomic<std::uint32_t> abort = 0;
};

class NetPorts : public testing::TestWithParam<Kind> {};

TEST_P(NetPorts, every_exchange_has_its_own_cells) {
  Pair pair(GetParam());
  for (int e = 0; e < 200; ++e) {
    pair.enqueue(0);
    pair.enqueue(1);
    if (e % 20 == 0) pair.finish();
  }
  pair.finish();
  EXPECT_EQ(pair.made[0], 200U);
  EXPECT_EQ(pair.made[1], 200U);
  EXPECT_EQ(pair.wrong, 0);
  EXPECT_TRUE(pair.engine->done(200));
  EXPECT_FALSE(pair.engine->done(201));
  if (pair.free != nullptr) {
    EXPECT_GT(pair.free->overtakings(), 0);
  }
}

/// Nothing but `ready` holds the sender back.
TEST_P(NetPorts, a_sender_that_receives_nothing_is_one_exchange_ahead_at_most) {
  Pair pair(GetParam(), {7, 7}, 20s, true);
  for (int e = 0; e < 100; ++e) pair.enqueue(0);
  const Deadline soon(Clock::steady(), 50ms);
  (void)pair.backend->wait_until([&] { return pair.engine->progress() && false; }, soon);
  EXPECT_EQ(pair.made[0], 0U) << "the receiver has not begun";
  for (int e = 0; e < 100; ++e) pair.enqueue(1);
  pair.finish();
  EXPECT_EQ(pair.made[0], 100U);
  EXPECT_EQ(pair.made[1], 100U);
  EXPECT_EQ(pair.wrong, 0);
}

TEST_P(NetPorts, graphs_of_one_exchange_take_both_turns) {
  Pair pair(GetParam());
  std::array<std::unique_ptr<device::Graph>, 2> graphs;
  pair.enqueue(0);
  pair.enqueue(1);
  for (std::size_t d = 0; d < 2; ++d) {
    pair.streams[d]->begin_capture();
    pair.enqueue(d);
    graphs[d] = pair.streams[d]->end_capture();
  }
  for (int e = 0; e < 51; ++e) {
    for (std::size_t d = 0; d < 2; ++d) pair.streams[d]->launch(*graphs[d]);
  }
  pair.enqueue(0);
  pair.enqueue(1);
  pair.finish();
  EXPECT_EQ(pair.made[0], 53U);
  EXPECT_EQ(pair.wrong, 0);
}

/// No round trip: the receiver has not begun, and its `ready` is only waited for at the end.
TEST_P(NetPorts, cells_of_the_first_exchange_land_before_the_receiver_begins) {
  Pair pair(GetParam());
  pair.enqueue(0);
  const device::Flag& arrived = *pair.data[0]->flag(true, 1);
  EXPECT_TRUE(pair.backend->wait_until(
      [&] {
        for (int i = 0; i < 300 && pair.engine->progress(); ++i) {
        }
        return std::atomic_ref(const_cast<std::uint64_t&>(arrived.epoch)).load() == 1;
      },
      Deadline(Clock::steady(), 30s)));
  EXPECT_EQ(pair.made[0], 0U);
  pair.enqueue(1);
  pair.finish();
  EXPECT_EQ(pair.wrong, 0);
}

TEST_P(NetPorts, different_tokens_are_an_error_at_both_ends) {
  Pair pair(GetParam(), {7, 8});
  pair.enqueue(0);
  pair.enqueue(1);
  for (std::size_t d = 0; d < 2; ++d) EXPECT_THAT(pair.error(d), HasSubstr("the two sides disagree")) << d;
}

TEST_P(NetPorts, a_receiver_that_never_begins_is_named) {
  Pair pair(GetParam(), {7, 7}, 100ms);
  pair.enqueue(0);
  EXPECT_THAT(pair.error(0), testing::AllOf(HasSubstr("device 0, waiting for"), HasSubstr("not there after")));
}

INSTANTIATE_TEST_SUITE_P(engines, NetPorts, testing::Values(Kind::proxy, Kind::free),
                         [](const auto& param) { return param.param == Kind::proxy ? "proxy" : "free"; });

TEST(NetProxy, giving_up_ends_the_other_end_with_the_reason) {
  Pair pair(Kind::proxy);
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
  Pair pair(Kind::proxy);
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
  Pair pair(Kind::proxy);
  EXPECT_EQ(pair.engine->late(0), "");
  EXPECT_THAT(pair.engine->late(1), HasSubstr("sender of message 0: packing; receiver of message 0: packing"));
}

}  // namespace
}  // namespace halocline::test
