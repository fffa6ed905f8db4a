// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/nccl/library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <string>
#include <type_traits>

#include "device/cuda/nccl/nccl.hpp"
#include "halocline/error.hpp"

namespace halocline::device::cuda {

const NcclLibrary& NcclLibrary::instance() {
  static const NcclLibrary one;
  return one;
}

NcclLibrary::NcclLibrary() {
  void* const file = ::dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
  if (file == nullptr) {
    const char* const why = ::dlerror();
    usable = Verdict::of(false, fmt::format("NCCL was not found: {}", why == nullptr ? "unknown error" : why));
    return;
  }
  std::string missing;
  const auto need = [&](auto*& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(file, name));
    if (function == nullptr && missing.empty()) missing = name;
  };
  need(get_unique_id, "ncclGetUniqueId");
  need(init_rank, "ncclCommInitRank");
  need(destroy, "ncclCommDestroy");
  need(abort, "ncclCommAbort");
  need(get_async_error, "ncclCommGetAsyncError");
  need(register_memory, "ncclCommRegister");
  need(deregister_memory, "ncclCommDeregister");
  need(allocate, "ncclMemAlloc");
  need(free, "ncclMemFree");
  need(group_start, "ncclGroupStart");
  need(group_end, "ncclGroupEnd");
  need(send, "ncclSend");
  need(receive, "ncclRecv");
  need(error_string, "ncclGetErrorString");
  usable = Verdict::of(missing.empty(), fmt::format("NCCL is too old: it has no {}", missing));
}

void NcclLibrary::check(ncclResult_t status, const char* what) const {
  if (status == ncclSuccess || status == ncclInProgress) return;
  throw CommunicationError(fmt::format("{}: {}", what, error_string(status)));
}

const Verdict& nccl_usable() { return NcclLibrary::instance().usable; }

}  // namespace halocline::device::cuda
