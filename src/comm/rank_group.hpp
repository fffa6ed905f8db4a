// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/verdict.hpp"
#include "halocline/communicator.hpp"
#include "halocline/error.hpp"

namespace halocline {
class Clock;
}  // namespace halocline

namespace halocline::comm {

/// Whether messages between different ranks may be in memory that the host cannot access (a GPU's), as the library
/// of a Communicator reports. Nothing is tried.
struct DeviceSupport {
  enum class Verdict : int { no, yes, unknown };
  Verdict verdict = Verdict::unknown;
  std::string why;  ///< if it is not yes
};

/// A thread that calls groups beside the other threads of its rank, from its making to its destruction.
class ConcurrentCaller {
 public:
  virtual ~ConcurrentCaller() = default;
  /// What is behind the groups ends (MPI_Finalize was called), and waits for this thread: no group may be called any more.
  [[nodiscard]] virtual bool must_end() const noexcept = 0;
};

class Request;
class PersistentRequest;
class SharedFile;
class SharedWindow;

/// A private group of ranks, as a backend provides it. No message of one group is ever received by another, nor by the
/// user's own MPI calls. Owner; not copyable, because making a second one is collective.
///
/// One thread of a rank at a time calls it. Collectives must be called by all ranks in the same order. A call that
/// takes longer than timeout() throws DeadlineError that names the operation, or ends the process (see from_mpi()); then the
/// group is poisoned and each call throws CommunicationError at once. Waits back off; they do not spin.
class RankGroup {
 public:
  RankGroup() = default;
  RankGroup(const RankGroup&) = delete;
  RankGroup& operator=(const RankGroup&) = delete;
  /// Never communicates. A group of the MPI backend that was not closed is leaked, and logged.
  virtual ~RankGroup() = default;

  [[nodiscard]] virtual CommBackend backend() const = 0;
  [[nodiscard]] virtual rank_id rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;
  [[nodiscard]] virtual const Clock& clock() const = 0;
  /// For messages between different ranks; messages of a rank to itself are copied by the host, with every backend. Local.
  [[nodiscard]] virtual DeviceSupport device_support() const = 0;

  [[nodiscard]] Duration timeout() const { return timeout_; }
  void set_timeout(Duration timeout) { timeout_ = timeout; }

  /// Non-blocking point-to-point. Messages between two ranks with one tag arrive in order. 0 <= tag < 32768.
  /// Both sides must state the same length, but for persistent_receive_at_most; otherwise the receive's test() throws CommunicationError. Some MPIs have
  /// written beyond a receive that is too short by then (docs/decisions/0002), so lengths come from the plan.
  [[nodiscard]] virtual std::unique_ptr<Request> send(std::span<const std::byte> bytes, rank_id to, int tag) = 0;
  [[nodiscard]] virtual std::unique_ptr<Request> receive(std::span<std::byte> bytes, rank_id from, int tag) = 0;
  [[nodiscard]] virtual std::unique_ptr<PersistentRequest> persistent_send(std::span<const std::byte> bytes, rank_id to,
                                                                           int tag) = 0;
  [[nodiscard]] virtual std::unique_ptr<PersistentRequest> persistent_receive(std::span<std::byte> bytes, rank_id from,
                                                                              int tag) = 0;
  /// The same for messages of up to so many bytes, whose own length the receiver finds in them.
  [[nodiscard]] virtual std::unique_ptr<PersistentRequest> persistent_receive_at_most(std::span<std::byte> bytes,
                                                                                      rank_id from, int tag) = 0;
  /// Whether two threads of this rank may call two groups at the same time (MPI_THREAD_MULTIPLE). Local.
  [[nodiscard]] virtual Verdict concurrent() const = 0;
  /// Of a thread of the library that is about to call groups beside the rank's other threads; null where nobody could end what is
  /// behind the groups meanwhile.
  [[nodiscard]] virtual std::unique_ptr<ConcurrentCaller> concurrent_caller() { return nullptr; }

  /// Gives messages that have left their senders, of any group, a chance to move on, as a test() does: for ranks that wait for something
  /// else. An MPI may have completed a send and not yet have written it to its socket. Local.
  virtual void make_progress() {}

  virtual void barrier() = 0;
  /// Replaces bytes on all other ranks by root's, which may have another length.
  virtual void broadcast(std::vector<std::byte>& bytes, rank_id root) = 0;
  /// The bytes of all ranks, by rank; lengths may differ.
  [[nodiscard]] virtual std::vector<std::vector<std::byte>> all_gather(std::span<const std::byte> bytes) = 0;
  /// Element-wise over ranks, in place; the same length on all ranks. Sums of doubles are added in rank order, so
  /// they do not depend on timing; a NaN on any rank gives NaN. Sums of integers wrap.
  virtual void all_reduce(std::span<double> values, Reduction reduction) = 0;
  virtual void all_reduce(std::span<std::int64_t> values, Reduction reduction) = 0;
  [[nodiscard]] double all_reduce(double value, Reduction reduction) {
    all_reduce(std::span<double>(&value, 1), reduction);
    return value;
  }
  [[nodiscard]] std::int64_t all_reduce(std::int64_t value, Reduction reduction) {
    all_reduce(std::span<std::int64_t>(&value, 1), reduction);
    return value;
  }

  /// A new group of the ranks with the same colour (0 or more), ordered by key, then by rank. It has this one's
  /// timeout at first. Collective.
  [[nodiscard]] virtual std::unique_ptr<RankGroup> split(int colour, int key) = 0;
  /// The ranks that share this rank's node, in rank order: nodes as the backend finds them, or virtual nodes of
  /// ranks_per_node (1 or more) consecutive ranks within them, of which the last may have fewer. Collective.
  [[nodiscard]] virtual std::unique_ptr<RankGroup> split_by_node(std::optional<int> ranks_per_node) = 0;
  /// Collective over ranks that share memory. bytes: size of this rank's segment; may differ, may be 0.
  [[nodiscard]] virtual std::unique_ptr<SharedWindow> shared_window(std::size_t bytes) = 0;
  /// Opens an existing file for writing by all ranks; the path is the same on all. Collective. what: the file's name in errors.
  /// bytes: that the file will have. Throws the same error on all ranks if one of them cannot open it or may not write so much, or
  /// the file system has not as much space: collective writes of some MPIs wait for ever for a rank that fails.
  [[nodiscard]] virtual std::unique_ptr<SharedFile> open_shared_file(const std::string& path, const std::string& what,
                                                                     std::int64_t bytes) = 0;

  /// Frees all resources. Collective unless poisoned; afterwards only the destructor may be called.
  virtual void close() = 0;
  /// Marks this group as unusable after an error, so that nothing waits for it any more. Local. With MPI the exception that is
  /// handled now is sent to the other ranks, whose waits end with it; between nodes not one that another rank is gone or late.
  virtual void poison() noexcept = 0;
  [[nodiscard]] virtual bool poisoned() const noexcept = 0;
  /// At the end of a process, after poison(): waits until the other ranks are there, too, which may still remove their files, but at most 0.2 s.
  /// Launchers of MPI end a job with its first process.
  virtual void take_leave() noexcept {}

  /// After a wait that has lasted too long: asks which ranks of this group do not wait, too. "rank 1 of MPI_COMM_WORLD is missing";
  /// empty if all wait, or where the backend cannot know. Takes 0.15 s at most. Local.
  [[nodiscard]] virtual std::string missing() { return {}; }
  /// The same for processes of this node that have ended or are stopped, whatever the others do; as far as the launcher tells. Local.
  [[nodiscard]] virtual std::string lost() { return {}; }
  /// Waits of this group end, long before their timeout, if lost() names a rank: looked at so often. Zero: not looked at.
  [[nodiscard]] Duration looks_each() const { return looks_each_; }
  void look_each(Duration interval) { looks_each_ = interval; }

 private:
  Duration timeout_ = std::chrono::seconds(120);
  Duration looks_each_ = Duration::zero();
};

}  // namespace halocline::comm
