// SPDX-License-Identifier: BSD-3-Clause
#include "measure/detail/gate.hpp"

#include <thread>

#include "comm/agree.hpp"
#include "comm/requests.hpp"
#include "halocline/error.hpp"

namespace halocline::machine::measuring {
namespace {

constexpr std::uint64_t gate_token = 0x6761'7465;

using Word = std::atomic_ref<std::uint64_t>;

}  // namespace

/// In a rank's segment of the window, zero at first. Each on a line of its own, because the host writes one while
/// devices poll the other.
struct Gate::Words {
  device::Flag flag;                ///< what streams wait for; of the node: in the segment of its first rank
  alignas(64) std::uint64_t epoch;  ///< what they wait until; in their own rank's segment
  device::Flag bell;
};

Gate::Gate(comm::RankGroup& node, device::Backend& backend)
    : node_(node), backend_(backend), window_(node.shared_window(2 * sizeof(Words))) {
  comm::agree_on(node, [&] {
    if (backend.device_count() == 0) return;
    holds_ = backend.overlapping_launches().yes;
    const auto mine = window_->segment(node.rank());
    own_registration_ = backend.register_host(mine.data(), mine.size());
    if (node.rank() != rank_id(0)) {
      const auto root = window_->segment(rank_id(0));
      root_registration_ = backend.register_host(root.data(), root.size());
    }
    auto guard = std::make_shared<device::WaitGuard>();
    guard->label = "the gate of a measurement";
    guard->timeout = node.timeout();
    guard_ = std::move(guard);
    if (backend.kind() == DeviceKind::host) bell_ = backend.create_stream(0);
  });
}

Gate::~Gate() {
  try {
    if (bell_ != nullptr) bell_->synchronize();
  } catch (const Error&) {  // reported by the rank that rang it
  }
}

Gate::Words& Gate::own(Scope scope) const {
  const auto segment = window_->segment(node_.rank());
  return reinterpret_cast<Words*>(segment.data())[scope == Scope::rank ? 0 : 1];
}

Gate::Words& Gate::opened(Scope scope) const {
  const rank_id holder = scope == Scope::rank ? node_.rank() : rank_id(0);
  return reinterpret_cast<Words*>(window_->segment(holder).data())[scope == Scope::rank ? 0 : 1];
}

void Gate::shut(Scope scope) {
  const std::uint64_t round = ++rounds_[static_cast<int>(scope)];
  Word(own(scope).epoch).store(round, std::memory_order_release);
}

void Gate::wait(device::Stream& stream, Scope scope) {
  if (!holds_) return;
  const device::FlagWait wait{&opened(scope).flag, gate_token, guard_, nullptr};
  stream.wait(&own(scope).epoch, {&wait, 1});
}

void Gate::open(Scope scope) {
  const std::uint64_t round = rounds_[static_cast<int>(scope)];
  Words& words = opened(scope);
  if (scope == Scope::rank || node_.rank() == rank_id(0)) {
    Word(words.flag.token).store(gate_token, std::memory_order_relaxed);
    Word(words.flag.epoch).store(round, std::memory_order_release);
  } else {
    const Deadline deadline(node_.clock(), node_.timeout());
    while (Word(words.flag.epoch).load(std::memory_order_acquire) < round) {
      if (deadline.expired()) throw DeadlineError("the gate of a measurement was not opened by the node's first rank");
      std::this_thread::yield();
    }
  }
  ring();
}

/// A host device looks at flags when it is rung, or else once a millisecond; a store by the host rings no device.
void Gate::ring() {
  if (bell_ == nullptr) return;
  Words& words = own(Scope::rank);
  const device::FlagSignal signal{&words.bell, gate_token};
  bell_->signal(&words.epoch, {&signal, 1});
}

}  // namespace halocline::machine::measuring
