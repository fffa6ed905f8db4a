#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "mapping/mappers/mappers.hpp"

namespace halocline::mapping::detail {

/// What each process exchanges with all that is at a place, where places are fewer than the peers of a process: then a move is counted
/// place by place instead of peer by peer.
class PlaceVolumes {
 public:
  struct Volume {
    std::int64_t sent = 0;
    std::int64_t received = 0;
  };

  PlaceVolumes(const Peers& peers, const std::vector<int>& place_of, int places)
      : peers_(peers), places_(size(places)) {
    std::size_t entries = 0;
    for (const auto& list : peers) entries += list.size();
    if (entries < peers.size() * places_) return;
    volumes_.resize(peers.size() * places_);
    for (std::size_t p = 0; p < peers.size(); ++p) {
      for (const Peer& peer : peers[p])
        add(static_cast<int>(p), place_of[size(peer.process)], peer.sent, peer.received);
    }
  }

  /// Whether there are any.
  [[nodiscard]] bool kept() const { return !volumes_.empty(); }
  [[nodiscard]] std::span<const Volume> of(int process) const {
    return {volumes_.data() + size(process) * places_, places_};
  }
  void add(int process, int place, std::int64_t sent, std::int64_t received) {
    Volume& volume = volumes_[size(process) * places_ + size(place)];
    volume.sent += sent;
    volume.received += received;
  }
  /// The process has another place now; what `without` exchanges with it stays as it was.
  void moved(int process, int from, int to, int without = -1) {
    for (const Peer& peer : peers_[size(process)]) {
      if (peer.process == without) continue;
      add(peer.process, from, -peer.received, -peer.sent);
      add(peer.process, to, peer.received, peer.sent);
    }
  }
  /// What the two exchange, as the first one sees it.
  [[nodiscard]] Volume between(int p, int q) const {
    const auto found = std::ranges::lower_bound(peers_[size(p)], q, {}, &Peer::process);
    if (found == peers_[size(p)].end() || found->process != q) return {};
    return {found->sent, found->received};
  }

 private:
  static std::size_t size(int i) { return static_cast<std::size_t>(i); }

  const Peers& peers_;
  std::size_t places_;
  std::vector<Volume> volumes_;  ///< by process, then by place
};

}  // namespace halocline::mapping::detail
