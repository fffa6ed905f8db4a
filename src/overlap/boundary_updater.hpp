// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "device/backend.hpp"
#include "exchange/exchange.hpp"
#include "overlap/boundary_segments.hpp"

namespace halocline::overlap {

/// Hands out what surrounds the interiors of a rank's subdomains, each part as soon as what it reads has arrived, in streams
/// that wait for that alone. A part that devices' transports fill is handed out at once, in a stream that waits for them;
/// one that messages by the host fill, when those are on the device.
///
/// For updates that write another buffer than they read: parts are updated concurrently with each other and with the interior.
class BoundaryUpdater {
 public:
  /// The boundary of a local subdomain.
  struct Part {
    int device = 0;
    std::vector<BoundarySegment> segments;
    std::vector<Box> boundary;  ///< the same cells in fewer boxes, for where all can be updated at once
  };
  /// Enqueues the update of some boxes, at most 26, of the subdomain at a place in a stream.
  using Update = std::function<void(std::size_t place, device::Stream& stream, std::span<const Box> boxes)>;

  /// By place among the exchange's local subdomains. The backend outlives it.
  BoundaryUpdater(device::Backend& backend, std::vector<Part> parts);

  /// Exchange::finish(), and the updates of all parts that read no halo but what exchanges fill. Later work in the
  /// subdomains' streams, `users`, comes after them. An exception of update() is a failure of the exchange.
  void finish(exchange::Exchange& exchange, std::span<device::Stream* const> users, const Update& update);
  /// The other parts, in the subdomains' own streams: after finish() and the work that fills what they read.
  void finish_others(std::span<device::Stream* const> users, const Update& update);

 private:
  struct Lane {
    std::unique_ptr<device::Stream> stream;
    std::unique_ptr<device::Event> done;
  };
  struct State {
    Part part;
    std::vector<bool> handed_out;  ///< by segment, in the exchange under way
    std::vector<Lane> lanes;       ///< made when first used, then kept
    std::size_t lanes_used = 0;    ///< in the exchange under way
  };

  void hand_out_ready(const exchange::Exchange& exchange, std::size_t place, const Update& update);
  void hand_out(const exchange::Exchange& exchange, std::size_t place, const std::vector<std::size_t>& segments,
                const Update& update);
  [[nodiscard]] Lane& next_lane(State& state);

  device::Backend* backend_;
  std::vector<State> states_;
};

}  // namespace halocline::overlap
