// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/predict.hpp"

// The exchanges that are timed for a machine's exchange rates, and the fit of their times.
namespace halocline::model {

/// The kinds of cells that can be measured on a node with this number of devices, with rates of 0. Kinds without `concurrent` come
/// first. With one device there are no links, and so no kinds with `concurrent`.
[[nodiscard]] std::vector<machine::ExchangeRate> kinds_to_measure(int devices);

/// An exchange of four f32 fields whose time is determined by one kind of cells.
struct Experiment {
  Vec3 extent;
  Stencil stencil;
  Vec3 device_grid;
  std::vector<FieldDescriptor> fields;
  exchange::Tuning tuning;

  [[nodiscard]] partition::Geometry geometry() const;
};
/// The size of an experiment. `large` determines the length of rows (512 cells from 4 MiB on; 64 below, and for packets), so that
/// experiments with the same `large` differ only in the number of rows.
struct ExperimentSize {
  std::int64_t bytes = 0;  ///< about the bytes of cells of the kind that each device copies
  std::int64_t large = 0;
};
[[nodiscard]] Experiment experiment(const machine::ExchangeRate& kind, const ExperimentSize& size, int devices);

/// Bytes of the smaller of the two exchanges that define a line, from the bytes of the larger one. They are far apart, so that an
/// error of a percent in the larger time hardly changes the intercept, from which small exchanges are predicted.
[[nodiscard]] constexpr std::int64_t smaller_than(std::int64_t large) { return large / 8; }

/// Seconds of the experiments of one kind: nearly empty, smaller_than() the large one, and large.
struct Trial {
  machine::ExchangeRate kind;
  double least = 0;
  double small = 0;
  double large = 0;
};
struct Fitted {
  std::vector<machine::ExchangeRate> rates;
  struct LeftOut {
    machine::ExchangeRate kind;
    std::string reason;
  };
  std::vector<LeftOut> left_out;
};
/// A line through the two larger exchanges of each trial, in four digits. A trial is left out if the cells of the other path,
/// by the rates without `concurrent`, take most of its time: it then has no information about its own path.
[[nodiscard]] Fitted fit(std::span<const Trial> trials, std::int64_t large, int devices);

/// "link, short rows with local ones, words of 16 bytes"
[[nodiscard]] std::string kind_text(const machine::ExchangeRate& kind);

}  // namespace halocline::model
