// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <algorithm>

#include "halocline/error.hpp"
#include "mhd/study.hpp"
#include "partition/weak_extent.hpp"

namespace mhd {
namespace {

using halocline::Vec3;

/// The paper's exception, for times that grow long.
constexpr std::int64_t large = std::int64_t{512} * 512 * 512;
/// What cores can do while GPUs do much more: the row tells nanoseconds a cell.
constexpr std::int64_t host_edge = 128;
constexpr std::int64_t host_warm_up = 1;
constexpr std::int64_t host_steps = 5;
constexpr std::int64_t default_warm_up = 10;
constexpr std::int64_t default_steps = 100;

std::vector<int> counts_of(const Study& study, int ranks, int available) {
  const int all = ranks * available;
  if (!study.device_counts.empty()) {
    for (const int count : study.device_counts) {
      if (share_of(count, ranks, available)) continue;
      throw halocline::InvalidArgument(fmt::format(
          "mhd: a number of devices is {}; allowed is 1 to {}, at most as many as there are ranks ({}) or a "
          "multiple of that",
          count, all, ranks));
    }
    std::vector<int> counts = study.device_counts;
    std::sort(counts.begin(), counts.end());
    counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
    return counts;
  }
  std::vector<int> counts;
  for (int count = 1; count < all; count *= 2) {
    if (share_of(count, ranks, available)) counts.push_back(count);
  }
  counts.push_back(all);
  return counts;
}

void set_steps(StudyCase& one, const Study& study) {
  const auto [warm_up, steps] = study.paper ? paper_steps(one.size) : std::pair(default_warm_up, default_steps);
  one.warm_up = study.warm_up.value_or(warm_up);
  one.steps = study.steps.value_or(steps);
}

}  // namespace

std::pair<std::int64_t, std::int64_t> paper_steps(const Vec3& size) {
  return {100, size.volume() >= large ? 100 : 1000};
}

std::optional<StudyShare> share_of(int devices, int ranks, int available) {
  if (devices < 1) return std::nullopt;
  if (devices <= ranks) return StudyShare{devices, 1};
  if (devices % ranks != 0 || devices / ranks > available) return std::nullopt;
  return StudyShare{ranks, devices / ranks};
}

std::vector<StudyCase> cases_of(const Study& study, int ranks, int available) {
  std::vector<int> of_orders{study.order};
  if (study.kind == StudyKind::each_order) of_orders.assign(orders.begin(), orders.end());
  std::vector<bool> of_corners{study.corners};
  if (study.kind == StudyKind::parts) of_corners = {false, true};
  const auto counts = counts_of(study, ranks, available);

  std::vector<StudyCase> cases;
  int series = 0;
  for (const Vec3& size : study.sizes) {
    for (const int order : of_orders) {
      for (const bool corners : of_corners) {
        for (const int devices : counts) {
          const Vec3 extent = study.kind == StudyKind::weak ? halocline::partition::weak_extent(size, devices) : size;
          cases.push_back({extent, devices, order, corners, false, series, 0, 0});
          set_steps(cases.back(), study);
        }
        ++series;
      }
    }
  }
  if (study.kind != StudyKind::backends || study.sizes.empty()) return cases;
  const Vec3& size = study.sizes.front();
  cases.push_back({{std::min(size.x, host_edge), std::min(size.y, host_edge), std::min(size.z, host_edge)},
                   1,
                   study.order,
                   study.corners,
                   true,
                   series,
                   host_warm_up,
                   std::min(host_steps, study.steps.value_or(host_steps))});
  return cases;
}

double nanoseconds_a_cell(double seconds, const Vec3& size) {
  return seconds * 1e9 / static_cast<double>(size.volume());
}

double efficiency_of_model(const StudyRow& row) { return row.step > 0 ? row.prediction.step / row.step : 0; }

std::optional<double> efficiency_of_scaling(const StudyRow& row, const std::vector<StudyRow>& rows) {
  const auto of_device = [](const StudyRow& r) { return nanoseconds_a_cell(r.step, r.of.size) * r.of.devices; };
  for (const StudyRow& other : rows) {
    if (other.of.series == row.of.series && other.of.devices == 1) return of_device(other) / of_device(row);
  }
  return std::nullopt;
}

std::optional<double> updates_a_second_a_watt(const StudyRow& row) {
  if (row.power.source == halocline::machine::PowerSource::none || !(row.power.watts > 0) || !(row.step > 0)) {
    return std::nullopt;
  }
  return static_cast<double>(row.of.size.volume()) / row.step / row.power.watts;
}

}  // namespace mhd
