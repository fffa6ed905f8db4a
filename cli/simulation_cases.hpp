// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "halocline/box.hpp"
#include "machine/machine_map.hpp"
#include "placement/placement.hpp"

namespace cli {

/// A row of a study: an exchange of a domain on some nodes.
struct StudyRow {
  std::int64_t nodes = 1;
  std::int64_t ranks_per_node = 1;
  halocline::Vec3 extent;
  bool device_mpi = false;  ///< what must go over MPI goes from device memory, by mpi_device, else by mpi_staged
};

/// A column: how it is placed, and what besides MPI may carry messages.
struct StudyConfig {
  std::string name;
  std::string shortcuts;  ///< transports, comma-separated; empty: MPI alone
  std::optional<halocline::placement::Method> placement{};
};

/// The transports of a row and a column, as a policy is written.
[[nodiscard]] std::string transports_of(const StudyRow& row, const StudyConfig& config);

/// As Pearson et al. (and bench_study) write it: "2n/6r/6g/1717", with "/ca" for device memory.
[[nodiscard]] std::string label_of(const StudyRow& row, std::int64_t devices_per_node);
/// "1717", or "1440x1452x700"
[[nodiscard]] std::string size_of(const halocline::Vec3& extent);

[[nodiscard]] std::vector<StudyConfig> study_configs(const std::string& study);
/// The rows of a study of 1, 2, 4, ... nodes up to all of the map's, or, of a ladder, of one node and any number of ranks that
/// devices can be shared by.
[[nodiscard]] std::vector<StudyRow> study_rows(const std::string& study, const halocline::machine::MachineMap& map);

}  // namespace cli
