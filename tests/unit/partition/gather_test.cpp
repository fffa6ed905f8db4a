// SPDX-License-Identifier: BSD-3-Clause
#include "partition/gather.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

namespace halocline::partition {
namespace {

/// Who contributed to each subdomain's value after all rounds, in the order of the blocks' places.
std::vector<std::vector<std::int64_t>> gathered(std::int64_t subdomains, std::int64_t blocks) {
  std::vector<std::vector<std::int64_t>> value;
  for (std::int64_t s = 0; s < subdomains; ++s) value.push_back({s});
  for (const Gather& round : Gather::rounds(subdomains, blocks)) {
    auto next = value;
    for (std::int64_t s = 0; s < subdomains; ++s) {
      const subdomain_id me(s);
      std::map<std::int64_t, std::vector<std::int64_t>> by_place{{round.place_of(me), value[me.index()]}};
      for (const subdomain_id other : round.senders_to(me)) {
        EXPECT_EQ(std::ranges::count(round.receivers_of(other), me), 1);
        EXPECT_TRUE(by_place.emplace(round.place_of(other), value[other.index()]).second);
      }
      for (const subdomain_id other : round.receivers_of(me))
        EXPECT_EQ(std::ranges::count(round.senders_to(other), me), 1);
      EXPECT_EQ(std::ssize(by_place), round.places_of(me));
      next[me.index()].clear();
      for (const auto& [place, its] : by_place) {
        next[me.index()].insert(next[me.index()].end(), its.begin(), its.end());
      }
    }
    value = std::move(next);
  }
  return value;
}

TEST(Gather, brings_each_value_to_each_subdomain_once_and_in_one_order) {
  for (const std::int64_t blocks : {2, 3, 8}) {
    for (std::int64_t subdomains = 1; subdomains <= 150; ++subdomains) {
      std::vector<std::int64_t> all(static_cast<std::size_t>(subdomains));
      std::iota(all.begin(), all.end(), 0);
      for (const auto& value : gathered(subdomains, blocks)) ASSERT_EQ(value, all) << subdomains << ", " << blocks;
    }
  }
}

TEST(Gather, has_few_rounds_and_messages) {
  EXPECT_EQ(Gather::rounds(1, 8).size(), 0U);
  EXPECT_EQ(Gather::rounds(8, 8).size(), 1U);
  EXPECT_EQ(Gather::rounds(9, 8).size(), 2U);
  EXPECT_EQ(Gather::rounds(4096, 8).size(), 4U);
  for (const Gather& round : Gather::rounds(4096, 8)) EXPECT_EQ(round.receivers_of(subdomain_id(777)).size(), 7U);
}

}  // namespace
}  // namespace halocline::partition
