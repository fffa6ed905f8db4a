// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "core/round_up.hpp"
#include "device/cuda/memory.hpp"
#include "halocline/error.hpp"

namespace halocline::device::cuda {
namespace {

/// Pages that this process registered, as disjoint ranges, each with a reference count: CUDA registers a page once, but
/// several domains may need it. Shared by all backends, since pages belong to the process.
class RegisteredPages {
 public:
  using Key = std::uintptr_t;

  /// Registers the pages of [begin, end) that are not registered yet, and counts a user for all ranges in it. Returns
  /// their keys. Throws CapabilityError.
  [[nodiscard]] std::vector<Key> add(Key begin, Key end) {
    const std::lock_guard held(mutex_);
    std::vector<Key> used;
    try {
      for (Key at = begin; at < end;) {
        const auto range = covering(at);
        if (range != ranges_.end()) {
          ++range->second.users;
          used.push_back(range->first);
          at = range->second.end;
          continue;
        }
        const auto next = ranges_.upper_bound(at);
        const Key until = next == ranges_.end() ? end : std::min(end, next->first);
        ranges_.emplace(at, Range{until, 1, enter(at, until)});
        used.push_back(at);
        at = until;
      }
    } catch (...) {
      for (const Key key : used) drop(key);
      throw;
    }
    return used;
  }

  void remove(const std::vector<Key>& used) {
    const std::lock_guard held(mutex_);
    for (const Key key : used) drop(key);
  }

  static RegisteredPages& of_process() {
    static auto* pages = new RegisteredPages;  // never destroyed: registrations may outlive everything else
    return *pages;
  }

 private:
  struct Range {
    Key end = 0;
    int users = 0;
    bool ours = true;
  };

  std::map<Key, Range>::iterator covering(Key at) {
    const auto after = ranges_.upper_bound(at);
    if (after == ranges_.begin()) return ranges_.end();
    const auto range = std::prev(after);
    return at < range->second.end ? range : ranges_.end();
  }

  /// Whether it was this class that registered the pages: MPI, or the user, may have been first.
  static bool enter(Key begin, Key end) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the pages that enclose the caller's memory
    auto* memory = reinterpret_cast<void*>(begin);
    const cudaError_t status = cudaHostRegister(memory, end - begin, cudaHostRegisterPortable | cudaHostRegisterMapped);
    (void)cudaGetLastError();
    if (status != cudaSuccess && status != cudaErrorHostMemoryAlreadyRegistered) {
      throw CapabilityError(
          fmt::format("cannot register {} bytes of host memory: cudaHostRegister: {}", end - begin, describe(status)));
    }
    void* seen = nullptr;
    const cudaError_t asked = cudaHostGetDevicePointer(&seen, memory, 0);
    (void)cudaGetLastError();
    if (asked == cudaSuccess && seen == memory) return status == cudaSuccess;
    if (status == cudaSuccess) log_failure(cudaHostUnregister(memory), "cudaHostUnregister");
    throw CapabilityError(
        fmt::format("cannot register {} bytes of host memory: devices do not reach them at the same "
                    "address",
                    end - begin));
  }

  void drop(Key key) {
    const auto range = ranges_.find(key);
    if (--range->second.users > 0) return;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): as it was registered
    if (range->second.ours) log_failure(cudaHostUnregister(reinterpret_cast<void*>(key)), "cudaHostUnregister");
    ranges_.erase(range);
  }

  std::mutex mutex_;
  std::map<Key, Range> ranges_;
};

class HostRegistration final : public Registration {
 public:
  HostRegistration(std::shared_ptr<Devices> devices, std::uintptr_t begin, std::uintptr_t end)
      : devices_(std::move(devices)) {
    const CurrentDevice current(devices_->at(0).context());
    const CaptureAside aside;
    used_ = RegisteredPages::of_process().add(begin, end);
  }
  ~HostRegistration() override {
    const CurrentDevice current(devices_->at(0).context(), std::nothrow);
    const CaptureAside aside;
    RegisteredPages::of_process().remove(used_);
  }
  HostRegistration(const HostRegistration&) = delete;
  HostRegistration& operator=(const HostRegistration&) = delete;

 private:
  std::shared_ptr<Devices> devices_;
  std::vector<std::uintptr_t> used_;
};

}  // namespace

std::unique_ptr<Registration> make_registration(std::shared_ptr<Devices> devices, const std::byte* memory,
                                                std::size_t bytes) {
  if (memory == nullptr && bytes != 0) throw InvalidArgument(fmt::format("the {} bytes to register are null", bytes));
  if (bytes == 0) return std::make_unique<Registration>();
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(memory) / page * page;
  const auto end = round_up(reinterpret_cast<std::uintptr_t>(memory) + bytes, page);
  return std::make_unique<HostRegistration>(std::move(devices), begin, end);
}

}  // namespace halocline::device::cuda
