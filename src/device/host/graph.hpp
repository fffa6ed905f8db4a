// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "device/host/capture.hpp"
#include "device/host/scheduler.hpp"

namespace halocline::device::host {

/// Captured lanes. A launch puts the operations of the first lane into the launching stream and those of the others
/// into queues of the graph's own, with new marks between them.
class HostGraph final : public Graph {
 public:
  HostGraph(std::shared_ptr<Scheduler> scheduler, std::vector<Lane> lanes, std::size_t marks);
  /// Drops what has not started of its own queues and waits for what is running.
  ~HostGraph() override;
  HostGraph(const HostGraph&) = delete;
  HostGraph& operator=(const HostGraph&) = delete;

  [[nodiscard]] const Scheduler& scheduler() const { return *scheduler_; }
  /// Throws what an earlier launch, or the stream, failed with.
  void launch(Queue& queue);

 private:
  std::shared_ptr<Scheduler> scheduler_;
  std::vector<Lane> lanes_;
  std::size_t marks_;
  std::vector<std::shared_ptr<Queue>> queues_;  ///< of the lanes from the second on
  MarkPtr last_;                                ///< the end of the latest launch; null before the first
};

}  // namespace halocline::device::host
