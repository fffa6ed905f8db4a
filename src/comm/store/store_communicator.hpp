// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <memory>
#include <string>

#include "comm/detail/job_processes.hpp"
#include "comm/local/local_communicator.hpp"
#include "halocline/session.hpp"

namespace halocline::comm::store {

/// Processes whose messages travel through a store: slow, for set-up. All else is as between threads.
class StoreCommunicator final : public local::LocalCommunicator {
 public:
  /// name: of the group, in the store.
  StoreCommunicator(std::shared_ptr<Store> store, std::string name, int rank, int size, Duration timeout);

  [[nodiscard]] DeviceSupport device_support() const override;
  [[nodiscard]] std::unique_ptr<RankGroup> split_by_node(std::optional<int> ranks_per_node) override;
  [[nodiscard]] std::unique_ptr<SharedWindow> shared_window(std::size_t bytes) override;
  /// Of the ranks that split_by_node() has found on this node.
  [[nodiscard]] std::string lost() override;
  void poison() noexcept override;

 protected:
  [[nodiscard]] std::unique_ptr<RankGroup> of_members(const std::vector<int>& members, int new_rank,
                                                      int colour) override;

 private:
  std::shared_ptr<Store> store_;
  std::string name_;
  int splits_ = 0;                  ///< so far: the same on all ranks
  std::map<int, Process> of_node_;  ///< by rank
};

}  // namespace halocline::comm::store
