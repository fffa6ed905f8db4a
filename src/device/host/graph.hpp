// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "device/host/capture.hpp"
#include "device/host/scheduler.hpp"

namespace halocline::device::host {

/// Captured lanes. A launch enqueues the operations of the first lane in the launching stream and the others in the graph's own
/// queues, with new marks between them.
class HostGraph final : public Graph {
 public:
  HostGraph(std::shared_ptr<Scheduler> scheduler, std::vector<Lane> lanes, std::size_t marks);
  /// Drops operations in its own queues that have not started, and waits for running ones.
  ~HostGraph() override;
  HostGraph(const HostGraph&) = delete;
  HostGraph& operator=(const HostGraph&) = delete;

  [[nodiscard]] const Scheduler& scheduler() const { return *scheduler_; }
  /// Throws the error of an earlier launch, or of the stream, if it failed.
  void launch(Queue& queue);

 private:
  std::shared_ptr<Scheduler> scheduler_;
  std::vector<Lane> lanes_;
  std::size_t marks_;
  std::vector<std::shared_ptr<Queue>> queues_;  ///< for all lanes but the first
  MarkPtr last_;                                ///< the end of the latest launch; null before the first
};

}  // namespace halocline::device::host
