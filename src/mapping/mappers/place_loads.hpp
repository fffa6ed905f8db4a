// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "mapping/mappers/mappers.hpp"

namespace halocline::mapping::detail {

/// The load that each process would put on each channel at each place, with all other processes where they are: a trial
/// adds rows of this table instead of walking routes. Kept if there are fewer places than peers of a process, and the
/// table is not too large.
class PlaceLoads {
 public:
  PlaceLoads(const Peers& peers, const Topology& topology, const std::vector<int>& place_of)
      : peers_(peers), topology_(topology), places_(size(topology.places())), channels_(topology.channels().size()) {
    constexpr std::size_t most = std::size_t{1} << 22;
    if (peers.entries() < peers.size() * places_ || peers.size() * places_ * channels_ > most) return;
    loads_.resize(peers.size() * places_ * channels_);
    std::vector<Volume> at_place(places_);
    for (std::size_t p = 0; p < peers.size(); ++p) {
      std::ranges::fill(at_place, Volume{});
      for (const Peer& peer : peers[p]) {
        at_place[size(place_of[size(peer.process)])].sent += peer.sent;
        at_place[size(place_of[size(peer.process)])].received += peer.received;
      }
      for (std::size_t there = 0; there < places_; ++there) {
        add(static_cast<int>(p), static_cast<int>(there), at_place[there]);
      }
    }
  }

  /// Whether there are any.
  [[nodiscard]] bool kept() const { return !loads_.empty(); }
  /// Bytes by channel.
  [[nodiscard]] std::span<const std::int64_t> of(int process, int place) const {
    return {loads_.data() + row(process, size(place)), channels_};
  }
  /// The process has another place now.
  void moved(int process, int from, int to) {
    for (const Peer& peer : peers_[size(process)]) {
      add(peer.process, from, {-peer.received, -peer.sent});
      add(peer.process, to, {peer.received, peer.sent});
    }
  }
  /// What two processes exchange, both ways together.
  [[nodiscard]] std::int64_t between(int p, int q) const {
    const auto found = std::ranges::lower_bound(peers_[size(p)], q, {}, &Peer::process);
    return found == peers_[size(p)].end() || found->process != q ? 0 : found->volume();
  }

 private:
  struct Volume {
    std::int64_t sent = 0;
    std::int64_t received = 0;
  };

  static std::size_t size(int i) { return static_cast<std::size_t>(i); }
  [[nodiscard]] std::size_t row(int process, std::size_t place) const {
    return (size(process) * places_ + place) * channels_;
  }

  /// What a process exchanges with somebody at a place, wherever the process is.
  void add(int process, int there, const Volume& volume) {
    if (volume.sent == 0 && volume.received == 0) return;
    std::int64_t* loads = loads_.data() + row(process, 0);
    for (int here = 0; here < static_cast<int>(places_); ++here, loads += channels_) {
      for (const int channel : topology_.route(here, there, scratch_)) loads[channel] += volume.sent;
      for (const int channel : topology_.route(there, here, scratch_)) loads[channel] += volume.received;
    }
  }

  const Peers& peers_;
  const Topology& topology_;
  std::size_t places_;
  std::size_t channels_;
  std::vector<std::int64_t> loads_;  ///< by process, then by place, then by channel
  std::vector<int> scratch_;
};

}  // namespace halocline::mapping::detail
