// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <vector>

#include "device/backend.hpp"
#include "exchange/detail/mailbox.hpp"
#include "exchange/exchange.hpp"
#include "exchange/pack/copies.hpp"
#include "halocline/communicator.hpp"
#include "halocline/direction.hpp"
#include "partition/halo.hpp"

namespace halocline::exchange {

class Fusion;
class Mappings;

/// A local subdomain as its endpoints see it. Lives as long as they do, at one address.
struct Site {
  LocalSubdomain subdomain;
  Memory memory;
  Mailbox mailbox;
  /// By field: where in the mailbox the swaps of its buffers are counted; the field's buffers, in stream order.
  std::vector<std::size_t> swaps;
  /// Whether it has ends that a schedule drives, or the host does.
  bool scheduled = false;
  bool hosted = false;
  /// The sides of its halo that exchanges fill, and those of them that devices fill without the host.
  Directions filled;
  Directions filled_by_device;
  /// Recorded in the user's stream when an exchange begins, for those two: all readers of halos and writers of owned cells
  /// before it are done.
  std::unique_ptr<device::Event> begun;

  // Where it is scheduled.

  /// What its device does as one operation, where that is a part of its schedule; else null.
  Fusion* fusion = nullptr;
  /// Where this side of every exchange runs, but for what ends send in streams of their own.
  std::unique_ptr<device::Stream> stream;
  /// Behind begun, and this exchange's epoch is there: halos and landing buffers may be written.
  std::unique_ptr<device::Event> open;
  /// All halos that a schedule fills are there, and all owned cells that it sends are sent.
  std::unique_ptr<device::Event> done;
  /// The same, where the sequence that records done is replayed: behind the graph.
  std::unique_ptr<device::Event> replayed;

  [[nodiscard]] int device() const { return subdomain.device; }
};

/// What every endpoint may use. Lives as long as they do, at one address.
struct Context {
  comm::Communicator* comm = nullptr;
  device::Backend* backend = nullptr;
  const partition::Geometry* geometry = nullptr;
  Mappings* mappings = nullptr;
  Tuning tuning;
  Duration timeout{};
  const std::atomic<std::uint32_t>* abort = nullptr;
  std::map<subdomain_id, Site> sites;
  /// A local subdomain. The caller knows that it is one.
  [[nodiscard]] Site& site(subdomain_id subdomain) { return sites.at(subdomain); }
};

/// What the counts of swaps must be for a selection: a graph that was captured with another buffer current is refused.
[[nodiscard]] std::vector<device::CounterCheck> parities(const Site& site, const partition::Geometry& geometry,
                                                         const Selection& selection);

}  // namespace halocline::exchange
