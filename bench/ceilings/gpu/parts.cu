// SPDX-License-Identifier: BSD-3-Clause
// Rank 0 drives all GPUs that it sees; the others wait meanwhile, so that nothing else is measured.
#include "ceilings/gpu/parts.cuh"
#include "comm/agree.hpp"

namespace halocline::bench {
namespace {

Part on_rank_0(const std::string& name, void (*measure)(Ceilings&)) {
  return {name, [name, measure](comm::RankGroup& world, Ceilings& ceilings) {
            comm::agree_on(world, [&] {
              if (world.rank().value() != 0) return;
              if (gpu_count() == 0) ceilings.left_out(name, "rank 0 sees no GPU");
              else measure(ceilings);
            });
          }};
}

}  // namespace

std::vector<Part> gpu_parts() {
  return {on_rank_0("memory", measure_memory), on_rank_0("rows", measure_row_ends), on_rank_0("links", measure_links),
          on_rank_0("host", measure_host_links), on_rank_0("latency", measure_latencies)};
}

}  // namespace halocline::bench
