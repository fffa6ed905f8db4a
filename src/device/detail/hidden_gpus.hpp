// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

namespace halocline::device {

/// What to do where memory of a GPU cannot be mapped because this process does not see that GPU: a part of a sentence that begins with "; ".
/// Empty if it sees it. mask: CUDA_VISIBLE_DEVICES, where it is set.
[[nodiscard]] std::string hint_of_hidden_gpu(bool seen, const std::optional<std::string>& mask);

}  // namespace halocline::device
