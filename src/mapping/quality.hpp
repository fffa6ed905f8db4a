// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "mapping/job.hpp"

namespace halocline::mapping {

/// The channels of one kind. Congestion: bytes over bandwidth, in seconds.
struct LevelQuality {
  std::string level;
  double average = 0;  ///< over all channels of the level, used or not
  double maximum = 0;
};

struct Quality {
  std::int64_t hop_bytes = 0;  ///< bytes times the channels that they cross
  std::vector<LevelQuality> levels;
  /// Of all channels; 0 where there is none.
  [[nodiscard]] double maximum() const;
};

/// What a mapping does to the links of a machine. Between nodes the network counts, within a node its own links; the way
/// from a core or a device to the network does not. What GPUs send does not pass through the host's memory. CPU and GPU
/// traffic share the links that both cross.
struct JobQuality {
  Quality cpu;
  Quality gpu;
  Quality together;
};
[[nodiscard]] JobQuality assess(const JobRequest& request, const std::vector<Seat>& seats);

}  // namespace halocline::mapping
