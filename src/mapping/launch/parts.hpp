// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include "mapping/launch.hpp"

// Shared by the launchers only.
namespace halocline::mapping::detail {

inline constexpr const char* wrapper_name = "wrapper.sh";

[[nodiscard]] const std::string& host_of(const LaunchRequest& request, const Seat& seat);
/// Returns the UUID of the seat's GPU; nothing if it has none or the map does not contain the UUID.
[[nodiscard]] std::optional<std::string> uuid_of(const LaunchRequest& request, const Seat& seat);
/// The wrapper. binds: to cores too.
[[nodiscard]] LaunchFile wrapper(const LaunchRequest& request, bool binds);
/// What is to be known about how the wrapper names GPUs.
void note_devices(const LaunchRequest& request, Launch& launch);
/// Returns the processors of a node's processes in the order of their ranks, "4,0,2", if that list is the same on all
/// nodes and the processors are known. Launchers with one list for all nodes need it.
[[nodiscard]] std::optional<std::string> common_processors(const LaunchRequest& request);

[[nodiscard]] Launch openmpi_launch(const LaunchRequest& request);
[[nodiscard]] Launch slurm_launch(const LaunchRequest& request);
[[nodiscard]] Launch hydra_launch(const LaunchRequest& request);

}  // namespace halocline::mapping::detail
