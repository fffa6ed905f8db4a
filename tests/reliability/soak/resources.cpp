// SPDX-License-Identifier: BSD-3-Clause
#include "resources.hpp"

#include <fmt/core.h>
#include <malloc.h>
#if SOAK_CUDA
#include <cuda_runtime_api.h>
#endif

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace halocline::soak {
namespace {

std::int64_t entries_of(const char* folder) {
  const std::filesystem::directory_iterator first(folder);
  return std::distance(begin(first), end(first));
}

std::int64_t lines_of(const char* file) {
  std::ifstream in(file);
  return std::count(std::istreambuf_iterator<char>(in), {}, '\n');
}

/// Of all GPUs that are visible; 0 without CUDA.
std::int64_t gpu_bytes_in_use() {
  std::int64_t used = 0;
#if SOAK_CUDA
  int count = 0, before = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || cudaGetDevice(&before) != cudaSuccess) return 0;
  for (int device = 0; device < count; ++device) {
    std::size_t free = 0, all = 0;
    if (cudaSetDevice(device) != cudaSuccess || cudaMemGetInfo(&free, &all) != cudaSuccess) {
      throw std::runtime_error("cudaMemGetInfo failed");
    }
    used += static_cast<std::int64_t>(all - free);
  }
  static_cast<void>(cudaSetDevice(before));
#endif
  return used;
}

}  // namespace

Resources Resources::now(DeviceKind kind) {
  const struct mallinfo2 heap = mallinfo2();  // of all arenas
  std::int64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return {{static_cast<std::int64_t>(heap.uordblks + heap.hblkhd), pages, lines_of("/proc/self/maps"),
           entries_of("/proc/self/fd"), entries_of("/proc/self/task"),
           kind == DeviceKind::cuda ? gpu_bytes_in_use() : 0}};
}

// A block is up to 16 bytes larger where a smaller one would leave a rest that is too small for a block.
constexpr std::array<std::int64_t, Resources::names.size()> allowed{2048, 0, 0, 0, 0, 0};

std::string growth(const std::vector<Resources>& samples) {
  const std::size_t quarter = samples.size() / 4;
  std::string text;
  for (std::size_t i = 0; i < Resources::names.size(); ++i) {
    const auto least = [&](std::size_t begin, std::size_t end) {
      std::int64_t found = samples[begin].held[i];
      for (std::size_t s = begin; s < end; ++s) found = std::min(found, samples[s].held[i]);
      return found;
    };
    const std::int64_t grown = least(3 * quarter, samples.size()) - least(2 * quarter, 3 * quarter);
    if (grown > allowed[i]) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", grown, Resources::names[i]);
  }
  return text;
}

}  // namespace halocline::soak
