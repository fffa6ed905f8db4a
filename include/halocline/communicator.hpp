// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "halocline/duration.hpp"
#include "halocline/error.hpp"
#include "halocline/ids.hpp"

namespace halocline {
class Clock;
}  // namespace halocline

#pragma GCC visibility push(default)
namespace halocline::comm {

/// The implementation of a Communicator.
enum class CommBackend : int { serial, threads, mpi };
[[nodiscard]] std::string_view to_string(CommBackend backend);

enum class Reduction : int { sum, min, max };

/// Whether messages between different ranks may be in memory that the host cannot access (a GPU's), as the library
/// of a Communicator reports. Nothing is tried.
struct DeviceSupport {
  enum class Verdict : int { no, yes, unknown };
  Verdict verdict = Verdict::unknown;
  std::string why;  ///< if it is not yes
};

class Request;
class PersistentRequest;
class SharedWindow;

/// A private group of ranks. No message of one Communicator is ever received by another, nor by the
/// user's own MPI calls. Owner; not copyable, because making a second one is collective.
///
/// One thread of a rank at a time calls it. Collectives must be called by all ranks in the same order. A call that
/// takes longer than timeout() throws DeadlineError that names the operation, or ends the process (see from_mpi()); then the
/// Communicator is poisoned and each call throws CommunicationError at once. Waits back off; they do not spin.
class Communicator {
 public:
  Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  /// Never communicates. An MPI backend's communicator that was not closed is leaked, and logged.
  virtual ~Communicator() = default;

  [[nodiscard]] virtual CommBackend backend() const = 0;
  [[nodiscard]] virtual rank_id rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;
  [[nodiscard]] virtual const Clock& clock() const = 0;
  /// For messages between different ranks; messages of a rank to itself are copied by the host, with every backend. Local.
  [[nodiscard]] virtual DeviceSupport device_support() const = 0;

  [[nodiscard]] Duration timeout() const { return timeout_; }
  void set_timeout(Duration timeout) { timeout_ = timeout; }

  /// Non-blocking point-to-point. Messages between two ranks with one tag arrive in order. 0 <= tag < 32768.
  /// Both sides must state the same length; otherwise the receive's test() throws CommunicationError. Some MPIs have
  /// written beyond a receive that is too short by then (docs/decisions/0002), so lengths come from the plan.
  [[nodiscard]] virtual std::unique_ptr<Request> send(std::span<const std::byte> bytes, rank_id to, int tag) = 0;
  [[nodiscard]] virtual std::unique_ptr<Request> receive(std::span<std::byte> bytes, rank_id from, int tag) = 0;
  [[nodiscard]] virtual std::unique_ptr<PersistentRequest> persistent_send(std::span<const std::byte> bytes, rank_id to,
                                                                           int tag) = 0;
  [[nodiscard]] virtual std::unique_ptr<PersistentRequest> persistent_receive(std::span<std::byte> bytes, rank_id from,
                                                                              int tag) = 0;

  virtual void barrier() = 0;
  /// Replaces bytes on all other ranks by root's, which may have another length.
  virtual void broadcast(std::vector<std::byte>& bytes, rank_id root) = 0;
  /// The bytes of all ranks, by rank; lengths may differ.
  [[nodiscard]] virtual std::vector<std::vector<std::byte>> all_gather(std::span<const std::byte> bytes) = 0;
  /// Element-wise over ranks, in place; the same length on all ranks. Sums of doubles are added in rank order, so
  /// they do not depend on timing; a NaN on any rank gives NaN. Sums of integers wrap.
  virtual void all_reduce(std::span<double> values, Reduction reduction) = 0;
  virtual void all_reduce(std::span<std::int64_t> values, Reduction reduction) = 0;

  /// A new group of the ranks with the same colour (0 or more), ordered by key, then by rank. It has this one's
  /// timeout at first. Collective.
  [[nodiscard]] virtual std::unique_ptr<Communicator> split(int colour, int key) = 0;
  /// The ranks that share this rank's node, in rank order: nodes as the backend finds them, or virtual nodes of
  /// ranks_per_node (1 or more) consecutive ranks within them, of which the last may have fewer. Collective.
  [[nodiscard]] virtual std::unique_ptr<Communicator> split_by_node(std::optional<int> ranks_per_node) = 0;
  /// Collective over ranks that share memory. bytes: size of this rank's segment; may differ, may be 0.
  [[nodiscard]] virtual std::unique_ptr<SharedWindow> shared_window(std::size_t bytes) = 0;

  /// Frees all resources. Collective unless poisoned; afterwards only the destructor may be called.
  virtual void close() = 0;
  /// Marks this group as unusable after an error, so that nothing waits for it any more. Local.
  virtual void poison() noexcept = 0;
  [[nodiscard]] virtual bool poisoned() const noexcept = 0;

  // Conveniences in terms of the above.
  [[nodiscard]] double all_reduce(double value, Reduction reduction) {
    all_reduce(std::span<double>(&value, 1), reduction);
    return value;
  }
  [[nodiscard]] std::int64_t all_reduce(std::int64_t value, Reduction reduction) {
    all_reduce(std::span<std::int64_t>(&value, 1), reduction);
    return value;
  }

 private:
  Duration timeout_ = std::chrono::seconds(120);
};

/// How a communicator of another library becomes a Communicator: a specialisation has a static adopt(native) that returns a
/// std::unique_ptr<Communicator>. mpi.hpp has it for MPI_Comm.
template <typename Native>
struct Adopt;
template <typename Native>
concept Adoptable = requires(const Native& native) {
  { Adopt<Native>::adopt(native) } -> std::same_as<std::unique_ptr<Communicator>>;
};

/// The ranks of a domain: a communicator of another library, such as MPI_COMM_WORLD with halocline/mpi.hpp, which is duplicated,
/// collectively, and may be freed afterwards; a Communicator to take over; or one that outlives the domain. Several domains may
/// use one: each has a private group, made in Domain::plan().
class Ranks {
 public:
  template <Adoptable Native>
  Ranks(const Native& comm)
      : Ranks(Adopt<Native>::adopt(comm)) {}   // NOLINT(google-explicit-constructor): passed as they are
  Ranks(std::unique_ptr<Communicator> comm);   // NOLINT(google-explicit-constructor)
  Ranks(Communicator& comm) : comm_(&comm) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] Communicator& comm() const { return *comm_; }
  /// What was taken over; null for a communicator that outlives the domain.
  [[nodiscard]] std::unique_ptr<Communicator> release() { return std::move(owned_); }

 private:
  std::unique_ptr<Communicator> owned_;
  Communicator* comm_;
};

}  // namespace halocline::comm
#pragma GCC visibility pop
