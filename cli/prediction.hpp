// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/closed_form.hpp"
#include "plan/plan.hpp"
#include "simulation.hpp"
#include "step_kernels.hpp"

namespace cli {

/// The flags that 'predict' alone takes; unset ones follow from the kernel and the map. Seconds.
struct PredictFlags {
  StepKernel kernel;
  std::optional<double> flop_rate;           ///< operations a second of a device
  std::optional<double> seconds_per_update;  ///< pi^-1
  std::optional<double> beta_between_nodes;  ///< beta^-1 of a step
  std::optional<double> beta_within_node;
  std::optional<double> latency;  ///< of each round of messages between nodes
  std::optional<double> latency_within;
  std::int64_t neighbours = 0;      ///< served at once; 0: all
  double serial = 0;                ///< tau_0
  bool level_of_nodes = false;      ///< the closed form of a node instead of a device
  std::string study;                ///< empty: one case
  std::vector<std::int64_t> sizes;  ///< of a study
  bool csv = false;
  int copy_engines = 2;    ///< study `schemes`
  double synchronise = 0;  ///< of it, too: seconds until the host goes on after a copy
  SimulateFlags software;  ///< as for 'simulate'
  halocline::routing::Messages messages = halocline::routing::Messages::by_neighbour;  ///< of the simulation
};

/// One row: a domain on a number of devices.
struct PredictCase {
  std::int64_t nodes = 1;
  std::int64_t devices_per_node = 1;
  halocline::Vec3 extent;
};

/// Times of a step by one model.
struct PredictedStep {
  double exchange = 0;  ///< of all exchanges of a step
  halocline::model::StepTimes times;
};

struct PredictedRow {
  PredictCase of;
  halocline::Vec3 grid;  ///< of subdomains
  double work = 0;       ///< seconds of the largest subdomain's own cells
  double shell =
      0;  ///< seconds of the neighbours' cells that it updates as well, where an exchange serves several updates
  PredictedStep closed;
  PredictedStep simulated;
  std::string slowest;  ///< level of the simulated exchange
  halocline::routing::Messages messages = halocline::routing::Messages::by_neighbour;  ///< of it
};

/// pi^-1 of the slowest device of the machine: what the flags say, or what follows from the kernel's costs and the map. Throws
/// InvalidArgument where neither is known.
[[nodiscard]] double seconds_per_update(const PredictFlags& flags, const halocline::machine::MachineMap& map);

/// The rows of flags.study on a machine: 1, 2, 4, ... devices of one node, then 2, 4, ... nodes, up to all. Strong: each size on all of them. Weak: each
/// size a device (partition::weak_extent()).
[[nodiscard]] std::vector<PredictCase> predict_cases(const PredictFlags& flags,
                                                     const halocline::machine::MachineMap& map);

/// Predicts one case. request: of the whole machine, after `flags.software` was applied; its steps_per_exchange counts updates. A step
/// has flags.kernel.exchanges updates. Throws InvalidArgument if the time of an update follows neither from the flags nor from the
/// map.
[[nodiscard]] PredictedRow predict_case(halocline::PlanRequest request, const PredictFlags& flags,
                                        const PredictCase& of);

}  // namespace cli
