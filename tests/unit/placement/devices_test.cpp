// SPDX-License-Identifier: BSD-3-Clause
#include "placement/devices.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "halocline/error.hpp"
#include "support/error_of.hpp"

namespace halocline::placement {
namespace {

using Seen = std::vector<std::vector<std::string>>;
using Driven = std::vector<std::vector<int>>;

/// R ranks that all see the same V devices.
Seen alike(int ranks, int devices) {
  std::vector<std::string> all;
  for (int d = 0; d < devices; ++d) all.push_back("GPU-" + std::to_string(d));
  return Seen(static_cast<std::size_t>(ranks), all);
}

std::string refusal(const Seen& seen, std::optional<int> per_rank) {
  return test::error_of<InvalidArgument>([&] { static_cast<void>(share_devices(seen, per_rank)); });
}

/// The number of ranks that drive each visible device.
std::map<std::string, int> loads(const Seen& seen, const Driven& driven) {
  std::map<std::string, int> load;
  for (std::size_t r = 0; r < seen.size(); ++r) {
    for (const auto& uuid : seen[r]) load.try_emplace(uuid, 0);
    for (const int ordinal : driven[r]) ++load[seen[r].at(static_cast<std::size_t>(ordinal))];
  }
  return load;
}

TEST(ShareDevices, of_one_list_are_even_blocks_in_order) {
  EXPECT_EQ(share_devices(alike(1, 8), {}), (Driven{{0, 1, 2, 3, 4, 5, 6, 7}}));
  EXPECT_EQ(share_devices(alike(2, 8), {}), (Driven{{0, 1, 2, 3}, {4, 5, 6, 7}}));
  EXPECT_EQ(share_devices(alike(4, 8), {}), (Driven{{0, 1}, {2, 3}, {4, 5}, {6, 7}}));
  EXPECT_EQ(share_devices(alike(4, 4), {}), (Driven{{0}, {1}, {2}, {3}}));
  EXPECT_EQ(share_devices(alike(3, 8), {}), (Driven{{0, 1}, {2, 3, 4}, {5, 6, 7}}));
}

TEST(ShareDevices, more_ranks_than_devices_share_them_evenly) {
  EXPECT_EQ(share_devices(alike(4, 2), {}), (Driven{{0}, {0}, {1}, {1}}));
  EXPECT_EQ(share_devices(alike(3, 1), {}), (Driven{{0}, {0}, {0}}));
  EXPECT_EQ(share_devices(alike(5, 3), 1), (Driven{{0}, {0}, {1}, {1}, {2}}));
}

TEST(ShareDevices, a_number_a_rank_is_kept_or_refused_with_what_is_there) {
  EXPECT_EQ(share_devices(alike(2, 8), 2), (Driven{{0, 1}, {2, 3}}));
  EXPECT_EQ(share_devices(alike(1, 4), 1), (Driven{{0}}));
  EXPECT_EQ(refusal(alike(2, 8), 5), "devices per rank is 5; allowed is 1 to 4: 2 ranks of this node see 8 devices");
  EXPECT_EQ(refusal(alike(1, 1), 2), "devices per rank is 2; allowed is 1: 1 rank of this node sees 1 device");
  EXPECT_EQ(refusal(alike(4, 2), 2), "devices per rank is 2; allowed is 1: 4 ranks of this node see 2 devices");
  EXPECT_EQ(refusal(alike(1, 1), 0), "devices per rank is 0; allowed is 1 or more");
  EXPECT_THAT(refusal({{"a"}, {}}, {}), testing::HasSubstr("rank 1 of the node sees 0 devices"));
  EXPECT_THAT(refusal({{"a", "a"}}, {}), testing::HasSubstr("sees device a twice"));
}

TEST(ShareDevices, one_each_by_a_mask_are_each_ranks_own) {
  EXPECT_EQ(share_devices(Seen{{"d"}, {"a"}, {"c"}, {"b"}}, {}), (Driven{{0}, {0}, {0}, {0}}));
  EXPECT_EQ(share_devices(Seen{{"a", "b"}, {"c", "d"}}, {}), (Driven{{0, 1}, {0, 1}}));
  EXPECT_EQ(share_devices(Seen{{"a", "b"}, {"a", "b"}, {"c"}}, {}), (Driven{{0}, {1}, {0}}));
}

TEST(ShareDevices, follow_the_first_ranks_order_whatever_the_others_order) {
  // With CUDA_VISIBLE_DEVICES=0,1 and 1,0 the first devices of the two lists differ.
  EXPECT_EQ(share_devices(Seen{{"a", "b"}, {"b", "a"}}, {}), (Driven{{0}, {0}}));
  EXPECT_EQ(share_devices(Seen{{"a", "b", "c", "d"}, {"d", "c", "b", "a"}}, {}), (Driven{{0, 1}, {0, 1}}));
}

TEST(ShareDevices, that_overlap_in_part_are_balanced) {
  // Rank 0 must not take a, the only device that rank 1 sees.
  EXPECT_EQ(share_devices(Seen{{"a", "b"}, {"a"}}, {}), (Driven{{1}, {0}}));
  const Seen uneven{{"a", "b"}, {"a", "b", "c", "d"}};
  const auto driven = share_devices(uneven, {});
  EXPECT_EQ(driven, (Driven{{0, 1}, {2, 3}}));
  EXPECT_EQ(share_devices(Seen{{"a"}, {"a"}, {"a", "b", "c"}}, {}), (Driven{{0}, {0}, {1, 2}}));
  EXPECT_THAT(refusal(Seen{{"a", "b"}, {"b", "c"}}, 2),
              testing::HasSubstr("devices per rank is 2; allowed for rank 1"));
}

TEST(ShareDevices, whatever_is_seen_none_is_idle_while_another_is_shared_in_vain) {
  std::mt19937 random(7);
  for (int round = 0; round < 500; ++round) {
    const int ranks = 1 + static_cast<int>(random() % 6);
    const int devices = 1 + static_cast<int>(random() % 6);
    Seen seen(static_cast<std::size_t>(ranks));
    for (auto& mine : seen) {
      for (int d = 0; d < devices; ++d) {
        if (random() % 2 == 0) mine.push_back(std::string(1, static_cast<char>('a' + d)));
      }
      if (mine.empty())
        mine.emplace_back(1, static_cast<char>('a' + static_cast<int>(random() % static_cast<unsigned>(devices))));
      std::shuffle(mine.begin(), mine.end(), random);
    }
    const auto driven = share_devices(seen, {});
    ASSERT_EQ(driven.size(), seen.size());
    for (const auto& mine : driven) ASSERT_FALSE(mine.empty());
    // A rank that sees an idle device would take it: so all visible devices are driven.
    for (const auto& [uuid, load] : loads(seen, driven)) ASSERT_GE(load, 1) << uuid;
    // As few sharers as Hall's theorem allows: a set of ranks that together see k devices shares at least that much.
    int least = 1;
    for (unsigned set = 1; set < (1u << ranks); ++set) {
      std::set<std::string> reach;
      int size = 0;
      for (int r = 0; r < ranks; ++r) {
        if ((set >> r & 1u) == 0) continue;
        ++size;
        reach.insert(seen[static_cast<std::size_t>(r)].begin(), seen[static_cast<std::size_t>(r)].end());
      }
      const int each = static_cast<int>(reach.size());
      least = std::max(least, (size + each - 1) / each);
    }
    int most = 0;
    for (const auto& [uuid, load] : loads(seen, driven)) most = std::max(most, load);
    ASSERT_EQ(most, least);
  }
}

}  // namespace
}  // namespace halocline::placement
