// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "halocline/environment.hpp"
#include "halocline/ids.hpp"

#pragma GCC visibility push(default)
namespace halocline::comm {

/// The implementation of a Communicator.
enum class CommBackend : int { serial, threads, mpi, store };
[[nodiscard]] std::string_view to_string(CommBackend backend);

enum class Reduction : int { sum, min, max };

class Communicator;
class RankGroup;

/// How a communicator of another library becomes Halocline's: a specialisation has a static adopt(native) that returns the
/// duplicate. mpi.hpp has it for MPI_Comm.
template <typename Native>
struct Adopt;
template <typename Native>
concept Adoptable = requires(const Native& native) {
  { Adopt<Native>::adopt(native) } -> std::same_as<Communicator>;
};

/// The ranks of a domain. Made from a communicator of another library, such as MPI_COMM_WORLD with halocline/mpi.hpp, it owns a
/// duplicate, which a domain takes over; the original may be freed. From Session::world() or Domain::plan() it is a handle
/// that owns nothing, valid as long as these. Several domains may use one world: each has a private group, made in Domain::plan().
///
/// One thread of a rank at a time calls it. All functions but rank(), size(), backend() and the timeout's are
/// collective: all ranks call them in the same order. A call that takes longer than timeout() throws DeadlineError that
/// names the operation, or ends the process (see from_mpi()); then each call throws CommunicationError at once.
class Communicator {
 public:
  template <Adoptable Native>
  Communicator(const Native& native)  // NOLINT(google-explicit-constructor): passed as it is
      : Communicator(Adopt<Native>::adopt(native)) {}
  Communicator(std::unique_ptr<RankGroup> group);  // NOLINT(google-explicit-constructor): by the library
  Communicator(RankGroup& group);                  // NOLINT(google-explicit-constructor): not owned
  Communicator(const Communicator& other);         ///< a handle to the same group, which owns nothing
  Communicator(Communicator&& other) noexcept;
  Communicator& operator=(Communicator other) noexcept;
  /// Does not communicate: what it owns and was not closed is leaked with MPI, and logged.
  ~Communicator();

  [[nodiscard]] CommBackend backend() const;
  [[nodiscard]] rank_id rank() const;
  [[nodiscard]] int size() const;
  [[nodiscard]] Duration timeout() const;
  void set_timeout(Duration timeout);  ///< above 0 and up to 1e9 s; otherwise throws InvalidArgument

  /// Compares the calls that the ranks are in, as collective calls of a domain do when they begin; call: the name of this rank's, with
  /// what must be the same on all ranks. Where they differ, throws InvalidArgument on all ranks, which names the calls.
  void begin(std::string_view call);
  void barrier();
  /// The bytes of all ranks, by rank; lengths may differ.
  [[nodiscard]] std::vector<std::vector<std::byte>> all_gather(std::span<const std::byte> bytes);
  /// Over all ranks. Sums of doubles are added in rank order, so that they do not depend on timing; a NaN on any rank gives NaN.
  /// Sums of integers wrap. The first two work element-wise, in place, on the same length on all ranks.
  void all_reduce(std::span<double> values, Reduction reduction);
  void all_reduce(std::span<std::int64_t> values, Reduction reduction);
  [[nodiscard]] double all_reduce(double value, Reduction reduction);
  [[nodiscard]] std::int64_t all_reduce(std::int64_t value, Reduction reduction);
  /// Frees it; afterwards only the destructor may be called.
  void close();

  /// The interface of the library's own parts.
  operator RankGroup&() const { return *group_; }      // NOLINT(google-explicit-constructor)
  [[nodiscard]] std::unique_ptr<RankGroup> release();  ///< null for a handle that owns nothing

 private:
  std::unique_ptr<RankGroup> owned_;
  RankGroup* group_;
};

}  // namespace halocline::comm
#pragma GCC visibility pop
