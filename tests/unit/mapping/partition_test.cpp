// SPDX-License-Identifier: BSD-3-Clause
// The mapper `partition`, MAGC's first phase, on one switch, where bytes times hops are twice the bytes between nodes.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <random>

#include "machines.hpp"
#include "mapping/mapper.hpp"
#include "mapping/mappers/mappers.hpp"
#include "patterns.hpp"

namespace halocline::mapping {
namespace {

std::int64_t bytes_between_nodes(const MappingProblem& problem, const std::vector<int>& node_of) {
  const auto loads = channel_loads(*problem.matrix, *problem.topology, node_of);
  return std::accumulate(loads.begin(), loads.end(), std::int64_t{0}) / 2;
}

/// Without Scotch, as in builds that do not have it.
std::vector<int> partitioned_alone(const MappingProblem& problem) { return detail::map_partition(problem, {}, {}); }

struct PatternCase {
  std::string name;  ///< "2d-3d, A" or "2d-3d weighted, A"
  Topology network;
  CommunicationMatrix matrix;
  std::vector<int> capacity;

  [[nodiscard]] MappingProblem problem() const { return {&matrix, &network, capacity}; }
};

/// All combinations of two patterns, and each pattern by itself, on both clusters.
std::vector<PatternCase> pattern_cases() {
  std::vector<PatternCase> list;
  for (const bool a : {true, false}) {
    const auto network = network_topology(a ? cluster_a() : cluster_b());
    const std::vector<int> capacity = a ? std::vector<int>(4, 16) : std::vector<int>(8, 8);
    for (const bool weighted : {false, true}) {
      const std::string suffix = std::string(weighted ? " weighted, " : ", ") + (a ? "A" : "B");
      for (const Pattern cpu : all_patterns) {
        const CommunicationMatrix one = pattern_matrix(cpu, weighted);
        list.push_back({std::string(to_string(cpu)) + suffix, network, one, capacity});
        for (const Pattern gpu : all_patterns) {
          CommunicationMatrix both = one;
          both += pattern_matrix(gpu, weighted);
          list.push_back(
              {std::string(to_string(cpu)) + "-" + std::string(to_string(gpu)) + suffix, network, both, capacity});
        }
      }
    }
  }
  return list;
}

// 8 x 8 ranks on 4 nodes: squares send 32 messages each way together, strips 48. What Scotch 7.0 finds.
TEST(Partition, finds_squares_where_strips_are_near) {
  const std::map<std::string, std::int64_t> messages{
      {"2d-2d, A", 64}, {"2d-3d, A", 128}, {"3d-2d, A", 128}, {"2d-3d, B", 224}, {"3d-2d, B", 224}};
  std::size_t seen = 0;
  for (const PatternCase& one : pattern_cases()) {
    const auto wanted = messages.find(one.name);
    if (wanted == messages.end()) continue;
    ++seen;
    EXPECT_LE(bytes_between_nodes(one.problem(), partitioned_alone(one.problem())), wanted->second << 20) << one.name;
  }
  EXPECT_EQ(seen, messages.size());
}

TEST(Partition, alone_is_never_worse_than_scotch_on_the_nine_patterns) {
  if (!have_scotch()) GTEST_SKIP() << "built without Scotch";
  for (const PatternCase& one : pattern_cases()) {
    const auto problem = one.problem();
    EXPECT_LE(bytes_between_nodes(problem, partitioned_alone(problem)),
              bytes_between_nodes(problem, map_processes(Mapper::scotch, problem)))
        << one.name;
  }
}

TEST(Partition, with_scotch_is_never_worse_than_scotch) {
  if (!have_scotch()) GTEST_SKIP() << "built without Scotch";
  const auto network = network_topology(cluster_b());
  for (std::uint64_t seed = 20; seed < 40; ++seed) {  // 23, 33 and 35: alone it sends more than Scotch 7.0
    const auto matrix = irregular({.ranks = 64, .degree = 6, .bytes = std::int64_t{1} << 20, .seed = seed});
    const MappingProblem problem{&matrix, &network, std::vector<int>(8, 8)};
    EXPECT_LE(bytes_between_nodes(problem, map_processes(Mapper::partition, problem)),
              bytes_between_nodes(problem, map_processes(Mapper::scotch, problem)))
        << seed;
  }
}

/// By all mappings of few processes to three nodes.
std::int64_t least_bytes(const MappingProblem& problem) {
  const auto processes = static_cast<std::size_t>(problem.matrix->ranks());
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  std::vector<int> node_of(processes, 0);
  for (bool more = true; more;) {
    bool fits = true;
    for (int node = 0; node < 3; ++node) {
      fits = fits && std::ranges::count(node_of, node) <= problem.capacity[static_cast<std::size_t>(node)];
    }
    if (fits) least = std::min(least, bytes_between_nodes(problem, node_of));
    more = false;
    for (std::size_t p = 0; p < processes && !more; ++p) {
      node_of[p] = (node_of[p] + 1) % 3;
      more = node_of[p] != 0;
    }
  }
  return least;
}

TEST(Partition, finds_the_optimum_of_few_processes) {
  const auto network = network_topology(machine_of({dual_node(2, 0)}, {0, 0, 0}));
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const auto matrix = irregular({.ranks = 8, .degree = 4, .bytes = 1000, .seed = seed});
    for (const std::vector<int>& capacity : {std::vector<int>{3, 2, 3}, {4, 3, 3}}) {
      const MappingProblem problem{&matrix, &network, capacity};
      const auto found = partitioned_alone(problem);
      EXPECT_EQ(bytes_between_nodes(problem, found), least_bytes(problem)) << "seed " << seed << ", " << capacity[0];
      for (int node = 0; node < 3; ++node) {
        EXPECT_LE(std::ranges::count(found, node), capacity[static_cast<std::size_t>(node)]) << seed;
      }
    }
  }
}

// 4 x 2 x 2 ranks on 4 nodes. Several mappings send the fewest bytes; in some of them one node sends 8 messages.
TEST(Partition, prefers_the_least_congestion_among_equal_bytes) {
  const auto network = network_topology(cluster_a());
  const auto matrix = matrix_of({.pattern = Pattern::stencil_3d, .ranks = 16, .bytes = 1 << 20});
  const MappingProblem problem{&matrix, &network, std::vector<int>(4, 4)};
  EXPECT_DOUBLE_EQ(sorted_congestions(problem, partitioned_alone(problem)).front(), 6 * 1048576.0 / 4e9);
}

}  // namespace
}  // namespace halocline::mapping
