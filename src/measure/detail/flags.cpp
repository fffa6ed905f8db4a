// SPDX-License-Identifier: BSD-3-Clause
#include <cstring>
#include <optional>

#include "comm/agree.hpp"
#include "halocline/error.hpp"
#include "measure/detail/kernels.hpp"
#include "measure/detail/stages.hpp"

namespace halocline::machine::measuring {
namespace {

constexpr std::string_view flag_method = "flag";
constexpr int kernel_rounds = 1000;
constexpr std::uint64_t kernel_limit = 2'000'000'000;  // nanoseconds
constexpr int stream_rounds = 32;
constexpr std::uint64_t flag_token = 0x666c'6167;

/// The words by which two devices play, in the memory of one of them: for each other device of the node a flag and a
/// counter.
struct Words {
  device::Flag* flag;
  std::uint64_t* counter;
};
Words words_for(std::byte* data, int other) {
  auto* const flags = reinterpret_cast<device::Flag*>(data) + 2 * static_cast<std::ptrdiff_t>(other);
  return {flags, &flags[1].epoch};
}

/// What this rank plays with for one of its devices.
struct Side {
  Words own;
  Words other;
  bool first;
};

/// On the host backend, by operations of a stream: there is no kernel that could wait.
void enqueue_by_stream(device::Stream& stream, const Side& side, const std::shared_ptr<device::WaitGuard>& guard) {
  const device::FlagWait wait{side.own.flag, flag_token, guard, nullptr};
  const device::FlagSignal signal{side.other.flag, flag_token};
  for (int round = 0; round < stream_rounds; ++round) {
    if (side.first) {
      stream.advance(side.own.counter, {&signal, 1});
      stream.wait(side.own.counter, {&wait, 1});
    } else {
      stream.advance(side.own.counter);
      stream.wait(side.own.counter, {&wait, 1});
      stream.signal(side.own.counter, {&signal, 1});
    }
  }
}

/// One device of a pair, on the rank that has it.
class Player {
 public:
  Player(Session& session, int device, int other, bool first)
      : session_(session),
        ordinal_(session.slot(device).ordinal),
        number_(session.native(device)),
        side_{words_for(session.words(device, device).data, other),
              words_for(session.words(device, other).data, device), first},
        stream_(session.backend().create_stream(ordinal_)),
        result_(session.backend().allocate_pinned(sizeof(std::uint64_t))) {
    std::memset(result_->data(), 0, sizeof(std::uint64_t));
    if (session.backend().kind() == DeviceKind::cuda) return;
    guard_->label = "ping-pong of a measurement";
    guard_->timeout = session.node().timeout();
    for (auto& mark : marks_) mark = session.backend().create_event(ordinal_, device::Timing::on);
  }
  void enqueue() {
    if (session_.backend().kind() == DeviceKind::cuda) {
      cuda::ping_pong(number_, *stream_, &side_.own.flag->epoch, &side_.other.flag->epoch, side_.first, kernel_rounds,
                      kernel_limit, reinterpret_cast<std::uint64_t*>(result_->data()));
      return;
    }
    stream_->record(*marks_[0]);
    enqueue_by_stream(*stream_, side_, guard_);
    stream_->record(*marks_[1]);
  }
  void finish() {
    stream_->synchronize();
    if (!side_.first) return;
    Times times;
    if (session_.backend().kind() == DeviceKind::cuda) {
      std::uint64_t nanoseconds = 0;
      std::memcpy(&nanoseconds, result_->data(), sizeof nanoseconds);
      if (nanoseconds == 0) return session_.leave_out(flag_method, "the other device did not answer within 2 s");
      times.small = {1e-9 * static_cast<double>(nanoseconds) / (2 * (kernel_rounds - 1))};
    } else {
      const Duration taken = marks_[1]->since(*marks_[0]);
      times.small = {std::chrono::duration<double>(taken).count() / (2 * stream_rounds)};
    }
    times_ = times;
  }
  [[nodiscard]] const std::optional<Times>& times() const { return times_; }

 private:
  Session& session_;
  int ordinal_;
  int number_;
  Side side_;
  std::unique_ptr<device::Stream> stream_;
  std::unique_ptr<device::Buffer> result_;
  std::shared_ptr<device::WaitGuard> guard_ = std::make_shared<device::WaitGuard>();
  std::unique_ptr<device::Event> marks_[2];
  std::optional<Times> times_;  ///< of the first one, where it ended well
};

/// Whether this rank's device reaches the other's words, with its stores.
Verdict reaches(Session& session, int device, int other) {
  if (session.mine(other))
    return session.backend().peer_access(session.slot(device).ordinal, session.slot(other).ordinal);
  const Reach reach = session.words(device, other);
  return {reach.data != nullptr, reach.why_not};
}

/// Both directions take the same: half of there and back.
void play(Session& session, int a, int b) {
  comm::RankGroup& node = session.node();
  std::int64_t refused = 0;
  std::vector<std::unique_ptr<Player>> players;
  comm::agree_on(node, [&] {
    for (const auto& [device, other] : {std::pair(a, b), std::pair(b, a)}) {
      if (!session.mine(device)) continue;
      Verdict access = reaches(session, device, other);
      const Verdict overlapping = session.backend().overlapping_launches();
      if (access.yes && !overlapping.yes) access = overlapping;
      if (access.yes) {
        players.push_back(std::make_unique<Player>(session, device, other, device == a));
      } else {
        ++refused;
        session.leave_out(flag_method, access.why_not);
      }
    }
  });
  if (node.all_reduce(refused, comm::Reduction::max) > 0) return;
  comm::agree_on(node, [&] {
    for (const auto& player : players) player->enqueue();
    for (const auto& player : players) player->finish();
  });
  for (const auto& player : players) {
    if (!player->times()) continue;
    session.found({.from = a, .to = b, .method = std::string(flag_method)}, *player->times());
    session.found({.from = b, .to = a, .method = std::string(flag_method)}, *player->times());
  }
}

}  // namespace

void measure_flags(Session& session) {
  for (int a = 0; a < session.devices(); ++a) {
    for (int b = a + 1; b < session.devices(); ++b) {
      if (session.slot(a).rank < 0 || session.slot(b).rank < 0) continue;
      if (session.time_left({flag_method})) play(session, a, b);
    }
  }
}

}  // namespace halocline::machine::measuring
