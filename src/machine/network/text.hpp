// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/trimmed.hpp"

// Helpers of the readers of networks.
namespace halocline::machine::network {

/// A position in a file, for messages.
struct At {
  std::string_view file;
  int line = 0;
};
/// Throws InvalidArgument "<file>:<line>: <what>".
[[noreturn]] void refuse_at(const At& at, const std::string& what);

/// The lines of a text, without their ends.
[[nodiscard]] std::vector<std::string_view> lines_of(std::string_view text);
[[nodiscard]] std::string lower(std::string_view text);

/// The names of a Slurm hostlist expression: "tux[0-3,12],login" and "r[1-2]n[01-18]". Throws InvalidArgument for brackets that do not match, ranges
/// that fall, and more names than a machine has nodes.
[[nodiscard]] std::vector<std::string> hostlist(std::string_view expression, const At& at);

/// A number above 0. Throws InvalidArgument otherwise.
[[nodiscard]] double positive(std::string_view word, std::string_view name, const At& at);

}  // namespace halocline::machine::network
