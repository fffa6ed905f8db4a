// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <new>
#include <ostream>
#include <string>
#include <vector>

#include "comm/local_ranks.hpp"
#include "contract/exchange/free_engine.hpp"
#include "exchange/net/proxy.hpp"
#include "exchange/net/ucx/ucx.hpp"

namespace halocline::test {

using namespace std::chrono_literals;
using exchange::net::Engine;
using exchange::net::GroupMessages;
using exchange::net::Header;
using exchange::net::Messages;
using exchange::net::Proxy;

/// A proxy over a group of ranks, or over UCX; or an engine that does whatever it may.
enum class Kind { proxy, ucx, free };

/// An engine, and how to make a backend whose devices it serves.
struct Ported {
  Kind kind;
  std::string name;
  std::function<std::shared_ptr<device::Backend>()> make;
  /// Why this machine has no such backend; empty if it has one.
  std::function<std::string()> missing = [] { return std::string(); };
};
inline void PrintTo(const Ported& ported, std::ostream* out) { *out << ported.name; }

/// One way of a port: cells of `bytes`, or `ready` without cells.
struct Way {
  Way(device::Backend& backend, std::size_t bytes) {
    flags = backend.allocate_pinned(4 * sizeof(device::Flag));
    for (std::size_t f = 0; f < 4; ++f) new (flags->data() + f * sizeof(device::Flag)) device::Flag{};
    slot_bytes = sizeof(Header) + std::max(bytes, exchange::net::text_bytes);
    for (auto& both : messages) both = backend.allocate_pinned(2 * slot_bytes);
  }
  [[nodiscard]] device::Flag* flag(bool in, std::size_t turn) const {
    return reinterpret_cast<device::Flag*>(flags->data()) + (in ? 2 : 0) + turn;
  }
  /// Of even exchanges; those of odd ones lie slot_bytes behind.
  [[nodiscard]] std::byte* cells(bool in) const { return messages[in ? 1 : 0]->data() + sizeof(Header); }
  [[nodiscard]] std::array<exchange::net::Slot, 2> slots(bool in) const {
    const auto slot = [&](std::size_t turn) {
      return exchange::net::Slot{flag(in, turn), {messages[in ? 1 : 0]->data() + turn * slot_bytes, slot_bytes}};
    };
    return {slot(0), slot(1)};
  }
  std::size_t slot_bytes = 0;
  std::unique_ptr<device::Buffer> flags;
  std::array<std::unique_ptr<device::Buffer>, 2> messages;  ///< by end, of both turns
};

/// Two devices that send each other cells in each exchange. Cell i that device d owns in exchange e holds value(d, e, i).
class Pair {
 public:
  static constexpr std::size_t cells = 250;
  static constexpr std::size_t bytes = cells * sizeof(std::uint64_t);
  static std::uint64_t value(std::size_t device, std::uint64_t exchange, std::size_t cell) {
    return 1'000'000 * (device + 1) + 1000 * exchange + cell;
  }

  explicit Pair(const Ported& ported, std::array<std::uint64_t, 2> tokens = {7, 7}, Duration timeout = 20s,
                bool is_one_way = false)
      : one_way(is_one_way), backend(ported.make()) {
    abort = backend->allocate_pinned(sizeof(std::atomic<std::uint32_t>));
    new (abort->data()) std::atomic<std::uint32_t>(0);
    if (ported.kind == Kind::free) {
      auto freed = std::make_unique<FreeEngine>(*backend, 1);
      free = freed.get();
      engine = std::move(freed);
    } else {
      auto of_this_rank = comm::serial();
      group = of_this_rank.get();
      messages = ported.kind == Kind::ucx ? exchange::net::make_ucx_messages(std::move(of_this_rank))
                                          : std::make_unique<GroupMessages>(std::move(of_this_rank));
      engine = std::make_unique<Proxy>(*messages, *backend);
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
      streams.push_back(backend->create_stream(device_of(d)));
      for (auto* words : {&owned[d], &halo[d]}) *words = backend->allocate_pinned(bytes);
      fill(d);
      fused.push_back(fuse(d, tokens[d], timeout));
    }
  }
  ~Pair() {
    if (group != nullptr) group->poison();  // receives are under way
    fused.clear();
    streams.clear();
  }

  void fill(std::size_t d) {
    for (std::size_t i = 0; i < cells; ++i) words_of(*owned[d])[i] = value(d, made[d] + 1, i);
  }
  /// One exchange of device d, whose halo is compared, and the next values.
  void enqueue(std::size_t d) {
    streams[d]->run(*fused[d]);
    streams[d]->host_function([this, d] {
      ++made[d];
      for (std::size_t i = 0; i < cells && receives(d); ++i)
        wrong += words_of(*halo[d])[i] == value(1 - d, made[d], i) ? 0 : 1;
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
  comm::RankGroup* group = nullptr;  ///< of messages
  std::unique_ptr<Messages> messages;
  FreeEngine* free = nullptr;
  std::unique_ptr<Engine> engine;
  std::vector<std::unique_ptr<Way>> data, ready;  ///< by message
  std::array<std::unique_ptr<device::Buffer>, 2> owned, halo;
  std::vector<std::unique_ptr<device::FusedExchange>> fused;
  std::vector<std::unique_ptr<device::Stream>> streams;
  std::array<std::uint64_t, 2> made{};
  std::atomic<int> wrong = 0;

 private:
  static std::uint64_t* words_of(const device::Buffer& buffer) {
    return reinterpret_cast<std::uint64_t*>(buffer.data());
  }
  /// Both share one, if there is one only.
  [[nodiscard]] int device_of(std::size_t d) const { return static_cast<int>(d) % backend->device_count(); }
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
    epochs.push_back(backend->allocate_shareable(device_of(d), 128));
    device::Participant participant;
    participant.epoch = reinterpret_cast<std::uint64_t*>(epochs.back()->data());
    const Way &out = *data[d], &in = *data[1 - d], &out_ready = *ready[1 - d], &in_ready = *ready[d];
    const auto guard = [&](const char* what) {
      return std::make_shared<device::WaitGuard>(
          device::WaitGuard{"device " + std::to_string(d) + ", waiting for " + what, timeout,
                            reinterpret_cast<const std::atomic<std::uint32_t>*>(abort->data())});
    };
    const auto shift = static_cast<std::ptrdiff_t>(out.slot_bytes);
    if (sends(d))
      participant.puts.push_back({{whole(owned[d]->data(), out.cells(false))},
                                  shift,
                                  {out.flag(false, 0), token, out.flag(false, 1)},
                                  {in_ready.flag(true, 0), token, guard("ready"), nullptr, in_ready.flag(true, 1)}});
    if (receives(d))
      participant.landings.push_back({{out_ready.flag(false, 0), token, out_ready.flag(false, 1)},
                                      {in.flag(true, 0), token, guard("arrived"), nullptr, in.flag(true, 1)},
                                      {whole(in.cells(true), halo[d]->data())},
                                      shift});
    device::FusedPlan plan;
    plan.participants.push_back(std::move(participant));
    return backend->fuse(device_of(d), plan);
  }
  std::vector<std::unique_ptr<device::ShareableBuffer>> epochs;
  std::unique_ptr<device::Buffer> abort;
};

/// Ports of net: fused exchanges of two devices, whose puts an engine moves. Of every backend.
class NetPorts : public testing::TestWithParam<Ported> {
 protected:
  void SetUp() override {
    if (const std::string why = GetParam().missing(); !why.empty()) GTEST_SKIP() << why;
  }
};

}  // namespace halocline::test
