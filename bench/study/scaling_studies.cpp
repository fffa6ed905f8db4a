// SPDX-License-Identifier: BSD-3-Clause
// Paper, sections IV.D and IV.E, figures 12b, 12c and 13: one launch is one point of a curve.
#include <fmt/core.h>

#include "study/exchange_case.hpp"
#include "support/blocks.hpp"

namespace halocline::bench {

std::int64_t weak_study(const StudyContext& context) {
  constexpr std::int64_t papers_edge = 750;
  const auto variants = ladder_variants(context, bases(context));
  const auto& options = context.options;
  std::int64_t others = 0;
  if (options.blocks.empty() || options.edge > 0) {
    const auto edge = weak_edge(options.edge > 0 ? options.edge : papers_edge, context.launch.devices);
    auto request = domain_case(context, "weak", Vec3::filled(edge));
    request.variants = variants;
    others += run_case(context, request);
  }
  for (const auto block : options.blocks) {
    auto request = block_case(context, "weak", block);
    request.variants = variants;
    others += run_case(context, request);
  }
  return others;
}

std::int64_t strong_study(const StudyContext& context) {
  const auto edge = context.options.edge > 0 ? context.options.edge : strong_edge();
  if (context.world.rank().value() == 0) {
    fmt::print("strong scaling of {}^3 cells ({} is the largest cube within one GPU's share of 1363^3 over 6)\n", edge,
               strong_edge());
  }
  auto request = domain_case(context, "strong", Vec3::filled(edge));
  request.variants = ladder_variants(context, bases(context));
  return run_case(context, request);
}

}  // namespace halocline::bench
