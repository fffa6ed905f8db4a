// SPDX-License-Identifier: BSD-3-Clause
#include "ceilings/pairs.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "support/barrier.hpp"
#include "support/sampling.hpp"

namespace halocline::bench {
namespace {

constexpr int repeats = 7;
constexpr std::size_t mega = std::size_t{1} << 20;

/// Seconds of each of `count`, of the slowest rank.
template <typename Work>
double timed(comm::RankGroup& world, int count, const Work& work) {
  start_together(world);
  const double begin = now();
  work();
  return world.all_reduce((now() - begin) / count, comm::Reduction::max);
}

/// The first time does not count.
template <typename Measure>
std::vector<double> repeated(const Measure& measure) {
  (void)measure();
  std::vector<double> values;
  values.reserve(repeats);
  for (int i = 0; i < repeats; ++i) values.push_back(measure());
  return values;
}

}  // namespace

std::shared_ptr<std::byte> host_memory(std::size_t bytes) {
  return {new std::byte[bytes](), std::default_delete<std::byte[]>()};
}

std::optional<Partner> partner_in(comm::RankGroup& world) {
  const int other = static_cast<int>(world.rank().value()) ^ 1;
  if (other >= world.size()) return {};
  return Partner{rank_id(other), world.rank().value() < other};
}

void measure_pairs(comm::RankGroup& world, Ceilings& ceilings, const std::string& part, const std::string& memory,
                   const Edges& edges, const MakePair& make) {
  const int pairs = world.size() / 2;
  const bool paired = partner_in(world).has_value();
  for (const std::size_t bytes : {std::size_t{8}, std::size_t{65536}, mega}) {
    const auto pair = paired ? make(bytes, window) : nullptr;
    const int count = bytes < mega ? 200 : 20;
    const auto one_way = [&] {
      return timed(world, count,
                   [&] {
                     if (pair) pair->ping_pong(count);
                   }) /
             2;
    };
    ceilings.time(part, fmt::format("ping-pong, {} memory, {} pairs", memory, pairs), static_cast<double>(bytes),
                  repeated(one_way));
  }
  // Both faces of cubes of four f32 fields, radius 3, with their edges: all goes to the same neighbour.
  for (const std::size_t edge : edges) {
    const std::size_t bytes = 2 * (edge + 6) * (edge + 6) * 3 * 4 * sizeof(float);
    constexpr std::size_t more_than_caches = 512 * mega;
    const std::size_t places = std::max(more_than_caches / bytes / 2, window);
    const auto pair = paired ? make(bytes, places) : nullptr;
    for (const bool in_turn : {false, true}) {
      const std::size_t used = in_turn ? places : 1;
      const int count = in_turn ? static_cast<int>(places) : bytes < mega ? 100 : 10;
      const auto exchange = [&] {
        return timed(world, count, [&] {
          if (pair) pair->exchange(count, used);
        });
      };
      ceilings.time(part,
                    fmt::format("exchange, {} memory{}, {} pairs: two faces of {}^3", memory,
                                in_turn ? " out of caches" : "", pairs, edge),
                    static_cast<double>(bytes), repeated(exchange));
    }
  }
  for (const std::size_t bytes : {std::size_t{65536}, mega, 4 * mega, 16 * mega}) {
    const auto pair = paired ? make(bytes, window) : nullptr;
    const int count = bytes <= mega ? 20 : 3;
    for (const bool both : {false, true}) {
      const auto rate = [&] {
        const double seconds = timed(world, count * static_cast<int>(window), [&] {
          if (pair) pair->stream(count, both);
        });
        return static_cast<double>(bytes) / seconds;
      };
      ceilings.rate(part, fmt::format("{} memory, {} pairs, {}", memory, pairs, both ? "both ways, each" : "one way"),
                    static_cast<double>(bytes), world.size(), repeated(rate));
    }
  }
}

}  // namespace halocline::bench
