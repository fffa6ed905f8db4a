// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/slab_schemes.hpp"
#include "prediction.hpp"

/// laplace3d's steps by each scheme of communication, simulated: 'predict --study schemes'.
namespace cli {

struct SchemeRow {
  std::int64_t size = 0;  ///< cells a side
  int devices = 0;
  halocline::model::SlabScheme scheme{};
  double step = 0;                 ///< seconds
  double gflops = 0;               ///< 1e9 operations a second
  double over_left_right_mpi = 0;  ///< how many times as fast as that on as many devices
};

/// Each size on 2, 4, ... and all devices of the first node by all schemes. map: after `flags.software` was applied. Throws
/// InvalidArgument as simulate_slab_step() does, and for a node of one device.
[[nodiscard]] std::vector<SchemeRow> predict_schemes(const PredictFlags& flags,
                                                     const halocline::machine::MachineMap& map);

[[nodiscard]] std::string scheme_table(std::span<const SchemeRow> rows);
[[nodiscard]] std::string scheme_csv(std::span<const SchemeRow> rows);
[[nodiscard]] Json scheme_json(std::span<const SchemeRow> rows);

}  // namespace cli
