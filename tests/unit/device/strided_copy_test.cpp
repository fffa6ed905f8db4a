#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "support.hpp"

namespace halocline::device::test {
namespace {

constexpr auto sentinel = std::byte{0xee};

/// The definition, element by element.
void reference(const StridedCopy& c) {
  for_each_cell(Box::of_extent(c.extent), [&](const Vec3& p) {
    const std::int64_t from = p.x * c.source_stride[0] + p.y * c.source_stride[1] + p.z * c.source_stride[2];
    const std::int64_t to = p.x * c.target_stride[0] + p.y * c.target_stride[1] + p.z * c.target_stride[2];
    std::memcpy(c.target + to, c.source + from, static_cast<std::size_t>(c.element_bytes));
  });
}

/// A layout without overlap: dimensions nested in some order with some padding, some of them backwards.
struct Layout {
  std::array<std::int64_t, 3> stride{};
  std::int64_t first = 0;  ///< byte of element (0, 0, 0)
  std::int64_t bytes = 0;

  Layout(std::mt19937& random, const Vec3& extent, std::int64_t element) {
    const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    std::array<int, 3> order{0, 1, 2};
    if (pick(3) == 0) std::shuffle(order.begin(), order.end(), random);
    std::int64_t step = element;
    for (const int d : order) {
      if (pick(3) == 0) step += element * pick(5);
      const bool backwards = pick(4) == 0;
      stride[static_cast<std::size_t>(d)] = backwards ? -step : step;
      if (backwards) first += step * (extent[d] - 1);
      step *= extent[d];
    }
    bytes = step + 16 * element;
  }
};

class StridedCopyCase {
 public:
  StridedCopyCase(std::mt19937& random, const Vec3& extent, std::int64_t element)
      : from(random, extent, element), to(random, extent, element), source(static_cast<std::size_t>(from.bytes)) {
    for (std::byte& b : source) b = static_cast<std::byte>(random() % 200);
    actual.assign(static_cast<std::size_t>(to.bytes), sentinel);
    expected = actual;
    copy = {source.data() + from.first, actual.data() + to.first, from.stride, to.stride, extent, element};
    StridedCopy same = copy;
    same.target = expected.data() + to.first;
    reference(same);
  }
  Layout from, to;
  std::vector<std::byte> source, actual, expected;
  StridedCopy copy;
};

Vec3 random_extent(std::mt19937& random) {
  const auto up_to = [&](unsigned n) { return static_cast<std::int64_t>(1 + random() % n); };
  const auto pick = [&] { return random() % 4 == 0 ? 1 : up_to(11); };
  return {random() % 8 == 0 ? up_to(300) : pick(), pick(), pick()};
}

TEST(StridedCopy, EqualsTheReferenceForRandomLayouts) {
  const auto backend = make_host_backend({});
  const auto stream = backend->create_stream(0);
  std::mt19937 random(20240501);
  constexpr std::array<std::int64_t, 5> sizes{1, 2, 4, 8, 16};
  for (int i = 0; i < 3000; ++i) {
    const std::int64_t element = sizes[random() % sizes.size()];
    StridedCopyCase one(random, random_extent(random), element);
    stream->copy(one.copy);
    stream->synchronize();
    ASSERT_EQ(one.actual, one.expected) << "case " << i << ": " << to_string(one.copy.extent) << " of " << element;
  }
}

TEST(StridedCopy, EveryRowLengthOfContiguousRows) {
  const auto backend = make_host_backend({});
  const auto stream = backend->create_stream(0);
  for (std::int64_t row = 1; row <= 200; ++row) {
    std::vector<std::byte> source(static_cast<std::size_t>(6 * (row + 3)));
    for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<std::byte>(i % 199);
    std::vector<std::byte> actual(static_cast<std::size_t>(6 * (row + 5)), sentinel);
    std::vector<std::byte> expected = actual;
    StridedCopy copy{
        source.data(), actual.data(), {1, row + 3, 3 * (row + 3)}, {1, row + 5, 3 * (row + 5)}, {row, 3, 2}, 1};
    stream->copy(copy);
    stream->synchronize();
    copy.target = expected.data();
    reference(copy);
    ASSERT_EQ(actual, expected) << row << " bytes a row";
  }
}

TEST(StridedCopy, AListIsAllItsCopies) {
  const auto backend = make_host_backend({});
  const auto stream = backend->create_stream(0);
  std::mt19937 random(7);
  std::vector<StridedCopyCase> cases;
  std::vector<StridedCopy> copies;
  std::int64_t bytes = 0;
  for (int i = 0; i < 40; ++i) cases.emplace_back(random, random_extent(random), 8);
  for (const StridedCopyCase& one : cases) {
    copies.push_back(one.copy);
    bytes += one.copy.bytes();
  }
  const auto list = backend->prepare(0, copies);
  EXPECT_EQ(list->bytes(), bytes);
  stream->copy(*list);
  stream->synchronize();
  for (const StridedCopyCase& one : cases) EXPECT_EQ(one.actual, one.expected);
}

TEST(StridedCopy, RefusesWhatItCannotDo) {
  const auto backend = make_host_backend({});
  const auto stream = backend->create_stream(0);
  std::byte memory[64]{};
  StridedCopy copy{memory, memory + 32, {3, 6, 12}, {3, 6, 12}, {2, 2, 2}, 3};
  EXPECT_EQ(thrown([&] { stream->copy(copy); }),
            "invalid argument: the element size of a copy is 3; allowed are 1, 2, 4, 8 and 16");
  copy.element_bytes = 4;
  copy.extent = {2, -1, 2};
  EXPECT_EQ(thrown([&] { stream->copy(copy); }),
            "invalid argument: the extent of a copy is 2 x -1 x 2; allowed are numbers from 0 on");
  copy.extent = {1, 1, 1};
  copy.target = nullptr;
  EXPECT_EQ(thrown([&] { stream->copy(copy); }), "invalid argument: the target of a copy is null");
  copy.extent = {4, 0, 4};
  stream->copy(copy);  // nothing to do
  stream->synchronize();
}

}  // namespace
}  // namespace halocline::device::test
