// SPDX-License-Identifier: BSD-3-Clause
#include "device/host/communicator.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>

#include "core/shared_values.hpp"
#include "device/backend.hpp"
#include "device/host/memory.hpp"
#include "halocline/error.hpp"

namespace halocline::device::host {
namespace {

/// A message from one member to another.
struct Wire {
  Flag posted{};  ///< by the sender: `memory` may be read
  Flag taken{};   ///< by the receiver
  const std::byte* memory = nullptr;
  std::size_t bytes = 0;
};

/// What the members of a communicator share.
class Exchange {
 public:
  /// The k-th message of an operation between two members. It stays where it is.
  Wire& wire(int from, int to, int k) {
    const std::lock_guard lock(mutex_);
    return wires_[{from, to, k}];
  }

 private:
  std::mutex mutex_;
  std::map<std::tuple<int, int, int>, Wire> wires_;
};

std::uint64_t number_of(const CommunicatorId& id) {
  std::uint64_t number = 0;
  std::memcpy(&number, id.blob.data(), sizeof number);
  return number;
}

std::shared_ptr<Exchange> exchange_of(const CommunicatorId& id) {
  static std::mutex mutex;
  static SharedValues<std::uint64_t, Exchange> all;
  const std::lock_guard lock(mutex);
  return all.get(number_of(id), [] { return std::make_shared<Exchange>(); });
}

class EmulatedCommunicator final : public Communicator {
 public:
  EmulatedCommunicator(std::shared_ptr<Exchange> shared, const CommunicatorMember& member)
      : shared_(std::move(shared)), me_(member.number), device_(member.device), state_(std::make_shared<State>()) {}

  std::unique_ptr<Buffer> allocate(std::size_t bytes) override {
    auto buffer = make_buffer(device_, bytes);
    std::memset(buffer->data(), 0, bytes);
    return buffer;
  }

  void exchange(std::span<const Transfer> sends, std::span<const Transfer> receives, Stream& stream) override {
    std::vector<FlagSignal> posted, taken;
    std::vector<FlagWait> arrivals, departures;
    std::vector<std::pair<Wire*, Transfer>> out, in;
    std::map<int, int> sent, received;
    for (const Transfer& send : sends) {
      Wire& wire = shared_->wire(me_, send.peer, sent[send.peer]++);
      out.emplace_back(&wire, send);
      posted.push_back({&wire.posted});
      departures.push_back({&wire.taken, 0, guard(me_, send.peer)});
    }
    for (const Transfer& receive : receives) {
      Wire& wire = shared_->wire(receive.peer, me_, received[receive.peer]++);
      in.emplace_back(&wire, receive);
      taken.push_back({&wire.taken});
      arrivals.push_back({&wire.posted, 0, guard(receive.peer, me_)});
    }
    stream.advance(&state_->epoch);
    stream.host_function([out] {
      for (const auto& [wire, send] : out) {
        wire->memory = send.memory;
        wire->bytes = send.bytes;
      }
    });
    stream.signal(&state_->epoch, posted);
    stream.wait(&state_->epoch, arrivals);
    stream.host_function([in] {
      // Of different sizes: what there is of both. The headers of messages differ then, which their receiver compares.
      for (const auto& [wire, receive] : in)
        std::memcpy(receive.memory, wire->memory, std::min(wire->bytes, receive.bytes));
    });
    stream.signal(&state_->epoch, taken);
    stream.wait(&state_->epoch, departures);
  }

  [[nodiscard]] bool needs_watch() const override { return true; }
  void check() override {}
  void abort() noexcept override { state_->aborted.store(1, std::memory_order_release); }

 private:
  /// What waits under way use.
  struct State {
    std::atomic<std::uint32_t> aborted{0};
    alignas(Flag) std::uint64_t epoch = 0;
  };
  /// It waits for ever, as NCCL does.
  [[nodiscard]] std::shared_ptr<const WaitGuard> guard(int from, int to) const {
    struct Guard {
      WaitGuard guard;
      std::shared_ptr<State> state;
    };
    auto made = std::make_shared<Guard>();
    made->guard = {fmt::format("device {} -> {} of the communicator", from, to), Duration::max(), &state_->aborted};
    made->state = state_;
    return {made, &made->guard};
  }

  std::shared_ptr<Exchange> shared_;
  int me_;
  int device_;
  std::shared_ptr<State> state_;
};

}  // namespace

CommunicatorId make_communicator_id() {
  static std::atomic<std::uint64_t> last{0};
  CommunicatorId id;
  const std::uint64_t number = ++last;
  std::memcpy(id.blob.data(), &number, sizeof number);
  return id;
}

std::vector<std::unique_ptr<Communicator>> join_communicator(const CommunicatorSetup& setup) {
  std::vector<std::unique_ptr<Communicator>> joined;
  for (const CommunicatorMember& member : setup.members) {
    joined.push_back(std::make_unique<EmulatedCommunicator>(exchange_of(setup.id), member));
  }
  return joined;
}

}  // namespace halocline::device::host
