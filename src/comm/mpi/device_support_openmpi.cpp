// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>
// Open MPI's extensions; must be included after mpi.h.
#include <mpi-ext.h>

#include "comm/mpi/device_support.hpp"

namespace halocline::comm::mpi {

DeviceSupport device_support() {
  if (MPIX_Query_cuda_support() == 1) return {DeviceSupport::Verdict::yes, ""};
  return {DeviceSupport::Verdict::no, "this Open MPI says that it has no support of CUDA (MPIX_Query_cuda_support)"};
}

}  // namespace halocline::comm::mpi
