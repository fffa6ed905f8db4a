// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include "comm/mpi/check.hpp"
#include "comm/mpi/device_support.hpp"

// Of MPICH 4; older ones and others with its binary interface may be in the process of a plug-in that was compiled with its headers.
#pragma weak MPIX_GPU_query_support

namespace halocline::comm::mpi {

DeviceSupport device_support() {
  if (&MPIX_GPU_query_support == nullptr) {
    return {DeviceSupport::Verdict::unknown, "this MPI cannot be asked whether it takes device pointers"};
  }
  int yes = 0;
  check(MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &yes), "MPIX_GPU_query_support");
  if (yes != 0) return {DeviceSupport::Verdict::yes, ""};
  return {DeviceSupport::Verdict::no, "this MPICH says that it has no support of CUDA (MPIX_GPU_query_support)"};
}

}  // namespace halocline::comm::mpi
