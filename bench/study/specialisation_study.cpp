// SPDX-License-Identifier: BSD-3-Clause
// Paper, section IV.C and figure 12a: what each capability gains, with the same block on every GPU.
#include "study/exchange_case.hpp"
#include "support/program.hpp"

namespace halocline::bench {

std::int64_t specialisation_study(const StudyContext& context) {
  const auto variants = ladder_variants(context, bases(context));
  auto blocks = context.options.blocks;
  if (blocks.empty() && context.options.sizes.empty()) blocks = {512, 256, 128, 64};
  std::int64_t others = 0;
  for (const auto block : blocks) {
    auto request = block_case(context, "specialisation", block);
    request.variants = variants;
    others += run_case(context, request);
  }
  for (const auto& size : context.options.sizes) {
    auto request = domain_case(context, "specialisation", extent_from("--size", size));
    request.variants = variants;
    others += run_case(context, request);
  }
  return others;
}

}  // namespace halocline::bench
