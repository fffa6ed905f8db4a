// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/fused_exchange.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "core/checked.hpp"
#include "device/cuda/device_tables.hpp"
#include "device/cuda/fused_shares.hpp"
#include "device/cuda/own.hpp"
#include "device/cuda/room.hpp"
#include "device/cuda/wait_entries.hpp"
#include "device/detail/flag_checks.hpp"
#include "device/tracer.hpp"

namespace halocline::device::cuda {
namespace {

/// The tiles of rows and of packets; each part's tiles are contiguous.
class Tiles {
 public:
  TileRange add(const std::vector<CopyTask>& tasks) {
    const std::uint32_t begin = count_of(copies.tiles);
    copies.add(tasks);
    return {begin, count_of(copies.tiles)};
  }
  TileRange add(const std::vector<PacketTask>& tasks) {
    const std::uint32_t begin = count_of(packets);
    for (PacketTile tile : plan_packet_tiles(tasks)) {
      tile.task += static_cast<std::uint32_t>(packet_tasks.size());
      packets.push_back(tile);
    }
    packet_tasks.insert(packet_tasks.end(), tasks.begin(), tasks.end());
    return {begin, count_of(packets)};
  }
  template <typename Part>
  PartTiles add_part(const Part& part) {
    if (part.packets.offered()) return {add(plan_packets(part)), part.stage, true};
    return {add_copies(part), part.stage, false};
  }
  /// What a network moves takes the longest: it leaves before all else, and is waited for last.
  PartTiles add_part(const Put& put) { return {add_copies(put), first_put + put.stage, false}; }
  PartTiles add_part(const Landing& landing) { return {add_copies(landing), first_landing + landing.stage, false}; }
  TileTable copies;
  std::vector<PacketTask> packet_tasks;
  std::vector<PacketTile> packets;

 private:
  static constexpr int first_put = -(1 << 30);
  static constexpr int first_landing = 1 << 30;
  template <typename Part>
  TileRange add_copies(const Part& part) {
    return add(plan_tasks(part.copies, Pairs::of_rows_in_turns));
  }
  template <typename T>
  static std::uint32_t count_of(const std::vector<T>& tiles) {
    return checked_cast<std::uint32_t>(tiles.size(), "the number of tiles of an exchange");
  }
};

/// The flags of the two packet buffers.
template <typename T>
std::array<T*, 2> flags_of(const PacketRoom& room) {
  return {reinterpret_cast<T*>(room.buffers[0]), reinterpret_cast<T*>(room.buffers[1])};
}

/// From so many tiles for each of its blocks on, the tiles of a send are claimed.
constexpr std::uint32_t claimed_from_tiles_a_block = 5;

/// The first tile of a send that its blocks claim, or 0.
std::uint32_t claimed_from(const TileRange& tiles, std::uint32_t blocks) {
  return blocks > 1 && tiles.count() >= claimed_from_tiles_a_block * blocks ? tiles.begin + 2 * blocks : 0;
}

/// The shares of each block as a linked list whose first entry has the block's index.
std::vector<Work> chained(const Shares& dealt, const Tiles& tiles, const std::vector<SendPart>& sends,
                          const std::vector<PartTiles>& send_tiles) {
  std::vector<Work> chain(dealt.block_count());
  for (std::uint32_t block = 0; block < dealt.block_count(); ++block) {
    std::set<const Flag*> awaited;
    std::size_t at = block;
    for (std::uint32_t i = dealt.first_share[block]; i < dealt.first_share[block + 1]; ++i) {
      if (i > dealt.first_share[block]) {
        chain[at].next = static_cast<std::uint32_t>(chain.size());
        at = chain.size();
        chain.emplace_back();
      }
      const Share& share = dealt.shares[i];
      chain[at].share = share;
      if (share.role == Role::send) {
        const SendPart& part = sends[share.part];
        chain[at].share.open = part.port || !awaited.insert(part.ready.flag).second;
        chain[at].share.claimed_from = claimed_from(send_tiles[share.part].tiles, dealt.blocks[share.part]);
      }
      if (share.first == share.end) continue;
      if (share.role == Role::put || share.role == Role::take) {
        const PacketTile tile = tiles.packets[share.first];
        chain[at].packets = {tile, tiles.packet_tasks[tile.task]};
      } else {
        const CopyTile tile = tiles.copies.tiles[share.first];
        chain[at].cells = {tile, tiles.copies.shapes[tile.shape]};
      }
    }
  }
  return chain;
}

/// The number of blocks that the exchange may have resident at once. Without a room it is half of the device's, so that
/// two exchanges fit together even if other devices run them in another order.
int room_of(const FusedPlan& plan, const Devices& devices, int device) {
  if (plan.room == nullptr) return devices.at(device).fused_room() / 2;
  const auto& room = own<const CudaRoom>(*plan.room, &devices, "room");
  if (room.device() != device) {
    throw InvalidArgument(
        fmt::format("the room of an exchange is on device {}; allowed is the exchange's, {}", room.device(), device));
  }
  return room.blocks();
}

}  // namespace

CudaFusedExchange::CudaFusedExchange(std::shared_ptr<Devices> devices, int device, const FusedPlan& plan)
    : devices_(std::move(devices)), device_(device) {
  check_fused_plan(plan);
  Device& on = devices_->at(device);
  const CurrentDevice current(on.context());
  const CaptureAside aside;
  const WaitEntries entries(devices_->failures());
  Tiles tiles;
  std::vector<PartTiles> send_tiles;
  std::vector<PartTiles> receive_tiles;
  std::vector<SendPart> sends;
  std::vector<ReceivePart> receives;
  std::uint32_t relays = 0;
  std::vector<CheckEntry> checks;
  std::vector<std::uint64_t*> epochs;
  for (const Participant& participant : plan.participants) {
    const auto number = static_cast<std::uint32_t>(epochs.size());
    epochs.push_back(participant.epoch);
    for (const CounterCheck& check : participant.expected) checks.push_back(entries.of(check));
    for (const OutgoingPart& out : participant.outgoing) {
      sends.push_back({entries.of(out.ready), out.arrived, number, 0, flags_of<Flag>(out.packets)});
      send_tiles.push_back(tiles.add_part(out));
    }
    for (const Put& put : participant.puts) {
      sends.push_back({entries.of(put.ready), put.posted, number, 0, {}, true, put.to_odd});
      send_tiles.push_back(tiles.add_part(put));
    }
    for (const IncomingPart& in : participant.incoming) {
      receives.push_back({entries.of(in.arrived), in.ready, number, flags_of<const Flag>(in.packets)});
      receive_tiles.push_back(tiles.add_part(in));
    }
    for (const Landing& landing : participant.landings) {
      receives.push_back({entries.of(landing.arrived), landing.ready, number, {}, true, relays++, landing.to_odd});
      receive_tiles.push_back(tiles.add_part(landing));
    }
  }
  const TileRange local = tiles.add(plan_tasks(plan.local, Pairs::any));

  const Shares dealt = deal_shares(send_tiles, local, receive_tiles,
                                   on.fused_limits(plan.multiprocessors, room_of(plan, *devices_, device)));
  for (std::size_t i = 0; i < sends.size(); ++i) sends[i].blocks = dealt.blocks[i];
  workers_ = dealt.block_count();

  DeviceTables tables;
  const auto shapes_at = tables.add(tiles.copies.shapes);
  const auto tiles_at = tables.add(tiles.copies.tiles);
  const auto packet_tasks_at = tables.add(tiles.packet_tasks);
  const auto packet_tiles_at = tables.add(tiles.packets);
  const std::vector<Work> work = chained(dealt, tiles, sends, send_tiles);
  const auto work_at = tables.add(work);
  const auto sends_at = tables.add(sends);
  const auto receives_at = tables.add(receives);
  const auto checks_at = tables.add(checks);
  const auto epochs_at = tables.add(epochs);
  const auto claims_at = tables.add(std::vector<Claims>(sends.size()));
  const auto counts_at = tables.add(std::vector<std::uint32_t>(sends.size() + 1, 0));
  const auto relays_at = tables.add(std::vector<Flag>(relays));
  if (plan.tracer != nullptr) {
    record_ = std::make_shared<StampRecord>(devices_, device, *plan.tracer, StampLayout(device, plan, work));
    plan.tracer->add(device, record_);
  }
  memory_ = tables.to_device(*devices_, device);
  table_ = {on.board().get(),
            shapes_at.in(memory_),
            tiles_at.in(memory_),
            packet_tasks_at.in(memory_),
            packet_tiles_at.in(memory_),
            work_at.in(memory_),
            sends_at.in(memory_),
            receives_at.in(memory_),
            checks_at.in(memory_),
            {},
            epochs_at.in(memory_),
            claims_at.in(memory_),
            counts_at.in(memory_) + 1,
            relays_at.in(memory_),
            counts_at.in(memory_),
            static_cast<std::uint32_t>(sends.size()),
            static_cast<std::uint32_t>(receives.size()),
            static_cast<std::uint32_t>(checks.size()),
            static_cast<std::uint32_t>(epochs.size()),
            !tiles.packet_tasks.empty(),
            tiles.copies.converts(),
            relays > 0 || std::ranges::any_of(sends, &SendPart::port),
            plan.next_may_start,
            {}};
  std::copy_n(epochs.begin(), std::min(epochs.size(), table_.first_epochs.size()), table_.first_epochs.begin());
}

FusedTable CudaFusedExchange::table(std::uint64_t* stamps) const {
  FusedTable table = table_;
  if (stamps != nullptr) table.stamps = record_->layout().room(stamps);
  return table;
}

}  // namespace halocline::device::cuda
