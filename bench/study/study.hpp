// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "halocline/domain.hpp"
#include "machine/machine_map.hpp"
#include "support/results.hpp"
#include "support/sampling.hpp"

namespace CLI {
class App;
}

namespace halocline::bench {

/// What the command line of every study holds.
struct StudyOptions {
  std::string out = ".";
  std::optional<int> devices_per_rank;
  std::optional<int> ranks_per_node;
  std::string grid;                  ///< of a node's devices; empty: each study's own
  std::vector<std::int64_t> blocks;  ///< cells a GPU, cubed
  std::vector<std::string> sizes;    ///< whole domains
  std::int64_t edge = 0;             ///< of the cube a GPU in weak and strong scaling; 0: the paper's
  std::int64_t radius = 3;
  int fields = 4;
  std::string element = "f32";
  std::string base = "auto";         ///< staged, ca, both, or both where MPI takes device pointers
  std::vector<std::string> configs;  ///< rungs of the ladder; empty: all
  bool allow_fallback = false;       ///< routes other than asked for are no failure
  std::uint64_t seeds = 64;          ///< random placements that are looked at for the worst
  Budget budget;
};

/// The machine as the library sees it, before a domain is made.
struct Launch {
  machine::MachineMap machine;
  Shape shape;
  std::int64_t devices = 0;  ///< of all nodes
  std::string device;        ///< the backend's kind and rank 0's first device
};

/// All that a study needs; references outlive it.
struct StudyContext {
  comm::RankGroup& world;
  const Environment& environment;
  const StudyOptions& options;
  Launch launch;
};

/// Collective: discovers.
[[nodiscard]] Launch find_launch(comm::RankGroup& world, const Environment& environment, const StudyOptions& options);
/// What all domains of a study have in common.
[[nodiscard]] DomainOptions common_options(const Environment& environment, const StudyOptions& options);

/// Which bases to study: false for staged, true for MPI on device pointers. Collective, as "auto" tries. Throws
/// CapabilityError where "ca" or "both" was asked for by name and MPI takes no device pointers.
[[nodiscard]] std::vector<bool> bases(const StudyContext& context);

/// One study a file. Each returns how many messages took another route than was asked for.
[[nodiscard]] std::int64_t specialisation_study(const StudyContext& context);
[[nodiscard]] std::int64_t placement_study(const StudyContext& context);
[[nodiscard]] std::int64_t weak_study(const StudyContext& context);
[[nodiscard]] std::int64_t strong_study(const StudyContext& context);

}  // namespace halocline::bench
