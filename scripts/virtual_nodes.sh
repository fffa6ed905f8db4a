#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Starts a program of Open MPI on several nodes that are namespaces of this machine:
#   scripts/virtual_nodes.sh [--nodes 2] [--rate 200mbit] [--unplug NODE:SECONDS] [flags of mpirun] -n 8 program arguments...
# A node has its own network, host name, System V IPC and /dev/shm. Its link to the switch carries RATE each way (as in
# tc(8); not shaped by default), and --unplug takes the link of a node (counted from 0) down after SECONDS. MPI's
# messages use these links; its launcher has a second network, as in a cluster. Ranks are placed node by node.
# Needs root or user namespaces, and ip and tc of iproute2. Exits with 77 where the machine does not allow it. Leaves
# nothing behind: all namespaces end with this process.
set -euo pipefail
PATH=$PATH:/usr/sbin:/sbin

enter=(nsenter --net --uts --ipc --mount --wd="$PWD")
# What Open MPI starts its daemons with, in place of ssh: --agent ADDRESS COMMAND.
if [ "${1:-}" = --agent ]; then
  read -r -a pids <<<"$VIRTUAL_NODES"
  exec "${enter[@]}" --target "${pids[${2##*.} - 1]}" sh -c "${*:3}"
fi

usage() {
  echo "virtual_nodes.sh: $1; see the first lines of $0" >&2
  exit 2
}
cannot() {
  echo "virtual_nodes.sh: skipped: $1" >&2
  exit 77
}

command=("$0" "$@")
nodes=2 ranks='' rate='' unplug='' launcher=()
while [ $# -gt 1 ] && [ -z "$ranks" ]; do
  case $1 in
    --nodes) nodes=$2 && shift ;;
    --rate) rate=$2 && shift ;;
    --unplug) unplug=$2 && shift ;;
    -n) ranks=$2 && shift ;;
    *) launcher+=("$1") ;;
  esac
  shift
done
if [ -z "$ranks" ] || [ $# -eq 0 ]; then usage "-n RANKS and a program are needed"; fi
[ $((ranks % nodes)) -eq 0 ] || usage "-n is $ranks; allowed are multiples of $nodes, the number of nodes"

# Once more, as the switch, in namespaces of its own. All processes end with the PID namespace.
if [ -z "${VIRTUAL_NODES:-}" ]; then
  command -v ip tc >/dev/null || cannot "ip and tc are missing (package iproute2)"
  "${MPIRUN:-mpirun}" --version 2>/dev/null | grep -q "Open MPI" || cannot "mpirun is not Open MPI's"
  own=(unshare --net --mount --pid --fork --kill-child --mount-proc)
  [ "$(id -u)" -eq 0 ] || own+=(--map-root-user)
  "${own[@]}" ip link add test type bridge 2>/dev/null || cannot "namespaces or bridges are not permitted here"
  VIRTUAL_NODES=switch exec "${own[@]}" "${command[@]}"
fi

pids=()  # of the processes that hold the nodes' namespaces
for ((node = 0; node < nodes; ++node)); do
  exec {ready}< <(exec unshare --net --uts --ipc --mount sh -c 'echo ready; exec sleep infinity')
  pids+=("$!")
  read -r -u "$ready" _
  inside=("${enter[@]}" --target "$!")
  "${inside[@]}" hostname "node$node"
  "${inside[@]}" mount -t tmpfs tmpfs /dev/shm
  "${inside[@]}" ip link set lo up
done

for network in control data; do
  ip link add "$network" up type bridge
  for ((node = 0; node < nodes; ++node)); do
    inside=("${enter[@]}" --target "${pids[node]}")
    port=$network$node
    ip link add "$port" type veth peer name "$network" netns "${pids[node]}"
    ip link set "$port" up master "$network"
    case $network in control) subnet=10.0.0 ;; data) subnet=10.0.1 ;; esac
    "${inside[@]}" ip address add "$subnet.$((node + 1))/24" dev "$network"
    "${inside[@]}" ip link set "$network" up
    if [ "$network" = control ] || [ -z "$rate" ]; then continue; fi
    shaped=(root tbf rate "$rate" burst 64kb latency 100ms)
    tc qdisc add dev "$port" "${shaped[@]}"
    "${inside[@]}" tc qdisc add dev data "${shaped[@]}"
  done
done

hosts=''
for ((node = 0; node < nodes; ++node)); do
  hosts+=${hosts:+,}10.0.0.$((node + 1)):$((ranks / nodes))
done
if [ -n "$unplug" ]; then
  (sleep "${unplug#*:}" && ip link set "data${unplug%:*}" down) &
fi
export VIRTUAL_NODES="${pids[*]}"
OMPI_MCA_plm_rsh_agent="$(realpath "$0") --agent"
export OMPI_MCA_plm_rsh_agent
export OMPI_MCA_oob_tcp_if_include=control OMPI_MCA_btl_tcp_if_include=data OMPI_MCA_orte_tmpdir_base=/dev/shm
status=0
"${enter[@]}" --target "${pids[0]}" "$(dirname "$0")/mpirun.sh" "${launcher[@]}" --host "$hosts" -n "$ranks" "$@" || status=$?
exit "$status"
