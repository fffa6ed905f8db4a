#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Starts a program of Open MPI on several nodes that are namespaces of this machine:
#   scripts/virtual_nodes.sh [--nodes 2] [--rate 200mbit | --links FILE] [--unplug NODE:SECONDS] [flags of mpirun]
#                            -n 8 program arguments...
# A node has its own network, host name, System V IPC and /dev/shm. Its link to the switch carries RATE each way (as in
# tc(8); not shaped by default), and --unplug takes the link of a node (counted from 0) down after SECONDS. The
# messages of MPI and UCX use these links; MPI's launcher has a second network, as in a cluster. Ranks are placed node by node.
# A line of --links is a link, `END END RATE`; all messages that pass it share RATE, each way. An end is the number of a
# node, or the name of a switch. Each node has one link to a switch, and the switches are a tree. A link between two
# nodes carries what they send to each other, and nothing else. Queues of such links lose nothing.
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
nodes=2 ranks='' rate='' links='' unplug='' launcher=()
while [ $# -gt 1 ] && [ -z "$ranks" ]; do
  case $1 in
    --nodes) nodes=$2 && shift ;;
    --rate) rate=$2 && shift ;;
    --links) links=$2 && shift ;;
    --unplug) unplug=$2 && shift ;;
    -n) ranks=$2 && shift ;;
    *) launcher+=("$1") ;;
  esac
  shift
done
if [ -z "$ranks" ] || [ $# -eq 0 ]; then usage "-n RANKS and a program are needed"; fi
[ $((ranks % nodes)) -eq 0 ] || usage "-n is $ranks; allowed are multiples of $nodes, the number of nodes"
[ -z "$rate" ] || [ -z "$links" ] || usage "--rate and --links are given; allowed is one of them"
[ -z "$links" ] || [ -r "$links" ] || usage "--links is '$links'; allowed is a file that can be read"
network=$(
  if [ -n "$links" ]; then
    awk -v nodes="$nodes" -f "$(dirname "$0")/virtual_links.awk" "$links"
  else
    for ((node = 0; node < nodes; ++node)); do echo "port $node all $rate"; done
  fi
)

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
in_node() { "${enter[@]}" --target "${pids[$1]}" "${@:2}"; }
for ((node = 0; node < nodes; ++node)); do
  exec {ready}< <(exec unshare --net --uts --ipc --mount sh -c 'echo ready; exec sleep infinity')
  pids+=("$!")
  read -r -u "$ready" _
  in_node "$node" hostname "node$node"
  in_node "$node" mount -t tmpfs tmpfs /dev/shm
  in_node "$node" mount -t sysfs sysfs /sys || : # with the devices of its own network; where that is refused, UCX finds none
  in_node "$node" ip link set lo up
done

mtu=1500
if [ -n "$links" ]; then
  mtu=9000
  for ((node = 0; node < nodes; ++node)); do
    # At most 128 KiB of a connection are under way, fewer than a queue holds.
    in_node "$node" sysctl -qw net.ipv4.tcp_wmem="4096 16384 131072" net.ipv4.tcp_congestion_control=reno ||
      cannot "TCP's settings cannot be changed"
  done
fi

# shape PORT RATE BURST, after what runs tc there. Packets of less than 256 bytes, such as TCP's acknowledgements, go first on
# the links of --links: otherwise data the other way would slow down what they acknowledge.
shape() {
  if [ -z "$links" ]; then
    "${@:4}" tc qdisc add dev "$1" root tbf rate "$2" burst 64kb latency 100ms
    return
  fi
  "${@:4}" tc -batch - <<END || cannot "links cannot be shaped by htb with u32"
qdisc add dev $1 root handle 1: htb default 3
class add dev $1 parent 1: classid 1:1 htb rate $2 burst $3 quantum 9100
class add dev $1 parent 1:1 classid 1:2 htb rate 8kbit ceil $2 cburst $3 quantum 9100 prio 0
class add dev $1 parent 1:1 classid 1:3 htb rate 8kbit ceil $2 cburst $3 quantum 9100 prio 1
filter add dev $1 parent 1: protocol ip u32 match u16 0 0xff00 at 2 classid 1:2
END
}

# connect END NAME END NAME [RATE BURST]: a link, and what its ports are called at both ends. An end is a node or a bridge.
connect() {
  ip link add one mtu "$mtu" type veth peer name other mtu "$mtu"
  attach one "$1" "$2" "${@:5}"
  attach other "$3" "$4" "${@:5}"
}
attach() {
  local here=()
  if [[ $2 =~ ^[0-9]+$ ]]; then
    ip link set "$1" netns "${pids[$2]}" name "$3"
    here=(in_node "$2")
  else
    ip link show "$2" >/dev/null 2>&1 || ip link add "$2" up type bridge
    ip link set "$1" name "$3" master "$2"
  fi
  "${here[@]}" ip link set "$3" up
  if [ -n "${4:-}" ]; then shape "$3" "$4" "$5" "${here[@]}"; fi
}

for ((node = 0; node < nodes; ++node)); do
  connect "$node" control control "control$node"
  in_node "$node" ip address add "10.0.0.$((node + 1))/24" dev control
done
while read -r kind from to rate burst; do
  case $kind in
    port)
      connect "$from" data "switch.$to" "data$from" "$rate" "$burst"
      in_node "$from" ip address add "10.0.1.$((from + 1))/24" dev data
      ;;
    trunk) connect "switch.$from" "$from-$to" "switch.$to" "$to-$from" "$rate" "$burst" ;;
    pair)
      connect "$from" "to$to" "$to" "to$from" "$rate" "$burst"
      in_node "$from" ip address add "10.0.1.$((from + 1))" peer "10.0.1.$((to + 1))" dev "to$to"
      in_node "$to" ip address add "10.0.1.$((to + 1))" peer "10.0.1.$((from + 1))" dev "to$from"
      ;;
  esac
done <<<"$network"

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
# The nodes share this machine's cores, so that MPI must not poll without yielding; it sees too few ranks a node to know.
export OMPI_MCA_mpi_yield_when_idle=1
export OMPI_MCA_oob_tcp_if_include=control OMPI_MCA_btl_tcp_if_include=data UCX_NET_DEVICES=data
export OMPI_MCA_orte_tmpdir_base=/dev/shm
status=0
"${enter[@]}" --target "${pids[0]}" "$(dirname "$0")/mpirun.sh" "${launcher[@]}" --host "$hosts" -n "$ranks" "$@" || status=$?
exit "$status"
