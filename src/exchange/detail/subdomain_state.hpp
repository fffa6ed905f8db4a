// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <vector>

#include "comm/rank_group.hpp"
#include "core/shared_values.hpp"
#include "device/backend.hpp"
#include "device/tracer.hpp"
#include "exchange/detail/mailbox.hpp"
#include "exchange/exchange.hpp"
#include "exchange/pack/copies.hpp"
#include "halocline/direction.hpp"
#include "partition/halo.hpp"

namespace halocline::exchange {

class Fusion;
class Mappings;
class MpiDeviceMessages;
class NcclMessages;
namespace net {
class Network;
}
namespace nccl {
class Communicators;
}

/// A local subdomain with the data that its endpoints share. Must outlive them and keep its address.
struct SubdomainState {
  LocalSubdomain subdomain;
  Memory memory;    ///< where owned cells are read
  Memory received;  ///< where halo cells are written
  Mailbox mailbox;
  /// By field: where in the mailbox the swaps of its buffers are counted, in stream order.
  std::vector<std::size_t> swaps;
  /// Whether it has ends that are driven by a schedule, or by the host.
  bool scheduled = false;
  bool hosted = false;
  /// The sides of its halo that exchanges fill, and the sides among them that devices fill without the host.
  Directions filled;
  Directions filled_by_device;
  /// Recorded in the user's stream when an exchange begins, for those two: all readers of halos and writers of owned cells
  /// before it are done.
  std::unique_ptr<device::Event> begun;

  // If it is scheduled.

  /// The device's one operation if that is a part of the schedule; otherwise null.
  Fusion* fusion = nullptr;
  /// The stream of this side of every exchange; ends send in streams of their own.
  std::unique_ptr<device::Stream> stream;
  /// Its messages are packed by the operation that advances the epoch: see ScheduledEndpoint::may_count().
  bool counted_by_packing = false;
  /// After begun and, unless packing counts, the advance of the epoch: halos and receive buffers may be written.
  std::unique_ptr<device::Event> open;
  /// All halos that a schedule fills are complete, and all owned cells that it sends are sent.
  std::unique_ptr<device::Event> done;
  /// The same after the graph, if the sequence that records done is replayed.
  std::unique_ptr<device::Event> replayed;

  [[nodiscard]] int device() const { return subdomain.device; }
};

/// The data that all endpoints share. Must outlive them and keep its address.
struct Context {
  comm::RankGroup* comm = nullptr;
  device::Backend* backend = nullptr;
  const partition::Geometry* geometry = nullptr;
  Mappings* mappings = nullptr;
  Tuning tuning;
  Duration timeout{};
  const std::atomic<std::uint32_t>* abort = nullptr;
  device::Tracer* tracer = nullptr;              ///< null: none
  net::Network* network = nullptr;               ///< null unless a message may go by net
  nccl::Communicators* communicators = nullptr;  ///< likewise by nccl
  std::uint64_t pass = 0;                        ///< how often the host looked at all ends that it drives
  std::map<subdomain_id, SubdomainState> states;
  std::map<int, std::shared_ptr<device::Room>> rooms;  ///< by device
  /// The same without blocks, where only streams wait for other processes.
  std::map<int, std::shared_ptr<device::Room>> waiting;
  /// The state of a subdomain, which must be local.
  [[nodiscard]] SubdomainState& state(subdomain_id subdomain) { return states.at(subdomain); }
  /// What the ends of messages at a local subdomain share, and own.
  SharedValues<subdomain_id, MpiDeviceMessages> mpi_device_messages;
  SharedValues<subdomain_id, NcclMessages> nccl_messages;
};

/// The counts of swaps that a selection requires: a graph that was captured while another buffer was current is refused.
/// what: "an exchange", for the error.
[[nodiscard]] std::vector<device::CounterCheck> parities(const SubdomainState& state,
                                                         const partition::Geometry& geometry,
                                                         const Selection& selection, std::string_view what);

}  // namespace halocline::exchange
