// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <chrono>
#include <limits>
#include <numeric>

#include "mapping/mappers/mappers.hpp"

namespace halocline::mapping {

std::vector<std::int64_t> channel_loads(const CommunicationMatrix& matrix, const Topology& topology,
                                        const std::vector<int>& place_of) {
  std::vector<std::int64_t> loads(topology.channels().size(), 0);
  std::vector<int> scratch;
  for (int from = 0; from < matrix.ranks(); ++from) {
    for (const Flow& flow : matrix.row(from)) {
      const int a = place_of[static_cast<std::size_t>(from)];
      const int b = place_of[static_cast<std::size_t>(flow.to)];
      for (const int channel : topology.route(a, b, scratch)) loads[static_cast<std::size_t>(channel)] += flow.bytes;
    }
  }
  return loads;
}

std::vector<double> sorted_congestions(const MappingProblem& problem, const std::vector<int>& place_of) {
  const auto loads = channel_loads(*problem.matrix, *problem.topology, place_of);
  std::vector<double> congestions;
  for (std::size_t c = 0; c < loads.size(); ++c) {
    congestions.push_back(static_cast<double>(loads[c]) / problem.topology->channels()[c].bandwidth);
  }
  std::ranges::sort(congestions, std::greater<>{});
  return congestions;
}

namespace detail {
namespace {

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

Peers peers_of(const CommunicationMatrix& matrix) {
  const auto ranks = static_cast<std::size_t>(matrix.ranks());
  const auto counts = [](std::size_t from, const Flow& flow) {
    return flow.to != static_cast<int>(from) && (flow.bytes > 0 || flow.messages > 0);
  };
  // What each rank receives, by sender: senders come in ascending order, as receivers do in a row of the matrix.
  std::vector<std::size_t> begin(ranks + 1, 0);
  for (std::size_t from = 0; from < ranks; ++from) {
    for (const Flow& flow : matrix.row(static_cast<int>(from))) {
      if (counts(from, flow)) ++begin[static_cast<std::size_t>(flow.to) + 1];
    }
  }
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<Peer> senders(begin.back());
  std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
  for (std::size_t from = 0; from < ranks; ++from) {
    for (const Flow& flow : matrix.row(static_cast<int>(from))) {
      if (!counts(from, flow)) continue;
      senders[next[static_cast<std::size_t>(flow.to)]++] = {static_cast<int>(from), 0, flow.bytes, flow.messages};
    }
  }
  Peers peers(ranks, 2 * senders.size());
  for (std::size_t p = 0; p < ranks; ++p) {
    std::size_t s = begin[p];
    for (const Flow& flow : matrix.row(static_cast<int>(p))) {
      if (!counts(p, flow)) continue;
      for (; s < begin[p + 1] && senders[s].process < flow.to; ++s) peers.add(senders[s]);
      Peer peer{flow.to, flow.bytes, 0, flow.messages};
      if (s < begin[p + 1] && senders[s].process == flow.to) {
        peer.received = senders[s].received;
        peer.messages += senders[s++].messages;
      }
      peers.add(peer);
    }
    for (; s < begin[p + 1]; ++s) peers.add(senders[s]);
    peers.end_row();
  }
  return peers;
}

std::vector<int> map_in_order(const MappingProblem& problem) {
  std::vector<int> place_of;
  for (std::size_t p = 0; p < problem.capacity.size(); ++p) {
    for (int i = 0; i < problem.capacity[p] && std::ssize(place_of) < problem.matrix->ranks(); ++i) {
      place_of.push_back(static_cast<int>(p));
    }
  }
  return place_of;
}

Budget::Budget(const Effort& effort) : left_(effort.trials) {
  if (!effort.seconds) return;
  // The first one looks at the clock, too.
  left_ = std::numeric_limits<std::int64_t>::max() / between_looks * between_looks + 1;
  end_ns_ = now_ns() + static_cast<std::int64_t>(*effort.seconds * 1e9);
}

bool Budget::in_time() const { return now_ns() < end_ns_; }

}  // namespace detail
}  // namespace halocline::mapping
