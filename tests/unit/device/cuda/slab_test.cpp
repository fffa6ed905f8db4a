// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/slab.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <new>
#include <vector>

#include "support/seeded.hpp"
#include "support/without_memory.hpp"

namespace halocline::device::cuda::test {
namespace {

constexpr std::size_t bytes = 64 * Slab::alignment;

struct Slabs : testing::Test {
  std::vector<std::byte> memory{bytes};
  Slab slab{memory.data(), bytes};
  [[nodiscard]] std::size_t offset_of(void* range) const {
    return static_cast<std::size_t>(static_cast<std::byte*>(range) - memory.data());
  }
};

TEST_F(Slabs, HaveRoomForWhatFits) {
  EXPECT_EQ(slab.take(bytes + 1), nullptr);
  void* const all = slab.take(bytes);
  EXPECT_EQ(all, memory.data());
  EXPECT_EQ(slab.take(1), nullptr);
  EXPECT_TRUE(slab.give_back(all));
  EXPECT_EQ(slab.take(bytes), all);
}

TEST_F(Slabs, GetOnlyBackWhatWasTaken) {
  void* const first = slab.take(1000);
  EXPECT_FALSE(slab.give_back(static_cast<std::byte*>(first) + Slab::alignment));
  std::byte other{};
  EXPECT_FALSE(slab.give_back(&other));
  EXPECT_TRUE(slab.give_back(first));
  EXPECT_FALSE(slab.give_back(first));
}

TEST_F(Slabs, StayAsTheyAreWithoutMemoryOfTheHost) {
  void* const first = slab.take(1);
  {
    const halocline::test::WithoutMemory here;
    EXPECT_THROW((void)slab.take(1), std::bad_alloc);
    EXPECT_TRUE(slab.give_back(first));
    EXPECT_EQ(slab.take(bytes), memory.data()) << "a range as it is";
    EXPECT_TRUE(slab.give_back(first));
  }
  EXPECT_EQ(slab.take(bytes), memory.data());
}

/// Ranges are aligned and apart, and at last there is one free range again.
TEST_F(Slabs, KeepRangesApart) {
  halocline::test::Seeded seeded(20261128);
  std::map<std::size_t, std::size_t> taken;
  int refused = 0;
  for (int i = 0; i < 20000; ++i) {
    if (!taken.empty() && seeded.chance(50)) {
      auto one = taken.begin();
      std::advance(one, seeded.between(0, static_cast<std::int64_t>(taken.size()) - 1));
      ASSERT_TRUE(slab.give_back(memory.data() + one->first));
      taken.erase(one);
      continue;
    }
    const auto wanted = static_cast<std::size_t>(seeded.between(0, 12 * static_cast<std::int64_t>(Slab::alignment)));
    void* const range = slab.take(wanted);
    if (range == nullptr) {
      ++refused;
      continue;
    }
    const std::size_t offset = offset_of(range);
    ASSERT_EQ(offset % Slab::alignment, 0u);
    ASSERT_LE(offset + wanted, bytes);
    const auto [place, is_new] = taken.emplace(offset, wanted);
    ASSERT_TRUE(is_new);
    if (place != taken.begin()) {
      ASSERT_LE(std::prev(place)->first + std::prev(place)->second, offset);
    }
    if (std::next(place) != taken.end()) {
      ASSERT_LE(offset + wanted, std::next(place)->first);
    }
  }
  EXPECT_GT(refused, 100);
  for (const auto& [offset, size] : taken) ASSERT_TRUE(slab.give_back(memory.data() + offset));
  EXPECT_EQ(slab.take(bytes), memory.data());
}

}  // namespace
}  // namespace halocline::device::cuda::test
