// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/mapper.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "halocline/error.hpp"
#include "machines.hpp"
#include "patterns.hpp"

namespace halocline::mapping {
namespace {

using testing::ElementsAre;
using testing::ThrowsMessage;

std::vector<Mapper> mappers_here() {
  std::vector<Mapper> list;
  for (const Mapper mapper : all_mappers) {
    if (mapper != Mapper::scotch || have_scotch()) list.push_back(mapper);
  }
  return list;
}

/// A sparse matrix without structure.
CommunicationMatrix random_matrix(int ranks, unsigned seed) {
  std::mt19937 engine(seed);
  CommunicationMatrix matrix(ranks);
  for (int flow = 0; flow < 4 * ranks; ++flow) {
    const int from = static_cast<int>(engine() % static_cast<unsigned>(ranks));
    const int to = static_cast<int>(engine() % static_cast<unsigned>(ranks));
    matrix.add(from, to, static_cast<std::int64_t>(engine() % 5) * 1000, static_cast<std::int64_t>(1 + engine() % 3));
  }
  return matrix;
}

std::vector<int> used(const std::vector<int>& place_of, int places) {
  std::vector<int> count(static_cast<std::size_t>(places), 0);
  for (const int place : place_of) ++count.at(static_cast<std::size_t>(place));
  return count;
}

TEST(Mappers, keep_to_capacities_and_give_the_same_answer_again) {
  const Topology cores = core_topology(dual_node(12, 16));
  std::vector<int> capacity(24, 1);
  capacity[0] = capacity[5] = capacity[17] = 0;
  capacity[3] = 2;
  for (unsigned seed = 0; seed < 10; ++seed) {
    const auto matrix = random_matrix(12 + static_cast<int>(seed), seed);
    const MappingProblem problem{&matrix, &cores, capacity};
    for (const Mapper mapper : mappers_here()) {
      const auto place_of = map_processes(mapper, problem);
      ASSERT_EQ(std::ssize(place_of), matrix.ranks());
      const auto count = used(place_of, 24);
      for (std::size_t p = 0; p < 24; ++p) EXPECT_LE(count[p], capacity[p]) << to_string(mapper) << ", seed " << seed;
      EXPECT_EQ(map_processes(mapper, problem), place_of) << to_string(mapper);
    }
  }
}

TEST(Mappers, do_not_care_in_which_order_flows_were_added) {
  const Topology gpus = device_topology(dual_node(12, 16));
  CommunicationMatrix forth(16), back(16);
  const auto matrix = random_matrix(16, 3);
  for (int from = 0; from < 16; ++from) {
    for (const Flow& flow : matrix.row(from)) forth.add(from, flow.to, flow.bytes, flow.messages);
    for (const Flow& flow : matrix.row(15 - from)) back.add(15 - from, flow.to, flow.bytes, flow.messages);
  }
  for (const Mapper mapper : mappers_here()) {
    EXPECT_EQ(map_processes(mapper, {&forth, &gpus, std::vector<int>(16, 1)}),
              map_processes(mapper, {&back, &gpus, std::vector<int>(16, 1)}))
        << to_string(mapper);
  }
}

// Multiplying by a power of two scales all costs and congestions, so that all comparisons stay the same unless a sum
// overflows.
TEST(Mappers, give_large_numbers_the_places_of_small_ones) {
  const Topology gpus = device_topology(dual_node(12, 16));
  constexpr std::int64_t large = std::int64_t{1} << 48;
  CommunicationMatrix small(16), bytes(16), messages(16);
  const auto random = random_matrix(16, 5);
  for (int from = 0; from < 16; ++from) {
    for (const Flow& flow : random.row(from)) {
      const std::int64_t count = flow.bytes / 1000;
      small.add(from, flow.to, count, flow.messages);
      bytes.add(from, flow.to, count * large, flow.messages);
      messages.add(from, flow.to, count, flow.messages * large);
    }
  }
  const std::vector<int> one_each(16, 1);
  for (const Mapper mapper : mappers_here()) {
    const auto place_of = map_processes(mapper, {&small, &gpus, one_each});
    EXPECT_EQ(map_processes(mapper, {&bytes, &gpus, one_each}), place_of) << to_string(mapper);
    EXPECT_EQ(map_processes(mapper, {&messages, &gpus, one_each}), place_of) << to_string(mapper);
  }
}

TEST(Mappers, refuse_what_does_not_fit) {
  const Topology gpus = device_topology(dual_node(12, 4));
  const CommunicationMatrix matrix(5);
  const auto map = [&](std::vector<int> capacity) {
    return [&, capacity] { static_cast<void>(map_processes(Mapper::in_order, {&matrix, &gpus, capacity})); };
  };
  EXPECT_THAT(map({1, 1, 1, 1}),
              ThrowsMessage<InvalidArgument>("5 processes for places that hold 4; allowed is at most that many"));
  EXPECT_THAT(map({5}), ThrowsMessage<InvalidArgument>("1 capacities; allowed is 4, one for each place"));
  EXPECT_THAT(map({9, 1, 1, -1}),
              ThrowsMessage<InvalidArgument>("the capacity of place 3 is -1; allowed is 0 or more"));
}

// Pairs (0,4), (1,5), ... on four pairs of GPUs, each behind one switch.
TEST(Mappers, put_pairs_together) {
  const Topology gpus = device_topology(dual_node(12, 8));
  CommunicationMatrix matrix(8);
  for (int r = 0; r < 4; ++r) matrix.add(r, r + 4, 1000);
  for (const Mapper mapper : all_mappers) {
    if (mapper == Mapper::in_order || (mapper == Mapper::scotch && !have_scotch())) continue;
    const auto place_of = map_processes(mapper, {&matrix, &gpus, std::vector<int>(8, 1)});
    // For Algorithm 1 every place of a pair has the same congestion, so it takes the lowest: pairs in order, too.
    for (std::size_t r = 0; r < 4; ++r) EXPECT_EQ(place_of[r] / 2, place_of[r + 4] / 2) << to_string(mapper);
  }
}

TEST(Refine, never_raises_the_maximum_congestion) {
  const Topology cores = core_topology(dual_node(8, 0));
  const Topology network = network_topology(cluster_a());
  for (unsigned seed = 0; seed < 40; ++seed) {
    const auto matrix = random_matrix(16, seed);
    for (const bool inside : {true, false}) {
      const MappingProblem problem{&matrix, inside ? &cores : &network,
                                   inside ? std::vector<int>(16, 1) : std::vector<int>(4, 5)};
      std::vector<int> start = map_processes(Mapper::in_order, problem);
      std::shuffle(start.begin(), start.end(), std::mt19937(seed));
      for (const std::int64_t trials : {0, 1, 10, 10000}) {
        const auto refined = refine(problem, start, {trials, {}});
        EXPECT_LE(sorted_congestions(problem, refined), sorted_congestions(problem, start));
        const auto count = used(refined, static_cast<int>(problem.capacity.size()));
        for (std::size_t p = 0; p < count.size(); ++p) EXPECT_LE(count[p], problem.capacity[p]);
      }
    }
  }
}

/// Enumerates all placements of few processes.
double least_maximum(const MappingProblem& problem) {
  std::vector<int> place_of(static_cast<std::size_t>(problem.topology->places()));
  for (std::size_t p = 0; p < place_of.size(); ++p) place_of[p] = static_cast<int>(p);
  double least = 1e300;
  do {
    least = std::min(least, sorted_congestions(problem, place_of).front());
  } while (std::ranges::next_permutation(place_of).found);
  return least;
}

TEST(Congestion, comes_near_the_best_of_all_permutations) {
  const Topology gpus = device_topology(dual_node(12, 8));
  int best = 0;
  for (unsigned seed = 0; seed < 10; ++seed) {
    const auto matrix = random_matrix(8, seed);
    const MappingProblem problem{&matrix, &gpus, std::vector<int>(8, 1)};
    const double least = least_maximum(problem);
    const double found = sorted_congestions(problem, map_processes(Mapper::congestion, problem)).front();
    EXPECT_LE(found, 1.34 * least) << seed;
    best += found <= least ? 1 : 0;
  }
  EXPECT_GE(best, 7);
}

TEST(Refine, stops_in_time_where_a_time_is_given) {
  const auto matrix = pattern_matrix(Pattern::alltoall, false);
  const Topology network = network_topology(cluster_a());
  const MappingProblem problem{&matrix, &network, std::vector<int>(4, 16)};
  const auto start = map_processes(Mapper::in_order, problem);
  EXPECT_NE(refine(problem, start), start);
  EXPECT_EQ(refine(problem, start, {1500, 1e-9}), start);
}

TEST(Mappers, that_do_not_exist_are_an_error) {
  const auto unknown = static_cast<Mapper>(99);
  EXPECT_THAT([&] { static_cast<void>(to_string(unknown)); }, ThrowsMessage<InternalError>("a Mapper without a name"));
  const auto matrix = random_matrix(4, 1);
  const Topology gpus = device_topology(dual_node(12, 4));
  EXPECT_THAT(
      [&] {
        static_cast<void>(map_processes(unknown, {&matrix, &gpus, std::vector<int>(4, 1)}));
      },
      ThrowsMessage<InternalError>("a Mapper without a function"));
}

}  // namespace
}  // namespace halocline::mapping
