// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ceilings/ceilings.hpp"
#include "halocline/ids.hpp"

namespace halocline::bench {

/// Memory that is sent from and received in; freed with the last copy.
using Allocate = std::function<std::shared_ptr<std::byte>(std::size_t bytes)>;

/// Of this process, as it is allocated by new.
[[nodiscard]] std::shared_ptr<std::byte> host_memory(std::size_t bytes);
/// Of the rank's GPU, which becomes the current one: rank r of a node has GPU r of it, modulo their number. Collective; empty where a rank
/// has no GPU, or the build no CUDA.
[[nodiscard]] Allocate device_memory(comm::RankGroup& world);

/// Messages under way in a direction of a stream, and places that a Pair has at least.
constexpr std::size_t window = 4;

/// One rank's side of messages of one size to and from its partner: of ranks 0 and 1, 2 and 3, ... Each function returns when all its
/// messages have been sent and received.
class Pair {
 public:
  Pair() = default;
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;
  virtual ~Pair() = default;
  /// A message there and one back, `count` times.
  virtual void ping_pong(int count) = 0;
  /// One message each way, and its end, `count` times: from and to one of `places` in turn.
  virtual void exchange(int count, std::size_t places) = 0;
  /// `count` times as many messages as the window has, in one direction or in both, with a window of them under way.
  virtual void stream(int count, bool both) = 0;
};

struct Partner {
  rank_id rank;
  bool first;  ///< this rank is the lower one, which begins
};
/// Nothing for the last of an odd number of ranks.
[[nodiscard]] std::optional<Partner> partner_in(comm::RankGroup& world);

using MakePair = std::function<std::unique_ptr<Pair>(std::size_t bytes, std::size_t places)>;

/// Messages of all pairs at the same time: a small one, exchanges of two faces of cubes with these edges, and streams. Collective; make is
/// called on ranks with a partner.
void measure_pairs(comm::RankGroup& world, Ceilings& ceilings, const std::string& part, const std::string& memory,
                   const Edges& edges, const MakePair& make);

}  // namespace halocline::bench
