// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "device/backend.hpp"
#include "exchange/net/engine.hpp"
#include "halocline/error.hpp"

namespace halocline::test {

/// The ports of several ranks in one process, as free as an engine may be: bytes land in any order, puts of the two turns and of all
/// ports overtake each other, completion is late. A flag is raised behind its own put's bytes, and behind the completion of the end's
/// own put of the exchange before.
class FreeEngine final : public exchange::net::Engine {
 public:
  FreeEngine(device::Backend& backend, std::uint64_t seed) : backend_(&backend), random_(seed) {}

  std::size_t open(const exchange::net::PortEnd& end) override {
    ends_.push_back(std::make_unique<End>(End{end, {}, 0, 0, {}, {}}));
    return ends_.size() - 1;
  }
  void announce(std::size_t port, std::uint64_t token, std::size_t bytes) override {
    ends_.at(port)->bytes[token] = bytes;
  }

  bool progress() override {
    bool moved = false;
    for (const auto& end : ends_) moved = start(*end) || moved;
    std::shuffle(puts_.begin(), puts_.end(), random_);
    for (Put& put : puts_) moved = random_() % 3 == 0 && advance(put) ? true : moved;
    std::erase_if(puts_, [](const Put& put) { return put.signalled && put.complete; });
    return moved || !puts_.empty();
  }

  [[nodiscard]] bool under_way() const override { return !puts_.empty(); }
  [[nodiscard]] bool done(std::uint64_t epoch) const override {
    return std::ranges::all_of(ends_, [&](const auto& e) { return e->raised >= epoch && e->complete >= epoch; });
  }
  void list_late(std::uint64_t /*epoch*/, exchange::LateMessages& /*messages*/) const override {}
  void give_up(std::string_view /*reason*/) override {}
  [[nodiscard]] bool flush() override { return true; }
  [[nodiscard]] bool leave() override { return true; }
  /// How many puts landed before one that was posted earlier.
  [[nodiscard]] int overtakings() const { return overtakings_; }

 private:
  struct End {
    exchange::net::PortEnd port;
    std::array<std::uint64_t, 2> started;  ///< puts, by turn
    std::uint64_t complete = 0;
    std::uint64_t raised = 0;
    std::map<std::uint64_t, std::size_t> bytes;
    std::array<bool, 2> landed;
  };
  struct Put {
    End* from;
    End* to;
    std::uint64_t epoch;
    std::uint64_t token;
    std::vector<std::size_t> left;  ///< the places of bytes that have not landed, in the order in which they will
    std::size_t chunk;
    std::uint64_t number;  ///< in the order of posting
    bool signalled = false;
    bool complete = false;
  };

  End& other(const End& end) {
    for (const auto& e : ends_) {
      if (e->port.in_tag == end.port.out_tag && e.get() != &end) return *e;
    }
    throw InternalError("a port without another end");
  }

  bool start(End& end) {
    bool moved = false;
    for (std::size_t turn = 0; turn < 2; ++turn) {
      const exchange::net::Slot& slot = end.port.out[turn];
      const std::uint64_t epoch = std::atomic_ref(slot.flag->epoch).load(std::memory_order_acquire);
      if (epoch == end.started[turn]) continue;
      end.started[turn] = epoch;
      Put put{&end, &other(end), epoch, slot.flag->token, {}, 16, ++posted_};
      const std::size_t bytes = end.bytes.at(put.token);
      for (std::size_t at = 0; at < bytes; at += put.chunk) put.left.push_back(sizeof(exchange::net::Header) + at);
      std::shuffle(put.left.begin(), put.left.end(), random_);
      puts_.push_back(std::move(put));
      moved = true;
    }
    return moved;
  }

  bool advance(Put& put) {
    const exchange::net::Slot& source = put.from->port.out[put.epoch % 2];
    const exchange::net::Slot& target = put.to->port.in[put.epoch % 2];
    if (!put.left.empty()) {
      const std::size_t at = put.left.back();
      put.left.pop_back();
      const std::size_t end = std::min(at + put.chunk, source.message.size());
      std::memcpy(target.message.data() + at, source.message.data() + at, end - at);
      return true;
    }
    if (!put.signalled && put.to->complete + 1 >= put.epoch) {
      if (std::ranges::any_of(puts_, [&](const Put& p) { return !p.signalled && p.number < put.number; }))
        ++overtakings_;
      const device::FlagSignal signal{put.to->port.in[0].flag, put.token, put.to->port.in[1].flag};
      backend_->signal_from_host({&signal, 1}, put.epoch);
      put.to->raised = std::max(put.to->raised, put.epoch);
      put.signalled = true;
      return true;
    }
    if (!put.complete && put.signalled && put.from->complete + 1 == put.epoch) {
      put.from->complete = put.epoch;
      put.complete = true;
      return true;
    }
    return false;
  }

  device::Backend* backend_;
  std::mt19937_64 random_;
  std::vector<std::unique_ptr<End>> ends_;
  std::vector<Put> puts_;
  std::uint64_t posted_ = 0;
  int overtakings_ = 0;
};

}  // namespace halocline::test
