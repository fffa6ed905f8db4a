// SPDX-License-Identifier: BSD-3-Clause
#include "same_command.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "comm/gather.hpp"
#include "core/hash.hpp"
#include "core/ranks_text.hpp"
#include "halocline/error.hpp"

namespace cli {
namespace {

using namespace halocline;
/// What must be the same on all ranks, with its value on each: the command line and some variables.
constexpr std::array variables{"HALOCLINE_BACKEND", "HALOCLINE_RANKS_PER_NODE", "HALOCLINE_TRANSPORTS"};

using Values = std::vector<std::string>;

std::string_view name_of(std::size_t at) { return at == 0 ? "the command line" : variables[at - 1]; }

Values values_here(int argc, const char* const* argv) {
  Values values(1 + variables.size());
  for (int i = 1; i < argc; ++i) values[0] += (i == 1 ? "" : " ") + std::string(argv[i]);
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const char* value = std::getenv(variables[i]);
    values[i + 1] = value == nullptr ? "" : value;
  }
  return values;
}

std::int64_t hash_of(const Values& values) {
  Hash hash;
  for (const std::string& value : values) hash.add(std::string_view(value)).add(std::ssize(value));
  return static_cast<std::int64_t>(hash.value());
}

/// "rank 0", or "ranks 1, 2, 3 and 5 more": the ones that have this value.
std::string ranks_with(const std::vector<Values>& all, std::size_t at, const std::string& value) {
  constexpr std::size_t most = 4;
  std::vector<std::size_t> ranks;
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (all[rank][at] == value) ranks.push_back(rank);
  }
  return ranks_text(ranks, most);
}

}  // namespace

void check_same_command(comm::RankGroup& world, int argc, const char* const* argv) {
  const Values mine = values_here(argc, argv);
  const std::int64_t hash = hash_of(mine);
  std::array<std::int64_t, 2> ends{hash, ~hash};
  world.all_reduce(std::span<std::int64_t>(ends), comm::Reduction::min);
  if (ends[0] == ~ends[1]) return;
  const auto all = comm::gather(world, mine);
  for (std::size_t i = 0; i < mine.size(); ++i) {
    const std::string& first = all[0][i];
    const auto other = std::ranges::find_if(all, [&](const Values& values) { return values[i] != first; });
    if (other == all.end()) continue;
    throw InvalidArgument(fmt::format("{} is '{}' on {} and '{}' on {}; allowed is the same on all ranks", name_of(i),
                                      shown((*other)[i]), ranks_with(all, i, (*other)[i]), shown(first),
                                      ranks_with(all, i, first)));
  }
}

}  // namespace cli
