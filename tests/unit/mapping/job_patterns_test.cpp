// SPDX-License-Identifier: BSD-3-Clause
// The nine combinations of the paper, on its two clusters.
#include <gtest/gtest.h>

#include <algorithm>

#include "machines.hpp"
#include "mapping/quality.hpp"
#include "patterns.hpp"

namespace halocline::mapping {
namespace {

struct Case {
  machine::MachineMap map;
  CommunicationMatrix cpu;
  CommunicationMatrix gpu;
  std::string name;

  [[nodiscard]] JobRequest request(Strategy strategy, Mapper inside) const {
    JobRequest request;
    request.machine = &map;
    request.cpu = &cpu;
    request.gpu = &gpu;
    request.strategy = strategy;
    request.mappers = {Mapper::partition, inside, inside};
    return request;
  }
  [[nodiscard]] double maximum(Strategy strategy, Mapper inside = Mapper::greedy) const {
    const JobRequest wanted = request(strategy, inside);
    return assess(wanted, map_job(wanted).seats).together.maximum();
  }
};

std::vector<Case> cases() {
  std::vector<Case> list;
  for (const bool weighted : {false, true}) {
    for (const Pattern cpu : all_patterns) {
      for (const Pattern gpu : all_patterns) {
        for (const bool a : {true, false}) {
          list.push_back({a ? cluster_a() : cluster_b(), pattern_matrix(cpu, weighted), pattern_matrix(gpu, weighted),
                          std::string(to_string(cpu)) + "-" + std::string(to_string(gpu)) +
                              (weighted ? " weighted, " : ", ") + (a ? "A" : "B")});
        }
      }
    }
  }
  return list;
}

/// A 3-D stencil with periodic boundaries, and unstructured matrices.
std::vector<Case> more_cases() {
  std::vector<Case> list;
  for (const bool a : {true, false}) {
    const std::string where = a ? ", A" : ", B";
    const auto map = a ? cluster_a() : cluster_b();
    list.push_back({map, hoomd_like(64, 30'000), hoomd_like(64, 30'000), "hoomd-like" + where});
    for (std::uint64_t seed = 0; seed < 6; seed += 2) {
      const auto random = [seed](std::uint64_t add) {
        return irregular({.ranks = 64, .degree = 6, .bytes = std::int64_t{1} << 20, .seed = seed + add});
      };
      list.push_back({map, random(0), random(1), "irregular " + std::to_string(seed) + where});
    }
  }
  return list;
}

TEST(NinePatterns, best_is_never_worse_than_any_other_strategy) {
  std::vector<Case> all = cases();
  for (Case& one : more_cases()) all.push_back(std::move(one));
  for (const Case& one : all) {
    const double best = one.maximum(Strategy::best);
    for (const Strategy strategy : {Strategy::magc, Strategy::strategy1, Strategy::strategy2, Strategy::in_order}) {
      EXPECT_LE(best, one.maximum(strategy)) << one.name << ", " << to_string(strategy);
      if (have_scotch()) {
        EXPECT_LE(best, one.maximum(strategy, Mapper::scotch)) << one.name << ", " << to_string(strategy);
      }
    }
  }
}

// The default order assigns strips of the grid to nodes; squares send a half, two thirds, or five sixths of their bytes.
TEST(NinePatterns, magc_and_best_find_squares_where_the_order_gives_strips) {
  struct Gain {
    const char* name;
    double of_in_order;
  };
  const std::vector<Gain> gains{
      {"2d-2d, A", 0.5}, {"2d-3d, A", 2.0 / 3}, {"3d-2d, A", 2.0 / 3}, {"2d-3d, B", 5.0 / 6}, {"3d-2d, B", 5.0 / 6}};
  std::size_t seen = 0;
  for (const Case& one : cases()) {
    const auto gain = std::ranges::find(gains, one.name, &Gain::name);
    if (gain == gains.end()) continue;
    ++seen;
    for (const Strategy strategy : {Strategy::best, Strategy::magc}) {
      EXPECT_LE(one.maximum(strategy), 1.001 * gain->of_in_order * one.maximum(Strategy::in_order))
          << one.name << ", " << to_string(strategy);
    }
  }
  EXPECT_EQ(seen, gains.size());
}

// Few ranks with random traffic: the best mapping for the network is not always the best within nodes.
TEST(Irregular, best_takes_another_strategys_seats_where_they_are_better) {
  int others = 0;
  for (std::uint64_t seed = 2; seed <= 10; seed += 2) {
    const auto random = [seed](std::uint64_t add) {
      return irregular({.ranks = 8, .degree = 5, .bytes = std::int64_t{1} << 20, .seed = seed + add});
    };
    const Case one{cluster_b(), random(0), random(1), "irregular " + std::to_string(seed)};
    const JobRequest wanted = one.request(Strategy::best, Mapper::greedy);
    others += map_job(wanted).found_by == Strategy::best ? 0 : 1;
    for (const Strategy strategy : {Strategy::magc, Strategy::strategy1, Strategy::strategy2, Strategy::in_order}) {
      EXPECT_LE(one.maximum(Strategy::best), one.maximum(strategy)) << one.name << ", " << to_string(strategy);
    }
  }
  EXPECT_GT(others, 0);
}

// In COL all groups along the first dimension fit into nodes: only traffic within nodes is left.
TEST(NinePatterns, groups_of_an_alltoall_share_a_node) {
  for (const bool a : {true, false}) {
    const Case one{a ? cluster_a() : cluster_b(), pattern_matrix(Pattern::alltoall, false),
                   pattern_matrix(Pattern::alltoall, false), ""};
    const JobRequest wanted = one.request(Strategy::best, Mapper::greedy);
    const auto quality = assess(wanted, map_job(wanted).seats);
    EXPECT_EQ(quality.together.levels.front().level, "network");
    EXPECT_EQ(quality.together.levels.front().maximum, 0);
  }
}

}  // namespace
}  // namespace halocline::mapping
