// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "context.hpp"
#include "mapping/launch.hpp"
#include "mapping/quality.hpp"
#include "option_kinds.hpp"

/// The words, tables and documents of `halocline map`.
namespace cli {

/// What the ranks of a job send each other; either may be missing.
struct Matrices {
  std::optional<halocline::mapping::CommunicationMatrix> cpu;
  std::optional<halocline::mapping::CommunicationMatrix> gpu;
};

/// A matrix in a file, and two in one as `halocline profile` writes them.
[[nodiscard]] halocline::mapping::CommunicationMatrix read_matrix_file(const std::string& path);
[[nodiscard]] halocline::mapping::Communication read_communication_file(const std::string& path);

/// The seats in a document of `halocline map`, by rank. Throws InvalidArgument that names the file and the rank where it
/// is none, or none on this machine: its nodes have their numbers and names there, and its GPUs exist.
[[nodiscard]] std::vector<halocline::mapping::Seat> read_mapping_file(const std::string& path,
                                                                      const halocline::machine::MachineMap& machine);

/// "0-3,8": whole numbers and ranges, ascending; "" is none.
[[nodiscard]] std::vector<int> parse_numbers(const std::string& name, const std::string& word);

/// "NODE:CORES:DEVICES" each, e.g. "n0:0-11:0,1": what is free of those nodes; all of the others.
[[nodiscard]] std::vector<halocline::mapping::FreeParts> parse_free(const std::string& name, const Words& words,
                                                                    const halocline::machine::MachineMap& machine);

/// One or three names, for nodes, cores and devices.
[[nodiscard]] halocline::mapping::PhaseMappers parse_mappers(const std::string& name, const Words& words);

/// A level a row: average and maximum congestion before and after, together and of CPUs and GPUs apart.
[[nodiscard]] std::string quality_table(const halocline::mapping::JobQuality& before,
                                        const halocline::mapping::JobQuality& after);
[[nodiscard]] Json quality_json(const halocline::mapping::JobQuality& quality);

[[nodiscard]] std::string seats_table(const halocline::machine::MachineMap& machine,
                                      const std::vector<halocline::mapping::Seat>& seats);
[[nodiscard]] Json seats_json(const halocline::machine::MachineMap& machine,
                              const std::vector<halocline::mapping::Seat>& seats);

}  // namespace cli
