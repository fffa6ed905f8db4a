// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "core/verdict.hpp"
#include "device/communicator.hpp"
#include "device/cuda/devices.hpp"

namespace halocline::device::cuda {

/// Whether this process has NCCL, or why not. The first call loads it.
[[nodiscard]] const Verdict& nccl_usable();
// These throw CapabilityError where it has not.
[[nodiscard]] CommunicatorId make_nccl_id();
[[nodiscard]] std::vector<std::unique_ptr<Communicator>> join_nccl(std::shared_ptr<Devices> devices,
                                                                   const CommunicatorSetup& setup);

}  // namespace halocline::device::cuda
