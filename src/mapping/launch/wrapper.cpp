// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <algorithm>

#include "mapping/launch/parts.hpp"

namespace halocline::mapping::detail {
namespace {

constexpr const char* head = R"sh(#!/bin/sh
# Written by 'halocline map'. Gives a process of the job its place, then starts what it is given:
#   {} PROGRAM ARGUMENTS...
rank=${{OMPI_COMM_WORLD_RANK:-${{PMIX_RANK:-${{PMI_RANK:-${{SLURM_PROCID:-}}}}}}}}
device= core=
case "$rank" in
)sh";

constexpr const char* tail =
    R"sh(  *) echo "$0: the rank is '$rank'; allowed is 0 to {}, in OMPI_COMM_WORLD_RANK, PMIX_RANK, PMI_RANK or SLURM_PROCID" >&2
     exit 2 ;;
esac
)sh";

constexpr const char* by_uuid = R"sh(if [ -n "$device" ]; then
  export CUDA_VISIBLE_DEVICES="$device"
fi
)sh";

constexpr const char* by_index = R"sh(if [ -n "$device" ]; then
  # The map has no UUIDs: its devices are taken to be in the order of the PCI bus.
  export CUDA_DEVICE_ORDER=PCI_BUS_ID
  export CUDA_VISIBLE_DEVICES="$device"
fi
)sh";

// hwloc counts cores package by package, and within by die, NUMA node and cache, each in the order of its first processor;
// Linux numbers processors in whatever order the firmware likes.
constexpr const char* bind = R"sh(# The processors of the logical core, as Linux numbers them.
processors=${SYSFS_PROCESSORS:-/sys/devices/system/cpu}
first() {
  for file in "$@"; do
    if [ -r "$file" ]; then sed 's/[,-].*//' "$file"; return; fi
  done
  echo 0
}
cpus=$(for cpu in "$processors"/cpu[0-9]*; do
  t=$cpu/topology
  for siblings in "$t/core_cpus_list" "$t/thread_siblings_list"; do
    [ -r "$siblings" ] && break
  done
  [ -r "$siblings" ] && [ "$(first "$siblings")" = "${cpu##*/cpu}" ] || continue
  echo "$(first "$t/package_cpus_list" "$t/core_siblings_list") $(first "$t/die_cpus_list")" \
    "$(first "$cpu"/node*/cpulist) $(first "$cpu/cache/index3/shared_cpu_list") ${cpu##*/cpu} $(cat "$siblings")"
done | sort -n -k1,1 -k2,2 -k3,3 -k4,4 -k5,5 | sed -n "$((core + 1))s/.* //p")
if [ -z "$cpus" ]; then
  echo "$0: there is no core $core here, for rank $rank" >&2
  exit 2
fi
exec taskset -c "$cpus" "$@"
)sh";

/// Empty if the node has no device for the seat.
std::string device_text(const LaunchRequest& request, const Seat& seat) {
  if (seat.device < 0) return {};
  return uuid_of(request, seat).value_or(fmt::format("{}", seat.device));
}

bool has_uuids(const LaunchRequest& request) {
  return std::ranges::all_of(request.seats,
                             [&](const Seat& seat) { return seat.device < 0 || uuid_of(request, seat).has_value(); });
}

}  // namespace

LaunchFile wrapper(const LaunchRequest& request, bool binds) {
  std::string text = fmt::format(fmt::runtime(head), wrapper_name);
  for (std::size_t r = 0; r < request.seats.size(); ++r) {
    text += fmt::format("  {}) device={} core={} ;;  # {}\n", r, device_text(request, request.seats[r]),
                        request.seats[r].core, host_of(request, request.seats[r]));
  }
  text += fmt::format(fmt::runtime(tail), request.seats.size() - 1);
  text += has_uuids(request) ? by_uuid : by_index;
  text += binds ? bind : "exec \"$@\"\n";
  return {wrapper_name, text, true};
}

void note_devices(const LaunchRequest& request, Launch& launch) {
  if (std::ranges::all_of(request.seats, [](const Seat& seat) { return seat.device < 0; })) {
    launch.notes.emplace_back("no process has a GPU: CUDA_VISIBLE_DEVICES is left as it is");
  } else if (has_uuids(request)) {
    launch.notes.emplace_back("the wrapper sets CUDA_VISIBLE_DEVICES to the UUID of the process's GPU");
  } else {
    launch.notes.emplace_back(
        "the map lacks UUIDs of GPUs: the wrapper sets CUDA_VISIBLE_DEVICES to their numbers, with "
        "CUDA_DEVICE_ORDER=PCI_BUS_ID, assuming that the map counts them so");
  }
}

}  // namespace halocline::mapping::detail
