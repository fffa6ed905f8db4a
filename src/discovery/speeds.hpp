// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "comm/rank_group.hpp"
#include "device/backend.hpp"

namespace halocline::machine {

/// Work of a device of which the speed is wanted.
struct Trial {
  halocline::Stream* stream = nullptr;
  std::int64_t cells = 0;         ///< that one run updates
  std::function<void()> enqueue;  ///< one run, in the stream
};

/// Of the devices of all ranks.
struct Speeds {
  std::vector<double> cells_per_second;  ///< by rank, then trial; all the same where they differ by less than `alike`
  double seconds = 0;                    ///< that it took on the slowest rank
  static constexpr double alike = 1.05;
  [[nodiscard]] std::string text() const;  ///< "measured in 0.41 s", for explanations
};

/// How long a device is measured: no run begins afterwards. One run is not counted, one at least is, and at most 200 are; the speed is by
/// their median.
inline constexpr Duration longest_trial = std::chrono::milliseconds(200);

/// Collective: runs each rank's trials one after another, all ranks at the same time, as in a run that shares cores. Throws the same error on
/// all ranks: of a stream, or InvalidArgument for a trial without cells or time.
[[nodiscard]] Speeds measure_speeds(comm::RankGroup& comm, device::Backend& backend, const std::vector<Trial>& trials);
/// The same with a standard kernel, limited by memory as stencils are: on host devices the update of 96 x 96 x 64 cells of 8 bytes by a 7-point
/// stencil, on GPUs a copy of 64 MiB within their memory, counted as cells of 8 bytes.
[[nodiscard]] Speeds measure_speeds(comm::RankGroup& comm, device::Backend& backend);

}  // namespace halocline::machine
