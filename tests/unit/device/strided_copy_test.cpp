// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "device/host.hpp"
#include "support/effort.hpp"
#include "unit/device/strided_case.hpp"
#include "unit/device/support.hpp"

namespace halocline::device::test {
namespace {

TEST(StridedCopy, EqualsTheReferenceForRandomLayouts) {
  const auto backend = make_host_backend({});
  const auto stream = backend->create_stream(0);
  std::mt19937 random(20240501);
  for (int i = 0; i < halocline::test::some_of(3000); ++i) {
    const std::int64_t element = element_sizes[random() % element_sizes.size()];
    StridedCopyCase one(random, random_extent(random), element);
    stream->copy(one.copy);
    stream->synchronize();
    ASSERT_EQ(one.actual, one.expected) << "case " << i << ": " << to_string(one.copy.extent) << " of " << element;
  }
}

TEST(StridedCopy, ConversionsEqualTheReferenceForRandomLayouts) {
  const auto backend = make_host_backend({});
  const auto stream = backend->create_stream(0);
  std::mt19937 random(20261124);
  for (int i = 0; i < halocline::test::some_of(1500); ++i) {
    const Conversion& conversion = conversions()[static_cast<std::size_t>(i) % conversions().size()];
    const std::int64_t numbers = conversion.cells == Element::f64 && random() % 4 == 0 ? 2 : 1;  // complex ones
    StridedCopyCase one(random, random_extent(random), numbers * bytes_of(conversion.cells), conversion);
    stream->copy(one.copy);
    stream->synchronize();
    ASSERT_EQ(one.actual, one.expected) << "case " << i << ": " << to_string(one.copy.extent);
    ASSERT_EQ(one.copy.bytes(), one.copy.extent.volume() * numbers * bytes_of(conversion.narrow));
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

// Rows of copies beyond the caches are stored in another way.
TEST(StridedCopy, RowsOfALargeCopyAtEveryAlignment) {
  constexpr std::int64_t row = 8209;
  constexpr std::int64_t rows = (std::int64_t{33} << 20) / row;
  constexpr std::int64_t gap = 3;
  const auto backend = make_host_backend({});
  const auto stream = backend->create_stream(0);
  std::vector<std::byte> source(static_cast<std::size_t>(rows * row));
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<std::byte>(i % 199);
  std::vector<std::byte> actual(static_cast<std::size_t>(rows * (row + gap)), sentinel);
  stream->copy(StridedCopy{source.data(), actual.data(), {1, row, 0}, {1, row + gap, 0}, {row, rows, 1}, 1});
  stream->synchronize();
  std::vector<std::byte> expected(actual.size(), sentinel);
  for (std::int64_t i = 0; i < rows; ++i) {
    std::copy_n(source.begin() + i * row, row, expected.begin() + i * (row + gap));
  }
  EXPECT_TRUE(actual == expected);
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
  for (const Vec3& empty : {Vec3{0, 4, 4}, Vec3{4, 0, 4}, Vec3{4, 4, 0}}) {
    copy.extent = empty;
    stream->copy(copy);  // nothing to do
  }
  for (const Conversion& unknown : {Conversion{Conversion::Way::pack, Element::f32, Element::f32},
                                    Conversion{Conversion::Way::pack, Element::f64, Element::i16}}) {
    copy.conversion = unknown;
    EXPECT_THAT(thrown([&] { stream->copy(copy); }), ::testing::HasSubstr("a copy converts elements of 4 bytes"));
  }
  stream->synchronize();
}

}  // namespace
}  // namespace halocline::device::test
