// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/nccl/library.hpp"

#include <fmt/format.h>

#include "core/shared_library.hpp"
#include "device/cuda/nccl/nccl.hpp"
#include "halocline/error.hpp"

namespace halocline::device::cuda {

const NcclLibrary& NcclLibrary::instance() {
  static const NcclLibrary one;
  return one;
}

NcclLibrary::NcclLibrary() {
  SharedLibrary file("NCCL", "libnccl.so.2");
  file.need(get_unique_id, "ncclGetUniqueId");
  file.need(init_rank, "ncclCommInitRank");
  file.need(destroy, "ncclCommDestroy");
  file.need(abort, "ncclCommAbort");
  file.need(get_async_error, "ncclCommGetAsyncError");
  file.need(register_memory, "ncclCommRegister");
  file.need(deregister_memory, "ncclCommDeregister");
  file.need(allocate, "ncclMemAlloc");
  file.need(free, "ncclMemFree");
  file.need(group_start, "ncclGroupStart");
  file.need(group_end, "ncclGroupEnd");
  file.need(send, "ncclSend");
  file.need(receive, "ncclRecv");
  file.need(error_string, "ncclGetErrorString");
  usable = file.usable();
}

void NcclLibrary::check(ncclResult_t status, const char* what) const {
  if (status == ncclSuccess || status == ncclInProgress) return;
  throw CommunicationError(fmt::format("{}: {}", what, error_string(status)));
}

const Verdict& nccl_usable() { return NcclLibrary::instance().usable; }

}  // namespace halocline::device::cuda
