// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "device/communicator.hpp"

namespace halocline::device::host {

[[nodiscard]] CommunicatorId make_communicator_id();
/// Emulates what NCCL does between devices of one process, so that what is built on it can be tested without GPUs. All members are
/// threads of this process.
[[nodiscard]] std::vector<std::unique_ptr<Communicator>> join_communicator(const CommunicatorSetup& setup);

}  // namespace halocline::device::host
