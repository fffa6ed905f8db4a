// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "mapping/job.hpp"

namespace halocline::mapping {

/// The channels of one level. Congestion: bytes over bandwidth, in seconds.
struct LevelQuality {
  std::string level;
  double average = 0;  ///< over all channels of the level, used or not
  double maximum = 0;
};

struct Quality {
  std::int64_t hop_bytes = 0;  ///< bytes times the number of channels that they cross
  std::vector<LevelQuality> levels;
  /// Over all channels; 0 if there are none.
  [[nodiscard]] double maximum() const;
};

/// The load that a mapping puts on the links of a machine. Between nodes the links of the network count, within a node
/// its own links; the path from a core or a device to the network does not count. Messages of GPUs do not pass through
/// the host's memory. CPU and GPU traffic share the links that both cross.
struct JobQuality {
  Quality cpu;
  Quality gpu;
  Quality together;
};
[[nodiscard]] JobQuality assess(const JobRequest& request, const std::vector<Seat>& seats);

}  // namespace halocline::mapping
