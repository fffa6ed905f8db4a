// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "context.hpp"
#include "exchange/probe.hpp"
#include "halocline/devices.hpp"

/// `halocline doctor`: each check tries one thing that Halocline uses on this machine.
namespace cli::doctor {

/// In the order of how bad they are.
enum class Status : int {
  ok,       ///< tried, and it works
  skipped,  ///< nothing to try here
  absent,   ///< an optional part that is not there
  broken,   ///< tried, and it does not work
};
/// "ok", "skipped", "absent", "no"
[[nodiscard]] std::string_view to_string(Status status);

/// What a check found on this rank. fix: what to do; empty unless absent or broken.
struct Finding {
  Status status = Status::ok;
  std::string seen;
  std::string fix;
  friend bool operator==(const Finding&, const Finding&) = default;
};
[[nodiscard]] inline Finding works(std::string seen) { return {Status::ok, std::move(seen), {}}; }
[[nodiscard]] inline Finding skipped(std::string why) { return {Status::skipped, std::move(why), {}}; }
[[nodiscard]] inline Finding absent(std::string why, std::string fix) {
  return {Status::absent, std::move(why), std::move(fix)};
}
[[nodiscard]] inline Finding broken(std::string why, std::string fix) {
  return {Status::broken, std::move(why), std::move(fix)};
}

/// What the checks work with; earlier checks leave here what later ones use. Context::world has this process alone where the
/// ranks of the job could not be joined.
struct Subject {
  Context& context;
  halocline::comm::RankGroup& node;           ///< the ranks of this rank's node, virtual nodes included
  std::string no_job;                         ///< why the processes of the job are not one world; empty where they are
  std::optional<halocline::Devices> devices;  ///< by the check of that name
  halocline::exchange::FactTable facts;       ///< of pairs of devices, by the check "shared memory"
  /// Of the node's ranks, the one that tries what is tried once a node.
  [[nodiscard]] bool first_of_node() const { return node.rank().value() == 0; }
};

/// One line of the report. try_it is called on all ranks, in the same order of checks, and may communicate. A Halocline error
/// that it throws is the finding "broken", with `fix`; errors of a communicator must be thrown on all ranks.
struct Check {
  std::string_view name;
  Finding (*try_it)(Subject& subject);
  std::string_view fix;
};
/// In the order of the report.
[[nodiscard]] std::span<const Check> all_checks();

// ranks.cpp
[[nodiscard]] Finding try_launcher(Subject& subject);
[[nodiscard]] Finding try_mpi(Subject& subject);
[[nodiscard]] Finding try_mpi_threads(Subject& subject);
// system.cpp
[[nodiscard]] Finding try_variables(Subject& subject);
[[nodiscard]] Finding try_open_files(Subject& subject);
[[nodiscard]] Finding try_locked_memory(Subject& subject);
[[nodiscard]] Finding try_dev_shm(Subject& subject);
// gpus.cpp
[[nodiscard]] Finding try_cuda(Subject& subject);
[[nodiscard]] Finding try_nvml(Subject& subject);
[[nodiscard]] Finding try_gpu_modes(Subject& subject);
[[nodiscard]] Finding try_ranks_of_gpu(Subject& subject);
// exchanges.cpp
[[nodiscard]] Finding try_devices(Subject& subject);
[[nodiscard]] Finding try_overlapping_launches(Subject& subject);
[[nodiscard]] Finding try_shared_memory(Subject& subject);
[[nodiscard]] Finding try_peer_access(Subject& subject);
[[nodiscard]] Finding try_device_mpi(Subject& subject);
[[nodiscard]] Finding try_self(Subject& subject);
[[nodiscard]] Finding try_direct(Subject& subject);
[[nodiscard]] Finding try_peer_copy(Subject& subject);
[[nodiscard]] Finding try_ipc_copy(Subject& subject);
[[nodiscard]] Finding try_mpi_device(Subject& subject);
[[nodiscard]] Finding try_mpi_staged(Subject& subject);
[[nodiscard]] Finding try_net(Subject& subject);
[[nodiscard]] Finding try_nccl_exchange(Subject& subject);
// libraries.cpp
[[nodiscard]] Finding try_hwloc(Subject& subject);
[[nodiscard]] Finding try_scotch(Subject& subject);
[[nodiscard]] Finding try_png(Subject& subject);
[[nodiscard]] Finding try_digests(Subject& subject);
[[nodiscard]] Finding try_ucx(Subject& subject);
[[nodiscard]] Finding try_nccl(Subject& subject);
[[nodiscard]] Finding try_python(Subject& subject);

}  // namespace cli::doctor
