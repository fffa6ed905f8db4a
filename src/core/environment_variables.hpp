// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace halocline {

/// An environment variable that Environment::read() reads.
struct EnvironmentVariable {
  std::string name;
  std::string allowed;
  std::string fallback;
  std::string meaning;
};
/// All of them, for help texts and the reference.
[[nodiscard]] std::vector<EnvironmentVariable> environment_variables();

}  // namespace halocline
