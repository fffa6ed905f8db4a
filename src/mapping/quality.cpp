// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/quality.hpp"

#include <algorithm>

#include "core/bytes.hpp"
#include "machine/names.hpp"
#include "mapping/detail/machine_view.hpp"

namespace halocline::mapping {
namespace {

Quality quality_of(const MachineView& view, const std::vector<std::int64_t>& loads) {
  Quality quality;
  Bytes hop_bytes;
  for (const std::int64_t load : loads) hop_bytes += load;
  quality.hop_bytes =
      hop_bytes.value([] { return std::string("the sum of bytes times the channels that they cross"); });
  using machine::LinkKind;
  for (const LinkKind kind :
       {LinkKind::network, LinkKind::inter_package, LinkKind::memory, LinkKind::nvlink, LinkKind::pcie}) {
    LevelQuality level{std::string(to_string(kind)), 0, 0};
    std::int64_t channels = 0;
    for (std::size_t c = 0; c < loads.size(); ++c) {
      if (view.channels()[c].kind != kind) continue;
      const double congestion = static_cast<double>(loads[c]) / view.channels()[c].bandwidth;
      level.average += congestion;
      level.maximum = std::max(level.maximum, congestion);
      ++channels;
    }
    if (channels == 0) continue;
    level.average /= static_cast<double>(channels);
    quality.levels.push_back(level);
  }
  return quality;
}

}  // namespace

double Quality::maximum() const {
  double most = 0;
  for (const LevelQuality& level : levels) most = std::max(most, level.maximum);
  return most;
}

JobQuality assess(const JobRequest& request, const std::vector<Seat>& seats) {
  const MachineView view(*request.machine);
  std::vector<std::int64_t> cpu(view.channels().size(), 0);
  std::vector<std::int64_t> gpu = cpu;
  if (request.cpu != nullptr) view.add_loads(*request.cpu, Processor::cpu, seats, cpu);
  if (request.gpu != nullptr) view.add_loads(*request.gpu, Processor::gpu, seats, gpu);
  JobQuality quality;
  quality.cpu = quality_of(view, cpu);
  quality.gpu = quality_of(view, gpu);
  std::ranges::transform(cpu, gpu, cpu.begin(), std::plus<>{});
  quality.together = quality_of(view, cpu);
  return quality;
}

}  // namespace halocline::mapping
