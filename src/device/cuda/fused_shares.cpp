// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/fused_shares.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace halocline::device::cuda {
namespace {

using BlockShares = std::vector<std::vector<Share>>;

/// The blocks first, first + 1, ..., `count` of them.
struct BlockRange {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

/// Distributes the part's tiles round-robin over the blocks `to`.
void deal(BlockShares& blocks, Role role, std::uint32_t part, TileRange tiles, const std::vector<std::uint32_t>& to) {
  const auto count = static_cast<std::uint32_t>(to.size());
  for (std::uint32_t i = 0; i < count; ++i) blocks[to[i]].push_back({role, part, tiles.begin + i, tiles.end, count});
}

/// Parts that are distributed together, with the amount of work of each.
struct Stage {
  std::vector<Role> roles;
  std::vector<std::uint32_t> parts;
  std::vector<TileRange> tiles;
  std::vector<std::uint32_t> work;
  [[nodiscard]] std::uint32_t all_work() const { return std::accumulate(work.begin(), work.end(), 0U); }
  [[nodiscard]] bool takes() const { return std::ranges::find(roles, Role::take) != roles.end(); }
};

/// Groups the parts by stage. Parts of rows get one role, parts of packets the other. A send of rows counts as one unit
/// of work even if it has no tiles.
std::map<int, Stage> stages_of(Role rows, Role packets, const std::vector<PartTiles>& parts) {
  std::map<int, Stage> stages;
  for (std::uint32_t i = 0; i < parts.size(); ++i) {
    const Role role = parts[i].as_packets ? packets : rows;
    const std::uint32_t work = std::max(parts[i].tiles.count(), role == Role::send ? 1U : 0U);
    if (work == 0) continue;
    Stage& stage = stages[parts[i].stage];
    stage.roles.push_back(role);
    stage.parts.push_back(i);
    stage.tiles.push_back(parts[i].tiles);
    stage.work.push_back(work);
  }
  return stages;
}

std::uint32_t whole_work(const std::map<int, Stage>& stages) {
  std::uint32_t all = 0;
  for (const auto& [number, stage] : stages) all += stage.all_work();
  return all;
}

std::uint32_t most_work(const std::map<int, Stage>& stages) {
  std::uint32_t most = 0;
  for (const auto& [number, stage] : stages) most = std::max(most, stage.all_work());
  return most;
}

/// How many blocks each part gets. If there are at least as many blocks as parts, each part gets one, and each further
/// block goes to the part with the most work per block. Otherwise each part gets blocks in proportion to its work,
/// rounded down, and at least one.
std::vector<std::uint32_t> blocks_of(const Stage& stage, std::uint32_t blocks) {
  const std::vector<std::uint32_t>& work = stage.work;
  std::vector<std::uint32_t> counts(work.size(), 1);
  if (work.size() > blocks) {
    const std::uint64_t all = stage.all_work();
    for (std::size_t i = 0; i < work.size(); ++i) {
      counts[i] = std::max(static_cast<std::uint32_t>(std::uint64_t{work[i]} * blocks / all), 1U);
    }
    return counts;
  }
  for (std::size_t given = work.size(); given < blocks; ++given) {
    std::size_t most = 0;
    for (std::size_t i = 1; i < work.size(); ++i) {
      if (std::uint64_t{work[i]} * counts[most] > std::uint64_t{work[most]} * counts[i]) most = i;
    }
    ++counts[most];
  }
  return counts;
}

/// Assigns each part to the blocks with the least work in this stage so far. Returns the number of blocks of each part.
std::vector<std::uint32_t> deal_stage(BlockShares& blocks, const Stage& stage, BlockRange to) {
  const std::uint32_t used = std::min(to.count, stage.all_work());
  const std::vector<std::uint32_t> counts = blocks_of(stage, used);
  std::vector<std::uint64_t> load(used);
  std::vector<std::uint32_t> order(used);
  for (std::size_t i = 0; i < stage.parts.size(); ++i) {
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return load[a] < load[b]; });
    std::vector<std::uint32_t> chosen(order.begin(), order.begin() + counts[i]);
    for (std::uint32_t& block : chosen) {
      load[block] += (stage.work[i] + counts[i] - 1) / counts[i];
      block += to.first;
    }
    deal(blocks, stage.roles[i], stage.parts[i], stage.tiles[i], chosen);
  }
  return counts;
}

/// How many blocks may send if there are also other tiles: half of the blocks, which saturates the links, or fewer if
/// the other tiles are so many more that they would take longer than the sends. A tile that is sent counts as 4/3
/// tiles, because stores to a neighbour wait for the link. (Two H200s, 1,570 tiles to send and 5,700 local ones. With
/// 63 blocks: 263 us with 31 senders, 219 us with 23, 190 us with 15. With 263 blocks: 152 us with 131 senders, 132 us
/// with 70.)
std::uint32_t senders_beside(std::uint32_t to_send, std::uint32_t others, const BlockLimits& limits) {
  const std::uint64_t weight = std::uint64_t{to_send} * 4;
  const std::uint64_t by_tiles = limits.all * weight / std::max<std::uint64_t>(weight + std::uint64_t{others} * 3, 1);
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(by_tiles, 1, std::max(limits.all / 2, 1U)));
}

std::vector<std::uint32_t> numbers_of(BlockRange range) {
  std::vector<std::uint32_t> numbers(range.count);
  std::iota(numbers.begin(), numbers.end(), range.first);
  return numbers;
}

Shares flattened(const BlockShares& blocks, std::vector<std::uint32_t> blocks_of_sends) {
  Shares result;
  result.blocks = std::move(blocks_of_sends);
  result.first_share.push_back(0);
  for (const auto& shares : blocks) {
    if (shares.empty()) continue;
    result.shares.insert(result.shares.end(), shares.begin(), shares.end());
    result.first_share.push_back(static_cast<std::uint32_t>(result.shares.size()));
  }
  return result;
}

}  // namespace

Shares deal_shares(const std::vector<PartTiles>& sends, TileRange local, const std::vector<PartTiles>& receives,
                   const BlockLimits& limits) {
  const std::map<int, Stage> sending = stages_of(Role::send, Role::put, sends);
  const std::map<int, Stage> receiving = stages_of(Role::receive, Role::take, receives);
  const std::uint32_t to_send = most_work(sending);
  const std::uint32_t to_receive = most_work(receiving);

  const std::uint32_t others = local.count() + whole_work(receiving);
  const std::uint32_t may_send = others > 0 ? senders_beside(whole_work(sending), others, limits) : limits.all;
  const std::uint32_t senders = std::min({to_send, may_send, limits.senders});
  const std::uint32_t beside = std::max(limits.all - senders, 1U);
  const std::uint32_t locals = std::min(local.count(), beside);
  const std::uint32_t workers = std::min(limits.all, senders + std::max(locals, to_receive));
  BlockShares blocks(workers);

  std::vector<std::uint32_t> blocks_of_sends(sends.size());
  for (const auto& [number, stage] : sending) {
    const std::vector<std::uint32_t> counts = deal_stage(blocks, stage, {0, senders});
    for (std::size_t i = 0; i < stage.parts.size(); ++i) blocks_of_sends[stage.parts[i]] = counts[i];
  }
  if (locals > 0) deal(blocks, Role::local, 0, local, numbers_of({workers - locals, locals}));
  for (const auto& [number, stage] : receiving) {
    const bool still_sending = !sending.empty() && sending.rbegin()->first > number;
    const bool aside = (still_sending || stage.takes()) && workers > senders;
    deal_stage(blocks, stage, aside ? BlockRange{senders, workers - senders} : BlockRange{0, workers});
  }
  return flattened(blocks, std::move(blocks_of_sends));
}

}  // namespace halocline::device::cuda
