// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include "mapping/mapping.hpp"

namespace halocline::bench {
namespace {

using mapping::Mapper;
using mapping::Pattern;
using mapping::Strategy;

mapping::CommunicationMatrix matrix(Pattern pattern, int ranks, std::int64_t bytes, bool weighted) {
  return mapping::matrix_of(
      {.pattern = pattern, .ranks = ranks, .bytes = bytes, .weighted = weighted && pattern != Pattern::alltoall});
}

}  // namespace

std::vector<Case> nine_patterns(int ranks, std::int64_t bytes) {
  std::vector<Case> cases;
  for (const bool weighted : {false, true}) {
    for (const Pattern cpu : mapping::all_patterns) {
      for (const Pattern gpu : mapping::all_patterns) {
        if (weighted && cpu == Pattern::alltoall && gpu == Pattern::alltoall) continue;
        cases.push_back({fmt::format("{}-{}", to_string(cpu), to_string(gpu)), weighted, bytes,
                         matrix(cpu, ranks, bytes, weighted), matrix(gpu, ranks, bytes, weighted)});
      }
    }
  }
  return cases;
}

Case hoomd_case(int ranks, std::int64_t bytes) {
  return {"hoomd-like", false, bytes, mapping::hoomd_like(ranks, bytes), mapping::hoomd_like(ranks, bytes)};
}

Case irregular_case(int ranks, std::int64_t bytes, std::uint64_t seed) {
  const auto one = [&](std::uint64_t its) {
    return mapping::irregular({.ranks = ranks, .degree = 6, .bytes = bytes, .seed = its});
  };
  return {fmt::format("irregular {}", seed), false, bytes, one(2 * seed), one(2 * seed + 1)};
}

std::vector<Way> ways() {
  return {{"default", Strategy::in_order, {}},
          {"MAGC-Scotch", Strategy::magc, {Mapper::scotch, Mapper::scotch, Mapper::scotch}},
          {"MAGC-Alg. 1", Strategy::magc, {Mapper::partition, Mapper::greedy, Mapper::greedy}},
          {"ours", Strategy::best, {}},
          {"strategy 1", Strategy::strategy1, {Mapper::partition, Mapper::greedy, Mapper::greedy}},
          {"strategy 2", Strategy::strategy2, {Mapper::partition, Mapper::greedy, Mapper::greedy}}};
}

}  // namespace halocline::bench
