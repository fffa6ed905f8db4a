// SPDX-License-Identifier: BSD-3-Clause
#include "measure/detail/combine.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "measure/detail/session.hpp"

namespace halocline::machine::measuring {
namespace {

/// In the order of measure/measure.hpp; others after them, by name.
std::size_t position(const std::string& method) {
  constexpr std::array<std::string_view, 15> order{"copy",
                                                   "copy_no_peer",
                                                   "put",
                                                   "get",
                                                   "staged",
                                                   "flag",
                                                   "mpi_host",
                                                   "mpi_device",
                                                   "mpi_staged",
                                                   "pinned",
                                                   "mapped",
                                                   "pageable",
                                                   "managed_demand",
                                                   "managed_prefetch",
                                                   ""};
  return static_cast<std::size_t>(std::find(order.begin(), order.end() - 1, method) - order.begin());
}

auto key_of(const Measurement& m) { return std::tuple(position(m.method), m.method, m.traffic, m.from, m.to, m.numa); }

}  // namespace

Findings joined(std::span<const Findings> parts) {
  Findings all;
  for (const Findings& part : parts) {
    all.measurements.insert(all.measurements.end(), part.measurements.begin(), part.measurements.end());
    for (const LeftOut& one : part.left_out) {
      const auto known = std::find_if(all.left_out.begin(), all.left_out.end(), [&](const LeftOut& other) {
        return other.method == one.method && other.reason == one.reason;
      });
      if (known == all.left_out.end()) {
        all.left_out.push_back(one);
      } else {
        known->pairs += one.pairs;
      }
    }
  }
  return all;
}

std::vector<Measurement> medians(std::span<const Findings> nodes) {
  std::map<decltype(key_of(Measurement{})), std::vector<Measurement>> by_key;
  for (const Findings& node : nodes) {
    for (const Measurement& measurement : node.measurements) by_key[key_of(measurement)].push_back(measurement);
  }
  std::vector<Measurement> all;
  for (const auto& [key, entries] : by_key) {
    std::vector<double> bandwidth;
    std::vector<double> latency;
    for (const Measurement& entry : entries) {
      bandwidth.push_back(entry.bandwidth);
      latency.push_back(entry.latency);
    }
    all.push_back(entries.front());
    all.back().bandwidth = median(std::move(bandwidth));
    all.back().latency = median(std::move(latency));
  }
  return all;
}

}  // namespace halocline::machine::measuring
