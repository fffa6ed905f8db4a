// SPDX-License-Identifier: BSD-3-Clause
#include "device/detail/hidden_gpus.hpp"

#include <fmt/format.h>

namespace halocline::device {

std::string hint_of_hidden_gpu(bool seen, const std::optional<std::string>& mask) {
  if (seen) return {};
  const std::string by = mask ? fmt::format("CUDA_VISIBLE_DEVICES={}", *mask) : "its control group";
  return fmt::format(
      "; this process does not see that GPU ({}): start ranks that see all GPUs of their node, with Slurm by "
      "--gpus-per-node instead of "
      "--gpus-per-task, or --gpu-bind=none",
      by);
}

}  // namespace halocline::device
