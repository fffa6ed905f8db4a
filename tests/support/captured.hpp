// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include "halocline/domain.hpp"

namespace halocline::test {

/// The steps as a graph; what they throw ends the capture.
[[nodiscard]] inline Graph captured(Domain& domain, const std::function<void()>& steps) {
  Capture capture = domain.capture();
  steps();
  return capture.finish();
}

}  // namespace halocline::test
