// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "measure/measure.hpp"

// What ranks found, put together. Pure.
namespace halocline::machine::measuring {

/// What one rank, or all ranks of a node, found.
struct Findings {
  std::vector<Measurement> measurements;
  std::vector<LeftOut> left_out;
};
[[nodiscard]] std::vector<std::byte> to_bytes(const Findings& findings);
[[nodiscard]] Findings findings_from(std::span<const std::byte> bytes);

/// One after the other; entries of `left_out` with the same words are one, with their pairs added up.
[[nodiscard]] Findings joined(std::span<const Findings> parts);

/// Nodes of one type: each entry that any of them has, with the medians of those that have it; by method, then
/// traffic, ends and memory.
[[nodiscard]] std::vector<Measurement> medians(std::span<const Findings> nodes);

}  // namespace halocline::machine::measuring
