// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "comm/local/group.hpp"
#include "comm/rank_group.hpp"
#include "comm/requests.hpp"
#include "comm/shared_file.hpp"
#include "core/clock.hpp"

namespace halocline::comm::local {

/// Ranks within one process: the serial backend (one rank) and the threads backend. Also what a backend has whose mailboxes are
/// elsewhere (comm/store).
class LocalCommunicator : public RankGroup {
 public:
  LocalCommunicator(CommBackend backend, std::shared_ptr<Group> group, int rank, const Clock& clock, Duration timeout);

  [[nodiscard]] CommBackend backend() const override { return backend_; }
  [[nodiscard]] rank_id rank() const override { return rank_id(rank_); }
  [[nodiscard]] int size() const override { return static_cast<int>(group_->world_ranks.size()); }
  [[nodiscard]] const Clock& clock() const override { return *clock_; }
  [[nodiscard]] DeviceSupport device_support() const override {
    return {DeviceSupport::Verdict::no, "between ranks of one process, messages are copied by the host"};
  }

  [[nodiscard]] std::unique_ptr<Request> send(std::span<const std::byte> bytes, rank_id to, int tag) override;
  [[nodiscard]] std::unique_ptr<Request> receive(std::span<std::byte> bytes, rank_id from, int tag) override;
  [[nodiscard]] std::unique_ptr<PersistentRequest> persistent_send(std::span<const std::byte> bytes, rank_id to,
                                                                   int tag) override;
  [[nodiscard]] std::unique_ptr<PersistentRequest> persistent_receive(std::span<std::byte> bytes, rank_id from,
                                                                      int tag) override;
  [[nodiscard]] std::unique_ptr<PersistentRequest> persistent_receive_at_most(std::span<std::byte> bytes, rank_id from,
                                                                              int tag) override;
  [[nodiscard]] Verdict concurrent() const override { return Verdict::of(true); }
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
  void poison() noexcept override { life_->poisoned = true; }
  [[nodiscard]] bool poisoned() const noexcept override { return life_->poisoned; }

 protected:
  /// Makes the group of some ranks of this one, in their new order, of which this rank is the new_rank-th. Collective over them.
  [[nodiscard]] virtual std::unique_ptr<RankGroup> of_members(const std::vector<int>& members, int new_rank,
                                                              int colour);

 private:
  void require_usable(std::string_view operation) const;
  /// Runs a collective; any error in it leaves the ranks out of step, so it poisons.
  template <typename Body>
  auto collective(std::string_view operation, Body&& body);
  /// Returns the messages of all ranks, by rank; waits for all ranks.
  [[nodiscard]] std::vector<Message> exchange(std::string_view operation, Message mine);
  void post(std::string_view operation, Message message, int to);
  [[nodiscard]] Message wait_for(std::string_view operation, int from);
  [[nodiscard]] Message wait_for(std::string_view operation, int from, const Deadline& deadline);
  template <typename T>
  void reduce(std::span<T> values, Reduction reduction);

  CommBackend backend_;
  std::shared_ptr<Group> group_;
  std::shared_ptr<Life> life_ = std::make_shared<Life>();
  int rank_;
  const Clock* clock_;
};

}  // namespace halocline::comm::local
