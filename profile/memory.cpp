// SPDX-License-Identifier: BSD-3-Clause
#include "profile/memory.hpp"

#include <dlfcn.h>
#include <link.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>

namespace halocline::profile {
namespace {

/// Memory that is counted as a device's although no driver has allocated it.
class Declared {
 public:
  void add(const void* begin, std::size_t bytes) {
    const std::unique_lock held(mutex_);
    ranges_[address(begin)] = address(begin) + bytes;
    any_.store(true, std::memory_order_release);
  }
  void remove(const void* begin) {
    const std::unique_lock held(mutex_);
    ranges_.erase(address(begin));
    any_.store(!ranges_.empty(), std::memory_order_release);
  }
  [[nodiscard]] bool holds(const void* at) const {
    if (!any_.load(std::memory_order_acquire)) return false;
    const std::shared_lock held(mutex_);
    const auto after = ranges_.upper_bound(address(at));
    return after != ranges_.begin() && address(at) < std::prev(after)->second;
  }

 private:
  static std::uintptr_t address(const void* at) { return reinterpret_cast<std::uintptr_t>(at); }

  mutable std::shared_mutex mutex_;
  std::map<std::uintptr_t, std::uintptr_t> ranges_;  ///< begin -> end
  std::atomic<bool> any_ = false;
};

/// Never destroyed: programs free memory in their last moments, too.
Declared& declared() {
  static auto* const ranges = new Declared;
  return *ranges;
}

/// CUDA's driver, once the program has loaded it.
class Driver {
 public:
  [[nodiscard]] bool says_device(const void* buffer) {
    PointerGetAttribute ask = ask_.load(std::memory_order_acquire);
    if (ask == nullptr) ask = find();
    if (ask == nullptr) return false;
    constexpr int memory_type_attribute = 2;   // CU_POINTER_ATTRIBUTE_MEMORY_TYPE
    constexpr unsigned int device_memory = 2;  // CU_MEMORYTYPE_DEVICE
    unsigned int type = 0;
    // For memory that CUDA does not know, the call returns an error.
    return ask(&type, memory_type_attribute, reinterpret_cast<std::uintptr_t>(buffer)) == 0 && type == device_memory;
  }

 private:
  using PointerGetAttribute = int (*)(void* data, int attribute, unsigned long long pointer);

  struct Search {
    unsigned long long known = 0;  ///< libraries that had been loaded when it was last looked for
    unsigned long long now = 0;
    std::string path;
  };

  static int look_at(dl_phdr_info* library, std::size_t /*bytes*/, void* data) {
    auto& search = *static_cast<Search*>(data);
    search.now = library->dlpi_adds;
    if (search.now == search.known) return 1;
    const char* slash = std::strrchr(library->dlpi_name, '/');
    const char* name = slash == nullptr ? library->dlpi_name : slash + 1;
    if (std::strncmp(name, "libcuda.so", std::strlen("libcuda.so")) != 0) return 0;
    search.path = library->dlpi_name;
    return 1;
  }

  /// Programs that link CUDA's runtime load the driver themselves, privately: only its file's name finds it. Looked for
  /// whenever a library was loaded since.
  PointerGetAttribute find() {
    Search search;
    search.known = libraries_.load(std::memory_order_relaxed);
    dl_iterate_phdr(look_at, &search);
    if (search.now == search.known) return nullptr;
    void* const driver = search.path.empty() ? nullptr : dlopen(search.path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    const auto ask =
        driver == nullptr ? nullptr : reinterpret_cast<PointerGetAttribute>(dlsym(driver, "cuPointerGetAttribute"));
    ask_.store(ask, std::memory_order_release);
    libraries_.store(search.now, std::memory_order_relaxed);
    return ask;
  }

  std::atomic<PointerGetAttribute> ask_ = nullptr;
  std::atomic<unsigned long long> libraries_ = 0;
};

constinit Driver driver;

}  // namespace

Place place_of(const void* buffer) noexcept {
  if (buffer == nullptr) return Place::cpu;
  try {
    return declared().holds(buffer) || driver.says_device(buffer) ? Place::gpu : Place::cpu;
  } catch (...) {
    return Place::cpu;
  }
}

}  // namespace halocline::profile

/// For backends whose devices are no GPUs: memory that is to be counted as a device's, or (present 0) no longer.
extern "C" void halocline_profile_device_memory(const void* begin, std::size_t bytes, int present);
extern "C" void halocline_profile_device_memory(const void* begin, std::size_t bytes, int present) {
  try {
    if (present != 0) {
      halocline::profile::declared().add(begin, bytes);
    } else {
      halocline::profile::declared().remove(begin);
    }
  } catch (...) {
    // Without memory for a note of it, the range is counted as the host's.
  }
}
