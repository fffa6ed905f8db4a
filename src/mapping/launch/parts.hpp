// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include "mapping/launch.hpp"

// What the launchers share with each other and with nobody else.
namespace halocline::mapping::detail {

inline constexpr const char* wrapper_name = "wrapper.sh";

[[nodiscard]] const std::string& host_of(const LaunchRequest& request, const Seat& seat);
/// The UUID of the seat's GPU; nothing where it has none, or the map does not know it.
[[nodiscard]] std::optional<std::string> uuid_of(const LaunchRequest& request, const Seat& seat);
/// The wrapper. binds: to cores too.
[[nodiscard]] LaunchFile wrapper(const LaunchRequest& request, bool binds);
/// What is to be known about how the wrapper names GPUs.
void note_devices(const LaunchRequest& request, Launch& launch);
/// The processors of the processes of a node in the order of their ranks, "4,0,2", where that is the same list on all nodes
/// and processors are known: what launchers with one list for all nodes need.
[[nodiscard]] std::optional<std::string> common_processors(const LaunchRequest& request);

[[nodiscard]] Launch openmpi_launch(const LaunchRequest& request);
[[nodiscard]] Launch slurm_launch(const LaunchRequest& request);
[[nodiscard]] Launch hydra_launch(const LaunchRequest& request);

}  // namespace halocline::mapping::detail
