// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace halocline {

/// HALOCLINE_RECORD: where recordings of failed and hanging exchanges are written; nothing if they are not. For who looks for an
/// error in a job, and so no member of Environment, whose values a program may set.
[[nodiscard]] std::optional<std::string> recording_folder();

/// An environment variable that Environment::read() or recording_folder() reads.
struct EnvironmentVariable {
  std::string name;
  std::string allowed;
  std::string fallback;
  std::string meaning;
};
/// All of them, for help texts and the reference.
[[nodiscard]] std::vector<EnvironmentVariable> environment_variables();

}  // namespace halocline
