// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/room.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "device/cuda/room_ledger.hpp"
#include "device/cuda/trial.hpp"
#include "halocline/error.hpp"

namespace halocline::device::cuda {
namespace {

std::string max_connections() {
  const char* value = std::getenv("CUDA_DEVICE_MAX_CONNECTIONS");
  return value == nullptr ? "not set" : value;
}

}  // namespace

CudaRoom::CudaRoom(std::shared_ptr<Devices> devices, int device, int parts, int multiprocessors)
    : devices_(std::move(devices)), device_(device) {
  if (parts < 0 || parts == 1) {
    throw InvalidArgument(fmt::format("the parts of a device's room are {}; allowed are 0, and 2 or more", parts));
  }
  const Device& on = devices_->at(device);
  RoomLedger& ledger = RoomLedger::of_process();
  if (parts == 0) {
    ledger.join(on.ordinal());
    return;
  }
  const int wanted = std::min(on.fused_room() / parts, on.fused_blocks(multiprocessors));
  if (ledger.take(on.ordinal(), on.fused_room(), wanted)) {
    blocks_ = wanted;
    return;
  }
  throw ResourceError(fmt::format(
      "device {} ({}) has no room for the exchanges of another domain: {} domains have theirs, which a domain that "
      "has failed keeps, and this one wants one of {} parts; allowed are as many domains at a time as "
      "Tuning::domains_at_once says in each of them, or 1 where their exchanges are never under way together",
      device, on.info().name, ledger.holders(on.ordinal()), parts));
}

CudaRoom::~CudaRoom() { RoomLedger::of_process().give_back(devices_->at(device_).ordinal(), blocks_); }

std::unique_ptr<Room> make_room(std::shared_ptr<Devices> devices, int device, int parts, int multiprocessors) {
  const Device& on = devices->at(device);
  auto room = std::make_unique<CudaRoom>(devices, device, parts, multiprocessors);
  if (RoomLedger::of_process().holders(on.ordinal()) == 1 || try_independent_streams(on)) return room;
  throw CapabilityError(fmt::format(
      "the exchanges of two domains on device {} ({}) would hold each other up, as their streams share a hardware "
      "queue: CUDA_DEVICE_MAX_CONNECTIONS is {}; allowed is 4 or more, or a policy without "
      "direct and ipc_copy",
      device, on.info().name, max_connections()));
}

}  // namespace halocline::device::cuda
