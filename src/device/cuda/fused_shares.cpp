#include "device/cuda/fused_shares.hpp"

#include <algorithm>

namespace halocline::device::cuda {
namespace {

using BlockShares = std::vector<std::vector<Share>>;

/// The part's tiles to `count` blocks from `first` on, around the end of all blocks.
void deal(BlockShares& blocks, Role role, std::uint32_t part, TileRange tiles, std::uint32_t first,
          std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) {
    blocks[(first + i) % blocks.size()].push_back({role, part, tiles.begin + i, tiles.end, count});
  }
}

/// Tiles, and a piece of work even where there are none.
std::uint32_t work_of(TileRange send) { return std::max(send.count(), 1U); }

}  // namespace

Shares deal_shares(const std::vector<TileRange>& sends, TileRange local, const std::vector<TileRange>& receives,
                   std::uint32_t most_blocks) {
  std::uint32_t to_send = 0;
  for (const TileRange send : sends) to_send += work_of(send);
  std::uint32_t to_receive = 0;
  for (const TileRange receive : receives) to_receive += receive.count();

  // Where there is local work, a third of the blocks fills the links.
  const std::uint32_t most_senders = local.count() > 0 ? std::max(most_blocks / 3, 1U) : most_blocks;
  const std::uint32_t senders = std::min(to_send, most_senders);
  const std::uint32_t locals = std::min(local.count(), std::max(most_blocks - std::min(senders, most_blocks), 1U));
  const std::uint32_t workers = std::min(most_blocks, std::max(senders + locals, std::min(to_receive, most_blocks)));
  BlockShares blocks(workers);
  Shares result;

  std::uint32_t at = 0;
  for (std::uint32_t part = 0; part < sends.size(); ++part) {
    const std::uint32_t work = work_of(sends[part]);
    const auto fair = static_cast<std::uint32_t>(std::uint64_t{work} * senders / to_send);
    const std::uint32_t count = std::clamp(fair, 1U, std::min(work, senders));
    deal(blocks, Role::send, part, sends[part], at % senders, count);
    result.blocks.push_back(count);
    at += count;
  }
  if (locals > 0) deal(blocks, Role::local, 0, local, workers - locals, locals);
  at = 0;
  for (std::uint32_t part = 0; part < receives.size(); ++part) {
    const std::uint32_t count = std::min(receives[part].count(), workers);
    deal(blocks, Role::receive, part, receives[part], at, count);
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
