// SPDX-License-Identifier: BSD-3-Clause
#include "discovery/nvml_report.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace halocline::machine {

const NvmlGpu* NvmlReport::gpu(const std::string& uuid) const {
  const auto found = std::find_if(gpus.begin(), gpus.end(), [&](const NvmlGpu& g) { return g.uuid == uuid; });
  return found == gpus.end() ? nullptr : &*found;
}

NvmlPair NvmlReport::pair(const std::string& a, const std::string& b) const {
  const auto found = std::find_if(pairs.begin(), pairs.end(),
                                  [&](const NvmlPair& p) { return (p.a == a && p.b == b) || (p.a == b && p.b == a); });
  if (found != pairs.end()) return *found;
  NvmlPair nothing;
  nothing.a = a;
  nothing.b = b;
  return nothing;
}

NvmlReport merge(const std::vector<NvmlReport>& reports) {
  NvmlReport all;
  for (const NvmlReport& report : reports) {
    for (const NvmlGpu& gpu : report.gpus) {
      if (all.gpu(gpu.uuid) == nullptr) all.gpus.push_back(gpu);
    }
    for (const NvmlPair& pair : report.pairs) {
      const auto same = [&](const NvmlPair& p) {
        return (p.a == pair.a && p.b == pair.b) || (p.a == pair.b && p.b == pair.a);
      };
      if (std::none_of(all.pairs.begin(), all.pairs.end(), same)) all.pairs.push_back(pair);
    }
    if (all.driver.empty()) all.driver = report.driver;
    if (all.why_not.empty()) all.why_not = report.why_not;
  }
  if (!all.gpus.empty()) all.why_not.clear();
  return all;
}

std::string source(const NvmlReport& report) {
  if (report.gpus.empty()) {
    return fmt::format("NVLink, PCIe and memory of GPUs: not known, nominal PCIe is assumed ({})",
                       report.why_not.empty() ? "NVML was not asked" : report.why_not);
  }
  return fmt::format(
      "NVLink, PCIe and memory of GPUs: what is connected, and the nominal rates, told by NVML (driver {}); not "
      "measured",
      report.driver.empty() ? "of unknown version" : report.driver);
}

double nvlink_bandwidth(const NvmlLink& link) {
  // Payload by generation, as in NVIDIA's data sheets. The line is 3 to 7 % faster, because it also carries coding.
  constexpr std::array payload{20e9, 25e9, 50e9};
  constexpr double most_coding = 1.07;
  const double line = link.megabytes_per_second * 1e6;
  for (const double rate : payload) {
    if (line >= rate && line <= rate * most_coding) return rate;
  }
  if (line > 0) return line;
  // NVML's numbers: 1 is NVLink 1.0; 2 to 6 are 2.0 to 4.0, which differ in their number of links; 7 is 5.0.
  if (link.version <= 0) return 0;
  if (link.version == 1) return payload[0];
  return link.version <= 6 ? payload[1] : payload[2];
}

double pcie_bandwidth(const NvmlGpu& gpu) {
  // For one lane: transfers a second x the fraction of the bits that is not coding / 8.
  constexpr std::array lane{2.5e9 * 8 / 10 / 8,   5e9 * 8 / 10 / 8,     8e9 * 128 / 130 / 8,
                            16e9 * 128 / 130 / 8, 32e9 * 128 / 130 / 8, 64e9 * 242 / 256 / 8};
  if (gpu.pcie_generation <= 0 || gpu.pcie_lanes <= 0) return 0;
  const auto generation = std::min(static_cast<std::size_t>(gpu.pcie_generation), lane.size());
  return lane[generation - 1] * gpu.pcie_lanes;
}

double memory_bandwidth(const NvmlGpu& gpu) { return 2e6 * gpu.memory_clock_mhz * gpu.memory_bus_bits / 8; }

}  // namespace halocline::machine
