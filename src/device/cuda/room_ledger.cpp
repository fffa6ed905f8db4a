// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/room_ledger.hpp"

namespace halocline::device::cuda {

bool RoomLedger::take(int gpu, int all, int blocks) {
  const std::lock_guard held(mutex_);
  Entry& entry = taken_[gpu];
  if (blocks < least_blocks || blocks > all - entry.blocks) return false;
  entry.blocks += blocks;
  ++entry.holders;
  return true;
}

void RoomLedger::join(int gpu) {
  const std::lock_guard held(mutex_);
  ++taken_[gpu].holders;
}

void RoomLedger::give_back(int gpu, int blocks) {
  const std::lock_guard held(mutex_);
  Entry& entry = taken_[gpu];
  entry.blocks -= blocks;
  --entry.holders;
}

int RoomLedger::holders(int gpu) const {
  const std::lock_guard held(mutex_);
  const auto found = taken_.find(gpu);
  return found == taken_.end() ? 0 : found->second.holders;
}

RoomLedger& RoomLedger::of_process() {
  static auto* ledger = new RoomLedger;  // never destroyed: rooms may be given back after everything else
  return *ledger;
}

}  // namespace halocline::device::cuda
