// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>

#include <utility>
#include <vector>

#include "unit/device/backend_contract.hpp"

// Headers that packing writes and unpacking compares.
namespace halocline::device::test {

using ::testing::StartsWith;

namespace {

/// Copies a word of the page that is 1 to another.
StridedCopy copy_of_one(FlagPage& at) {
  StridedCopy cell;
  cell.source = reinterpret_cast<std::byte*>(&at.one);
  cell.target = reinterpret_cast<std::byte*>(&at.flags[6].epoch);
  cell.extent = {1, 1, 1};
  cell.element_bytes = sizeof at.one;
  return cell;
}

}  // namespace

TEST_P(BackendContract, PackingCountsAndWritesHeaders) {
  const auto memory = make_page(*backend);
  FlagPage& at = page(*memory);
  const auto stream = backend->create_stream(0);
  const StridedCopy cell = copy_of_one(at);
  const auto packing = [&](bool advance, std::vector<FlagSignal> headers) {
    return backend->prepare_packing(0, {&cell, 1}, {&at.epoch, advance, std::move(headers)});
  };
  const auto counting = packing(true, {{&at.flags[0], 3}, {&at.flags[1], 4}});
  const auto writing = packing(false, {{&at.flags[2], 5}});
  const auto only_headers = backend->prepare_packing(0, {}, {&at.epoch, true, {{&at.flags[3], 6}}});
  const auto words = [&](int flag) { return std::pair(get(&at.flags[flag].epoch), get(&at.flags[flag].token)); };
  for (int i = 0; i < 2; ++i) stream->copy(*counting);
  stream->copy(*writing);
  stream->copy(*only_headers);
  stream->synchronize();
  EXPECT_EQ(get(&at.flags[6].epoch), 1u);
  EXPECT_EQ(get(&at.epoch), 3u);
  EXPECT_EQ(words(0), std::pair(std::uint64_t{2}, std::uint64_t{3}));
  EXPECT_EQ(words(1), std::pair(std::uint64_t{2}, std::uint64_t{4}));
  EXPECT_EQ(words(2), std::pair(std::uint64_t{2}, std::uint64_t{5}));
  EXPECT_EQ(words(3), std::pair(std::uint64_t{3}, std::uint64_t{6}));
}

TEST_P(BackendContract, UnpackingComparesHeadersAndNotesThatItHas) {
  const auto memory = make_page(*backend);
  FlagPage& at = page(*memory);
  const auto stream = backend->create_stream(0);
  const StridedCopy cell = copy_of_one(at);
  const auto unpack = [&](std::uint64_t token) {
    return backend->prepare_unpacking(
        0, {&cell, 1},
        {&at.epoch, {{&at.flags[0], 1, guard("first")}, {&at.flags[1], token, guard("second")}}, &at.flags[2]});
  };
  const auto right = unpack(2);
  const auto wrong = unpack(3);
  stream->advance(&at.epoch);
  signal_to(*stream, &at.epoch, &at.flags[0], 1);
  signal_to(*stream, &at.epoch, &at.flags[1], 2);
  stream->copy(*right);
  stream->synchronize();
  EXPECT_EQ(get(&at.flags[6].epoch), 1u);
  EXPECT_EQ(get(&at.flags[2].epoch), 1u);
  stream->advance(&at.epoch);
  signal_to(*stream, &at.epoch, &at.flags[0], 1);
  signal_to(*stream, &at.epoch, &at.flags[1], 2);
  const std::string early = thrown([&] { stream->copy(*wrong); });  // where the check fails while the rest is enqueued
  EXPECT_THAT(failure(*stream), StartsWith("protocol: second: the two sides disagree")) << early;
  EXPECT_EQ(get(&at.flags[2].epoch), 1u);
}

}  // namespace halocline::device::test
