// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/peers.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace halocline::device::cuda {

Verdict Peers::access(int from, int to) {
  return access_to_ordinal(from, devices_[static_cast<std::size_t>(to)]->ordinal());
}

Verdict Peers::access_to_ordinal(int from, int cuda_ordinal) {
  const std::lock_guard held(mutex_);
  const auto found = known_.find({from, cuda_ordinal});
  if (found != known_.end()) return found->second;
  return known_.emplace(std::pair{from, cuda_ordinal}, ask(from, cuda_ordinal)).first->second;
}

bool Peers::stops(int from, int to) const {
  if (from == to) return true;
  const std::lock_guard held(mutex_);
  const auto found = known_.find({from, devices_[static_cast<std::size_t>(to)]->ordinal()});
  return found != known_.end() && found->second.yes;
}

Verdict Peers::possible(int from, int cuda_ordinal) const {
  const Device& device = *devices_[static_cast<std::size_t>(from)];
  if (device.ordinal() == cuda_ordinal) return Verdict::of(true);
  for (std::size_t to = 0; to < devices_.size(); ++to) {
    if (devices_[to]->ordinal() != cuda_ordinal) continue;
    if (allowed_ && !allowed_(from, static_cast<int>(to))) {
      return {false, fmt::format("the peer-access option says no from GPU {} to {}", from, to)};
    }
  }
  const CaptureAside aside;
  int can = 0;
  check(cudaDeviceCanAccessPeer(&can, device.ordinal(), cuda_ordinal), "cudaDeviceCanAccessPeer");
  if (can != 0) return Verdict::of(true);
  return {false, fmt::format("the hardware or the driver gives {} no peer access to CUDA device {}", device.info().uuid,
                             cuda_ordinal)};
}

Verdict Peers::ask(int from, int cuda_ordinal) {
  Device& device = *devices_[static_cast<std::size_t>(from)];
  if (device.ordinal() == cuda_ordinal) return Verdict::of(true);
  if (const Verdict can = possible(from, cuda_ordinal); !can.yes) return can;
  const auto other = std::find_if(devices_.begin(), devices_.end(),
                                  [&](const auto& known) { return known->ordinal() == cuda_ordinal; });
  const CurrentDevice current(device.context());
  const CaptureAside aside;
  const cudaError_t status = cudaDeviceEnablePeerAccess(cuda_ordinal, 0);
  if (status != cudaSuccess && status != cudaErrorPeerAccessAlreadyEnabled) {
    (void)cudaGetLastError();
    return {false, "cudaDeviceEnablePeerAccess: " + describe(status)};
  }
  (void)cudaGetLastError();
  if (other != devices_.end()) device.board().add_other(&(*other)->board().get()->stop, device.aside());
  return Verdict::of(true);
}

}  // namespace halocline::device::cuda
