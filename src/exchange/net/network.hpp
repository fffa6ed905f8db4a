// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <tuple>

#include "comm/rank_group.hpp"
#include "core/verdict.hpp"
#include "device/backend.hpp"
#include "exchange/detail/abort_word.hpp"
#include "exchange/net/engine.hpp"
#include "exchange/net/messages.hpp"
#include "halocline/routing.hpp"

namespace halocline::exchange::net {

/// The engine of a rank's ports, with what makes it move: a thread, where one may call what moves the messages beside others that call MPI, or
/// else the thread that waits for an exchange. Without a thread nothing moves outside of progress(), so that a graph cannot contain puts.
class Network {
 public:
  /// Collective. comm and abort must outlive it. Throws CapabilityError on all ranks if one has not the engine that is wanted.
  Network(comm::RankGroup& comm, device::Backend& backend, AbortWord& abort, routing::NetEngine wanted);
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;
  ~Network() { stop(); }

  [[nodiscard]] Engine& engine() { return *engine_; }
  /// Yes, or why there is no thread.
  [[nodiscard]] const Verdict& threaded() const { return threaded_; }
  /// The tag of the next port from one rank to another, in the ports' own group; both ends open theirs in the same order. sends: of the
  /// sender's end, which has ranks of its own where both are this rank.
  [[nodiscard]] int next_tag(rank_id sender, rank_id receiver, bool sends);
  /// After all ranks have opened their ports. Collective; nothing moves before all have a thread. Throws the same error on all ranks.
  void start(comm::RankGroup& comm);
  /// Without a thread: makes progress; true when exchanges up to this one are over at all ports.
  [[nodiscard]] bool progress(std::uint64_t epoch);
  /// Throws the error of the thread, if it has failed. Never blocks.
  void check() const;

  /// After a failure, once the abort word is raised: the other ends are told. Waits for them for a short time at most.
  void give_up() noexcept;
  /// Ends the thread. Local; what is under way stays so.
  void stop() noexcept;
  /// Collective, when all exchanges are over: ends the thread and frees the group.
  void close(const Deadline& deadline);

 private:
  enum class Phase : int { preparing, moving, stopping };
  void run(const comm::ConcurrentCaller* caller) noexcept;
  /// One step of the thread: true if something has moved. A failure raises the abort word.
  bool move(const comm::ConcurrentCaller* caller) noexcept;
  void tell_others() noexcept;

  device::Backend* backend_;
  AbortWord* abort_;
  std::unique_ptr<Messages> messages_;
  std::unique_ptr<Engine> engine_;
  rank_id me_;
  Verdict threaded_;
  std::map<std::tuple<rank_id, rank_id, bool>, int> tags_;  ///< that were given
  bool started_ = false;                                    ///< on all ranks: other ends wait for this one's
  bool told_ = false;                                       ///< the other ends, of a failure
  std::atomic<Phase> phase_ = Phase::preparing;             ///< of the thread
  mutable std::mutex mutex_;                                ///< of failure_
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace halocline::exchange::net
