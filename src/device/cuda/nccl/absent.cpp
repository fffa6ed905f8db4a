// SPDX-License-Identifier: BSD-3-Clause
// For builds without NCCL's header.
#include "device/cuda/nccl/nccl.hpp"
#include "halocline/error.hpp"

namespace halocline::device::cuda {

const Verdict& nccl_usable() {
  static const Verdict no = Verdict::of(false, "this build has no NCCL (HALOCLINE_NCCL)");
  return no;
}

CommunicatorId make_nccl_id() { throw CapabilityError(nccl_usable().why_not); }

std::vector<std::unique_ptr<Communicator>> join_nccl(std::shared_ptr<Devices> /*devices*/,
                                                     const CommunicatorSetup& /*setup*/) {
  throw CapabilityError(nccl_usable().why_not);
}

}  // namespace halocline::device::cuda
