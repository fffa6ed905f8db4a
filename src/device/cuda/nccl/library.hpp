// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nccl.h>

#include "core/verdict.hpp"

namespace halocline::device::cuda {

/// The functions of libnccl that are called, found at run time. The library stays loaded.
class NcclLibrary {
 public:
  static const NcclLibrary& instance();

  Verdict usable;
  decltype(&ncclGetUniqueId) get_unique_id = nullptr;
  decltype(&ncclCommInitRank) init_rank = nullptr;
  decltype(&ncclCommDestroy) destroy = nullptr;
  decltype(&ncclCommAbort) abort = nullptr;
  decltype(&ncclCommGetAsyncError) get_async_error = nullptr;
  decltype(&ncclCommRegister) register_memory = nullptr;
  decltype(&ncclCommDeregister) deregister_memory = nullptr;
  decltype(&ncclMemAlloc) allocate = nullptr;
  decltype(&ncclMemFree) free = nullptr;
  decltype(&ncclGroupStart) group_start = nullptr;
  decltype(&ncclGroupEnd) group_end = nullptr;
  decltype(&ncclSend) send = nullptr;
  decltype(&ncclRecv) receive = nullptr;
  decltype(&ncclGetErrorString) error_string = nullptr;

  /// Throws CommunicationError: "<what>: <reason>".
  void check(ncclResult_t status, const char* what) const;

 private:
  NcclLibrary();
};

}  // namespace halocline::device::cuda
