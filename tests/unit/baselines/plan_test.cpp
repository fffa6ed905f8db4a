// SPDX-License-Identifier: BSD-3-Clause
#include "plan/plan.hpp"
#include "baselines/plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <set>

namespace halocline::bench {
namespace {

constexpr float stale = -1;

/// Exact in fp32 for the small domains of these tests.
float value_at(const Vec3& p, int field) { return static_cast<float>(((p.z * 64 + p.y) * 64 + p.x) * 8 + field); }

struct Cells {
  explicit Cells(std::int64_t elements)
      : memory(new Quad[static_cast<std::size_t>((elements + 3) / 4)]), size(static_cast<std::size_t>(elements)) {
    for (std::size_t i = 0; i < size; ++i) data()[i] = stale;
  }
  [[nodiscard]] float* data() const { return memory[0].cell; }
  std::unique_ptr<Quad[]> memory;
  std::size_t size;
};

/// All blocks of a domain in one process.
class Domain {
 public:
  explicit Domain(const Workload& workload) : w_(workload), layout_(workload) {
    for (std::int64_t b = 0; b < w_.grid.volume(); ++b) {
      plans_.push_back(plan_of(w_, b));
      arrays_.emplace_back(layout_.elements);
      send_.emplace_back(plans_.back().buffer_elements);
      receive_.emplace_back(plans_.back().buffer_elements);
      for_each(b,
               [&](const Vec3& global, bool owned, int f, float& cell) { cell = owned ? value_at(global, f) : stale; });
    }
  }

  void exchange_packed() {
    for (std::size_t b = 0; b < plans_.size(); ++b) {
      run(bound(plans_[b].pack, arrays(b), buffer(b, send_)));
      run(bound(plans_[b].wrap, arrays(b), arrays(b)));
    }
    for (std::size_t b = 0; b < plans_.size(); ++b) {
      for (const Message& mine : plans_[b].messages) {
        const auto peer = static_cast<std::size_t>(mine.peer);
        const Message& theirs = message_with(plans_[peer], static_cast<std::int64_t>(b));
        ASSERT_EQ(mine.elements, theirs.elements);
        std::memcpy(receive_[peer].data() + theirs.offset, send_[b].data() + mine.offset,
                    sizeof(float) * static_cast<std::size_t>(mine.elements));
      }
    }
    for (std::size_t b = 0; b < plans_.size(); ++b) run(bound(plans_[b].unpack, buffer(b, receive_), arrays(b)));
  }

  void exchange_direct() {
    for (std::size_t b = 0; b < plans_.size(); ++b) {
      const Start peers = [&](int m) {
        return arrays_[static_cast<std::size_t>(plans_[b].messages[static_cast<std::size_t>(m)].peer)].data();
      };
      run(bound(plans_[b].direct, arrays(b), peers));
      run(bound(plans_[b].wrap, arrays(b), arrays(b)));
    }
  }

  [[nodiscard]] std::int64_t wrong() {
    std::int64_t count = 0;
    for (std::int64_t b = 0; b < w_.grid.volume(); ++b) {
      for_each(
          b, [&](const Vec3& global, bool, int f, const float& cell) { count += cell != value_at(global, f) ? 1 : 0; });
    }
    return count;
  }
  [[nodiscard]] const Plan& plan(std::size_t b) const { return plans_[b]; }

 private:
  [[nodiscard]] Start arrays(std::size_t b) const {
    return [this, b](int) { return arrays_[b].data(); };
  }
  [[nodiscard]] Start buffer(std::size_t b, const std::vector<Cells>& buffers) const {
    return [this, b, &buffers](int m) {
      return buffers[b].data() + plans_[b].messages[static_cast<std::size_t>(m)].offset;
    };
  }
  /// Every item once, as a kernel's threads do, in reverse: the order must not matter.
  void run(const std::vector<Copy>& copies) const {
    const Job job = job_of(copies, w_.fields);
    for (std::uint32_t tile = job.tiles; tile-- > 0;) {
      for (std::uint32_t thread = 0; thread < items_a_tile; ++thread) copy_of_tile(job, tile, thread);
    }
  }
  template <typename Visit>
  void for_each(std::int64_t b, const Visit& visit) {
    const Vec3 all = w_.cells * w_.grid;
    const Vec3 origin = position_of(w_, b) * w_.cells;
    const std::int64_t r = w_.radius;
    for (int f = 0; f < w_.fields; ++f) {
      for (std::int64_t z = -r; z < w_.cells.z + r; ++z) {
        for (std::int64_t y = -r; y < w_.cells.y + r; ++y) {
          for (std::int64_t x = -r; x < w_.cells.x + r; ++x) {
            const bool owned = x >= 0 && x < w_.cells.x && y >= 0 && y < w_.cells.y && z >= 0 && z < w_.cells.z;
            Vec3 global = origin + Vec3{x, y, z};
            for (int dim = 0; dim < 3; ++dim) global[dim] = (global[dim] + all[dim]) % all[dim];
            visit(global, owned, f,
                  arrays_[static_cast<std::size_t>(b)].data()[f * layout_.field + layout_.at({x, y, z})]);
          }
        }
      }
    }
  }

  Workload w_;
  ArrayLayout layout_;
  std::vector<Plan> plans_;
  std::vector<Cells> arrays_;
  std::vector<Cells> send_;
  std::vector<Cells> receive_;
};

std::vector<Workload> workloads() {
  std::vector<Workload> all;
  for (const Vec3 grid : {Vec3{1, 1, 1}, Vec3{1, 1, 2}, Vec3{1, 2, 1}, Vec3{2, 1, 1}, Vec3{1, 2, 2}, Vec3{2, 2, 1},
                          Vec3{2, 1, 2}, Vec3{2, 2, 2}, Vec3{1, 1, 4}, Vec3{3, 1, 2}, Vec3{4, 1, 1}}) {
    for (const Vec3 cells : {Vec3{8, 8, 8}, Vec3{12, 7, 9}, Vec3{16, 5, 6}, Vec3{7, 6, 5}}) {
      for (const std::int64_t radius : {1, 2, 3, 4, 5}) {
        for (const int fields : {1, 4, 5}) {
          if (radius <= 4 || fields == 4) all.push_back({cells, grid, radius, fields});
        }
      }
    }
  }
  return all;
}

std::string text_of(const Workload& w) {
  return "grid " + to_string(w.grid) + ", cells " + to_string(w.cells) + ", radius " + std::to_string(w.radius) +
         ", fields " + std::to_string(w.fields);
}

TEST(BaselinePlan, PackedMessagesFillEveryHaloCell) {
  for (const Workload& w : workloads()) {
    Domain domain(w);
    domain.exchange_packed();
    ASSERT_EQ(domain.wrong(), 0) << text_of(w);
  }
}

TEST(BaselinePlan, StoresIntoPeersFillEveryHaloCell) {
  for (const Workload& w : workloads()) {
    Domain domain(w);
    domain.exchange_direct();
    ASSERT_EQ(domain.wrong(), 0) << text_of(w);
  }
}

TEST(BaselinePlan, HaloIsWrongWithoutAnExchange) {
  Domain domain({{8, 8, 8}, {1, 1, 2}, 3, 4});
  EXPECT_EQ(domain.wrong(), 2 * 4 * (14 * 14 * 14 - 8 * 8 * 8));
}

TEST(BaselinePlan, SendsOneMessageANeighbourAndNothingToItself) {
  for (const Workload& w : workloads()) {
    for (std::int64_t b = 0; b < w.grid.volume(); ++b) {
      const Plan plan = plan_of(w, b);
      std::set<std::int64_t> peers;
      for (const Message& message : plan.messages) {
        EXPECT_NE(message.peer, b) << text_of(w);
        EXPECT_TRUE(peers.insert(message.peer).second) << text_of(w);
      }
      const auto halos = [](const std::vector<PlannedCopy>& copies) {
        std::size_t count = copies.size();
        for (const PlannedCopy& copy : copies) count += copy.item == Item::ends || copy.item == Item::rows_in ? 1 : 0;
        return count;
      };
      EXPECT_EQ(halos(plan.unpack) + halos(plan.wrap), 26U);
      EXPECT_EQ(plan.direct.size(), halos(plan.unpack));
    }
  }
}

TEST(BaselinePlan, SendsFacesOnceAcrossOneCut) {
  for (const Vec3 grid : {Vec3{1, 1, 2}, Vec3{2, 1, 1}}) {
    const Plan plan = plan_of({Vec3::filled(512), grid, 3, 4}, 0);
    EXPECT_EQ(plan.bytes_out, 512LL * 512 * 3 * 2 * 4 * 4);
    EXPECT_EQ(plan.buffer_elements * 4, plan.bytes_out);
    ASSERT_EQ(plan.messages.size(), 1U);
    EXPECT_EQ(plan.messages[0].peer, 1);
  }
}

TEST(BaselinePlan, WritesWholeSectorsWhereRowsAreAligned) {
  const auto only = [](const std::vector<PlannedCopy>& copies, Item along, Item thin) {
    return std::all_of(copies.begin(), copies.end(),
                       [&](const PlannedCopy& c) { return c.item == (c.size.x == 64 ? along : thin); });
  };
  const Plan z = plan_of({Vec3::filled(64), {1, 1, 2}, 3, 4}, 0);
  EXPECT_TRUE(only(z.pack, Item::quads, Item::quads));
  EXPECT_TRUE(only(z.unpack, Item::quads, Item::ends));
  EXPECT_TRUE(only(z.wrap, Item::quads, Item::ends));
  const Plan x = plan_of({Vec3::filled(64), {2, 1, 1}, 3, 4}, 0);
  EXPECT_TRUE(only(x.pack, Item::quads, Item::rows_out));
  EXPECT_TRUE(only(x.unpack, Item::quads, Item::rows_in));
  EXPECT_TRUE(only(x.wrap, Item::quads, Item::quads));
  EXPECT_TRUE(only(x.direct, Item::quads, Item::quads));
}

TEST(BaselinePlan, HalosOfNeighbouringRowsShareABurst) {
  constexpr std::int64_t burst = 16;
  for (const std::int64_t cells : {16, 64, 512}) {
    const ArrayLayout layout({{cells, 4, 4}, {1, 1, 2}, 3, 4});
    EXPECT_EQ(layout.at({0, 1, 0}) % burst, 0);
    EXPECT_EQ(layout.at({cells, 0, 0}) + burst, layout.at({0, 1, 0}));
    EXPECT_EQ(layout.field % burst, 0);
  }
}

}  // namespace
}  // namespace halocline::bench
