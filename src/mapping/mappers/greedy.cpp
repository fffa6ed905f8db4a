// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "core/at.hpp"
#include "mapping/mappers/mappers.hpp"

// MAGC's Algorithm 1; its delta is garbled in print, see the comment of Mapper::greedy for what is meant here.
namespace halocline::mapping::detail {
namespace {

/// A process's volumes with mapped and with unmapped neighbours: sums and numbers of them.
struct Volumes {
  std::int64_t mapped = 0;
  std::int64_t unmapped = 0;
  int mapped_neighbours = 0;
  int unmapped_neighbours = 0;

  [[nodiscard]] double delta() const { return mean(mapped, mapped_neighbours) - mean(unmapped, unmapped_neighbours); }
  static double mean(std::int64_t sum, int count) { return count == 0 ? 0 : static_cast<double>(sum) / count; }
};

class Greedy {
 public:
  explicit Greedy(const MappingProblem& problem)
      : topology_(*problem.topology),
        peers_(peers_of(*problem.matrix)),
        place_of_(peers_.size(), -1),
        room_(problem.capacity),
        loads_(topology_.channels().size(), 0),
        volumes_(peers_.size()) {
    for (std::size_t q = 0; q < peers_.size(); ++q) {
      for (const Peer& peer : peers_[q]) {
        if (peer.volume() == 0) continue;
        volumes_[q].unmapped += peer.volume();
        ++volumes_[q].unmapped_neighbours;
      }
    }
  }

  std::vector<int> run() {
    for (std::size_t i = 0; i < peers_.size(); ++i) {
      const int process = next_process();
      assign(process, best_place(process));
    }
    return std::move(place_of_);
  }

 private:
  [[nodiscard]] int next_process() const {
    int best = -1;
    double best_delta = 0;
    for (std::size_t q = 0; q < peers_.size(); ++q) {
      if (place_of_[q] >= 0) continue;
      const double delta = volumes_[q].delta();
      if (best >= 0 && delta <= best_delta) continue;
      best = static_cast<int>(q);
      best_delta = delta;
    }
    return best;
  }

  int best_place(int process) {
    int best = -1;
    double least = 0;
    for (int place = 0; place < topology_.places(); ++place) {
      if (room_[at(place)] == 0) continue;
      const double maximum = std::max(maximum_, add(process, place, 1));
      add(process, place, -1);
      if (best >= 0 && maximum >= least) continue;
      best = place;
      least = maximum;
    }
    return best;
  }

  /// Adds (sign 1) or takes back (-1) what a process at a place exchanges with mapped ones; the largest congestion
  /// among the channels met.
  double add(int process, int place, int sign) {
    double most = 0;
    const auto load = [&](int from, int to, std::int64_t bytes) {
      if (bytes == 0) return;
      for (const int channel : topology_.route(from, to, scratch_)) {
        loads_[at(channel)] += sign * bytes;
        most = std::max(most, static_cast<double>(loads_[at(channel)]) / topology_.channels()[at(channel)].bandwidth);
      }
    };
    for (const Peer& peer : peers_[at(process)]) {
      const int other = place_of_[at(peer.process)];
      if (other < 0) continue;
      load(place, other, peer.sent);
      load(other, place, peer.received);
    }
    return most;
  }

  void assign(int process, int place) {
    maximum_ = std::max(maximum_, add(process, place, 1));
    place_of_[at(process)] = place;
    --room_[at(place)];
    for (const Peer& peer : peers_[at(process)]) {
      if (peer.volume() == 0) continue;
      Volumes& v = volumes_[at(peer.process)];
      v.mapped += peer.volume();
      v.unmapped -= peer.volume();
      ++v.mapped_neighbours;
      --v.unmapped_neighbours;
    }
  }

  const Topology& topology_;
  Peers peers_;
  std::vector<int> place_of_;
  std::vector<int> room_;
  std::vector<std::int64_t> loads_;
  std::vector<Volumes> volumes_;
  std::vector<int> scratch_;
  double maximum_ = 0;
};

}  // namespace

std::vector<int> map_greedy(const MappingProblem& problem) { return Greedy(problem).run(); }

}  // namespace halocline::mapping::detail
