// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <memory>
#include <string>
#include <string_view>

#include "comm/mpi/device_support.hpp"
#include "comm/mpi/state.hpp"
#include "comm/rank_group.hpp"
#include "comm/requests.hpp"
#include "comm/shared_file.hpp"
#include "core/clock.hpp"

namespace halocline::comm::mpi {

/// Ranks as MPI processes.
///
/// Collectives are MPI's non-blocking ones, tested until the timeout. MPI 3 has no non-blocking way to split a
/// communicator, or to free one. A barrier therefore comes first, so that MPI_Comm_split and MPI_Comm_free are called
/// only when all ranks have reached it. If a rank dies between the barrier and the call, a Watchdog ends the others.
class MpiCommunicator final : public RankGroup {
 public:
  /// Takes ownership of comm, which must be private. largest_count: see Layout. on_one_node: its ranks are, even if the job is not.
  MpiCommunicator(MPI_Comm comm, Duration timeout, int largest_count = Layout::largest, bool on_one_node = false);
  ~MpiCommunicator() override;

  [[nodiscard]] CommBackend backend() const override { return CommBackend::mpi; }
  [[nodiscard]] rank_id rank() const override { return rank_id(state_->rank); }
  [[nodiscard]] int size() const override { return state_->size; }
  [[nodiscard]] const Clock& clock() const override { return Clock::steady(); }
  [[nodiscard]] DeviceSupport device_support() const override { return mpi::device_support(); }

  [[nodiscard]] std::unique_ptr<Request> send(std::span<const std::byte> bytes, rank_id to, int tag) override;
  [[nodiscard]] std::unique_ptr<Request> receive(std::span<std::byte> bytes, rank_id from, int tag) override;
  [[nodiscard]] std::unique_ptr<PersistentRequest> persistent_send(std::span<const std::byte> bytes, rank_id to,
                                                                   int tag) override;
  [[nodiscard]] std::unique_ptr<PersistentRequest> persistent_receive(std::span<std::byte> bytes, rank_id from,
                                                                      int tag) override;
  [[nodiscard]] std::unique_ptr<PersistentRequest> persistent_receive_at_most(std::span<std::byte> bytes, rank_id from,
                                                                              int tag) override;
  [[nodiscard]] Verdict concurrent() const override;
  [[nodiscard]] std::unique_ptr<ConcurrentCaller> concurrent_caller() override;
  void make_progress() override;
  void barrier() override;
  void broadcast(std::vector<std::byte>& bytes, rank_id root) override;
  [[nodiscard]] std::vector<std::vector<std::byte>> all_gather(std::span<const std::byte> bytes) override;
  void all_reduce(std::span<double> values, Reduction reduction) override;
  void all_reduce(std::span<std::int64_t> values, Reduction reduction) override;
  using RankGroup::all_reduce;
  [[nodiscard]] std::unique_ptr<RankGroup> split(int colour, int key) override;
  [[nodiscard]] std::unique_ptr<RankGroup> split_by_node(std::optional<int> ranks_per_node) override;
  [[nodiscard]] std::unique_ptr<SharedWindow> shared_window(std::size_t bytes) override;
  [[nodiscard]] std::unique_ptr<SharedFile> open_shared_file(const std::string& path, const std::string& what,
                                                             std::int64_t bytes) override;
  void close() override;
  /// Sends the exception that is handled now to the other ranks.
  void poison() noexcept override;
  void take_leave() noexcept override;
  [[nodiscard]] std::string missing() override;
  [[nodiscard]] std::string lost() override;
  [[nodiscard]] bool poisoned() const noexcept override { return state_->poisoned(); }

 private:
  void require_usable(std::string_view operation) const;
  /// Runs a collective; any error in it leaves the ranks out of step, so it poisons.
  template <typename Body>
  auto collective(std::string_view operation, Body&& body);
  /// Waits for a collective that was begun. If that fails, keeps the memory that MPI may still write into.
  void complete(const std::shared_ptr<Operation>& pending, std::string_view operation);
  /// Broadcasts root's bytes, whose number all ranks know, and returns them.
  [[nodiscard]] std::vector<std::byte> broadcast_known(std::vector<std::byte> bytes, int root,
                                                       std::string_view operation);
  /// Gathers the same number of bytes from each rank, by rank.
  [[nodiscard]] std::vector<std::byte> gather_equal(std::span<const std::byte> bytes, std::string_view operation);

  std::shared_ptr<State> state_;
  std::uint64_t polls_ = 0;  ///< of the pending requests, at the last make_progress()
  bool closed_ = false;
};

/// A private duplicate, as from_mpi() makes it.
[[nodiscard]] std::unique_ptr<RankGroup> duplicate(MPI_Comm comm, Duration timeout,
                                                   int largest_count = Layout::largest);

}  // namespace halocline::comm::mpi
