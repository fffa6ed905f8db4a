// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>

#include "comm/rank_group.hpp"
#include "comm/requests.hpp"
#include "device/backend.hpp"

namespace halocline::machine::measuring {

/// Blocks streams until all of them have their work, so that the time does not include enqueuing. A
/// stream waits for a word in host memory that all ranks of the node share and devices can access; the host opens
/// the gate by writing it. There is one for this rank alone and one for the whole node.
///
/// If launches are serialised, nothing could be enqueued after a closed gate: it is then always open.
class Gate {
 public:
  /// Collective.
  Gate(comm::RankGroup& node, device::Backend& backend);
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  ~Gate();

  enum class Scope : int { rank, node };
  /// Begins a round: until open() streams can wait. For the gate of the whole node: called by all ranks, between collectives. No
  /// stream may be waiting from an earlier round.
  void shut(Scope scope);
  void wait(device::Stream& stream, Scope scope);
  /// For the gate of the whole node: called by all ranks, after all have enqueued (an agreement in between). The gate is open when it returns.
  void open(Scope scope);
  [[nodiscard]] bool holds() const { return holds_; }

 private:
  struct Words;
  [[nodiscard]] Words& own(Scope scope) const;
  [[nodiscard]] Words& opened(Scope scope) const;
  void ring();

  comm::RankGroup& node_;
  device::Backend& backend_;
  std::unique_ptr<comm::SharedWindow> window_;
  std::unique_ptr<device::Registration> own_registration_;
  std::unique_ptr<device::Registration> root_registration_;
  std::unique_ptr<device::Stream> bell_;
  std::shared_ptr<const device::WaitGuard> guard_;
  std::uint64_t rounds_[2] = {0, 0};
  bool holds_ = false;
};

}  // namespace halocline::machine::measuring
