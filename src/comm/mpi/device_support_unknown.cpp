// SPDX-License-Identifier: BSD-3-Clause
#include "comm/mpi/device_support.hpp"

namespace halocline::comm::mpi {

DeviceSupport device_support() {
  return {DeviceSupport::Verdict::unknown, "this MPI cannot be asked whether it takes device pointers"};
}

}  // namespace halocline::comm::mpi
