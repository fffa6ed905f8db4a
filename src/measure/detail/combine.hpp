// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <tuple>
#include <vector>

#include "discovery/serialise.hpp"
#include "measure/measure.hpp"

// What ranks found, put together. Pure.
namespace halocline::machine {

auto members(MaybeConst<LeftOut> auto& left_out) {
  return std::tie(left_out.method, left_out.reason, left_out.pairs, left_out.for_time);
}
auto members(MaybeConst<Measured> auto& measured) { return std::tie(measured.map, measured.left_out); }

namespace measuring {

/// What one rank, or all ranks of a node, found.
struct Findings {
  std::vector<Measurement> measurements;
  std::vector<LeftOut> left_out;
};
auto members(MaybeConst<Findings> auto& findings) { return std::tie(findings.measurements, findings.left_out); }

/// One after the other; entries of `left_out` with the same words are one, with their pairs added up.
[[nodiscard]] Findings joined(std::span<const Findings> parts);

/// Nodes of one type: each entry that any of them has, with the medians of those that have it; by method, then
/// traffic, ends and memory.
[[nodiscard]] std::vector<Measurement> medians(std::span<const Findings> nodes);

}  // namespace measuring
}  // namespace halocline::machine
