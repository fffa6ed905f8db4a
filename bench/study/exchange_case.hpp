// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "study/study.hpp"
#include "support/blocks.hpp"

namespace halocline::bench {

/// A domain of a case, and how it is to be exchanged.
struct Variant {
  std::string config;
  bool cuda_aware = false;
  routing::Policy policy;
  placement::Request placement;
  std::string note;
};

/// What is exchanged by all variants in turns.
struct CaseRequest {
  std::string study;
  std::string kind;  ///< "block" or "domain"
  std::string size;  ///< for the label
  Vec3 extent;       ///< of the domain
  /// Without it, the exact partition's.
  std::optional<Grids> grids;
  std::vector<Variant> variants;
};

/// The case in which every GPU has the same cube.
[[nodiscard]] CaseRequest block_case(const StudyContext& context, const std::string& study, std::int64_t block);
/// The case of a whole domain, cut by --grid, or by the exact partition.
[[nodiscard]] CaseRequest domain_case(const StudyContext& context, const std::string& study, const Vec3& extent);
/// Each rung on each base.
[[nodiscard]] std::vector<Variant> ladder_variants(const StudyContext& context, const std::vector<bool>& bases);

/// Collective: realises all variants' domains side by side, lets them take turns, and reports. Returns how many
/// messages took another route than was asked for; each is named on standard error.
[[nodiscard]] std::int64_t run_case(const StudyContext& context, const CaseRequest& request);

}  // namespace halocline::bench
