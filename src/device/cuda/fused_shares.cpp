#include "device/cuda/fused_shares.hpp"

#include <algorithm>
#include <numeric>

namespace halocline::device::cuda {
namespace {

using BlockShares = std::vector<std::vector<Share>>;

/// The part's tiles to one block after the other.
void deal(BlockShares& blocks, Role role, std::uint32_t part, TileRange tiles, const std::vector<std::uint32_t>& to) {
  const auto count = static_cast<std::uint32_t>(to.size());
  for (std::uint32_t i = 0; i < count; ++i) blocks[to[i]].push_back({role, part, tiles.begin + i, tiles.end, count});
}

/// So many blocks from `first` on, around the end of all.
std::vector<std::uint32_t> around(std::uint32_t first, std::uint32_t count, std::size_t all) {
  std::vector<std::uint32_t> blocks(count);
  for (std::uint32_t i = 0; i < count; ++i) blocks[i] = static_cast<std::uint32_t>((first + i) % all);
  return blocks;
}

/// Tiles, and a piece of work even where there are none.
std::uint32_t work_of(TileRange send) { return std::max(send.count(), 1U); }

/// How many blocks each send has. Where there are as many as sends: one, and of the others each to the send whose blocks
/// have most to do. Otherwise, several for a send that is more than several blocks' work.
std::vector<std::uint32_t> blocks_of(const std::vector<TileRange>& sends, std::uint32_t senders,
                                     std::uint32_t to_send) {
  std::vector<std::uint32_t> counts(sends.size(), 1);
  if (sends.size() > senders) {
    for (std::size_t i = 0; i < sends.size(); ++i) {
      const std::uint64_t fair = std::uint64_t{work_of(sends[i])} * senders / to_send;
      counts[i] = std::max(static_cast<std::uint32_t>(fair), 1U);
    }
    return counts;
  }
  for (std::size_t given = sends.size(); given < senders; ++given) {
    std::size_t most = 0;
    for (std::size_t i = 1; i < sends.size(); ++i) {
      const bool more =
          std::uint64_t{work_of(sends[i])} * counts[most] > std::uint64_t{work_of(sends[most])} * counts[i];
      if (more) most = i;
    }
    ++counts[most];
  }
  return counts;
}

/// To the blocks that have least to send so far.
void deal_sends(BlockShares& blocks, const std::vector<TileRange>& sends, const std::vector<std::uint32_t>& counts,
                std::uint32_t senders) {
  std::vector<std::uint64_t> work(senders);
  std::vector<std::uint32_t> order(senders);
  for (std::uint32_t part = 0; part < sends.size(); ++part) {
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return work[a] < work[b]; });
    const std::vector<std::uint32_t> to(order.begin(), order.begin() + counts[part]);
    deal(blocks, Role::send, part, sends[part], to);
    for (const std::uint32_t block : to) work[block] += (work_of(sends[part]) + counts[part] - 1) / counts[part];
  }
}

}  // namespace

Shares deal_shares(const std::vector<TileRange>& sends, TileRange local, const std::vector<TileRange>& receives,
                   std::uint32_t most_blocks) {
  std::uint32_t to_send = 0;
  for (const TileRange send : sends) to_send += work_of(send);
  std::uint32_t to_receive = 0;
  for (const TileRange receive : receives) to_receive += receive.count();

  // Where there is local work, half of the blocks fill the links.
  const std::uint32_t most_senders = local.count() > 0 ? std::max(most_blocks / 2, 1U) : most_blocks;
  const std::uint32_t senders = std::min(to_send, most_senders);
  const std::uint32_t locals = std::min(local.count(), std::max(most_blocks - std::min(senders, most_blocks), 1U));
  const std::uint32_t workers = std::min(most_blocks, std::max(senders + locals, std::min(to_receive, most_blocks)));
  BlockShares blocks(workers);
  Shares result;

  result.blocks = blocks_of(sends, senders, to_send);
  deal_sends(blocks, sends, result.blocks, senders);
  if (locals > 0) deal(blocks, Role::local, 0, local, around(workers - locals, locals, workers));
  std::uint32_t at = 0;
  for (std::uint32_t part = 0; part < receives.size(); ++part) {
    const std::uint32_t count = std::min(receives[part].count(), workers);
    deal(blocks, Role::receive, part, receives[part], around(at, count, workers));
    at += count;
  }

  result.first_share.push_back(0);
  for (const auto& shares : blocks) {
    result.shares.insert(result.shares.end(), shares.begin(), shares.end());
    result.first_share.push_back(static_cast<std::uint32_t>(result.shares.size()));
  }
  return result;
}

}  // namespace halocline::device::cuda
