// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "io/tuning_cache.hpp"
#include "plan/plan.hpp"
#include "tune/trials.hpp"

namespace halocline::tune {

/// Names of settings; values are texts as flags take them.
inline constexpr std::string_view first_setting =
    "first-transport";  ///< routing::to_string(); preferred to all others but `self`
inline constexpr std::string_view messages_setting = "messages";    ///< routing::to_string()
inline constexpr std::string_view node_grid_setting = "node-grid";  ///< "2,1,1"
inline constexpr std::string_view device_grid_setting = "device-grid";
inline constexpr std::string_view pack_rows_setting = "pack-short-rows-from-bytes";
inline constexpr std::string_view chunk_setting = "staging-chunk-bytes";
inline constexpr std::string_view zero_copy_setting = "zero-copy-at-most-bytes";
inline constexpr std::string_view packets_setting = "packets-at-most-bytes";

/// The policy with one transport before all others but `self`.
[[nodiscard]] routing::Policy preferring(routing::Policy policy, routing::Transport transport);

/// The grids of a partition.
[[nodiscard]] io::Settings settings_of_grid(const partition::Partition& parts);

/// What the default does: its request, with the machine, and what came of it. Refers to these.
struct Situation {
  const PlanRequest* request;
  const Plan* plan;
  std::span<const RoutedMessage> routes;  ///< of all ranks
  routing::Messages messages = routing::Messages::by_neighbour;
  bool gpus = false;
  bool may_cut = true;  ///< the grid is not the user's own
};

struct CandidateList {
  std::vector<Candidate>
      list;  ///< in the order of their predicted times; settings that the model does not see come last
  std::vector<io::TunedSkip> skipped;
  std::optional<double> predicted;  ///< seconds of the default
};

/// Settings to be tried: each transport first, each kind of messages, other grids, other sizes at which methods change. Left out, with
/// the reason, is what the machine cannot do or what would be the default again. Pure; the same on all ranks.
[[nodiscard]] CandidateList candidates_of(const Situation& situation);

}  // namespace halocline::tune
