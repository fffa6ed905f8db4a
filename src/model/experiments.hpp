// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/predict.hpp"

// Which exchanges have to be timed for a machine's exchange rates, and what follows from their times.
namespace halocline::model {

/// Kinds of cells that a node of so many devices can be measured with; the numbers in them are 0. Those without `beside` come
/// first. With one device there are no links, and nothing beside which they could be.
[[nodiscard]] std::vector<machine::ExchangeRate> kinds_to_measure(int devices);

/// An exchange of four f32 fields whose time one kind of cells decides.
struct Experiment {
  Vec3 extent;
  Stencil stencil;
  Vec3 device_grid;
  std::vector<FieldDescriptor> fields;
  RowLimits limits;

  [[nodiscard]] partition::Geometry geometry() const;
};
/// How large it is. `large` decides how long rows are (512 cells from 4 MiB on, or else, and of packets, 64), so that all of one `large` differ
/// in the number of rows alone.
struct ExperimentSize {
  std::int64_t bytes = 0;  ///< cells of the kind in bytes, about, that each device moves
  std::int64_t large = 0;
};
[[nodiscard]] Experiment experiment(const machine::ExchangeRate& kind, const ExperimentSize& size, int devices);

/// Of the smaller of the two exchanges that a line goes through, for the bytes of the larger one. Far apart, so that where the line
/// begins is not what a percent of the larger time makes of it: small exchanges are predicted from there.
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
/// A line through the two larger exchanges of each trial, in four digits. A trial is left out where the cells of the other path,
/// by the rates without `beside`, take most of its time: then it says nothing about its own.
[[nodiscard]] Fitted fit(std::span<const Trial> trials, std::int64_t large, int devices);

/// "link, short rows beside local ones, words of 16 bytes"
[[nodiscard]] std::string kind_text(const machine::ExchangeRate& kind);

}  // namespace halocline::model
