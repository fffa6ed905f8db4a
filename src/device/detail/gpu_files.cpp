// SPDX-License-Identifier: BSD-3-Clause
#include "device/detail/gpu_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "core/folder.hpp"

namespace halocline::device {
namespace {

bool is_gpu(const std::string& name) {
  constexpr std::string_view prefix = "nvidia";
  return name.size() > prefix.size() && name.starts_with(prefix) &&
         std::all_of(name.begin() + prefix.size(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::string gpus_without_backend(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  try {
    names = names_in(folder.string());
  } catch (const std::system_error&) {  // a folder that is not there
  }
  const auto gpus = std::ranges::count_if(names, is_gpu);
  if (gpus == 0) return {};
  return fmt::format(
      "this machine has {} NVIDIA {}, and this build of Halocline has no CUDA backend: configure with "
      "-DHALOCLINE_CUDA=ON (pip: CMAKE_ARGS=-DHALOCLINE_CUDA=ON), or choose host devices by HALOCLINE_BACKEND=host",
      gpus, gpus == 1 ? "GPU" : "GPUs");
}

}  // namespace halocline::device
