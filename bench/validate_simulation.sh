#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Compares simulated exchanges with real ones: hosts are network namespaces of this machine, each behind a link of
# limited bandwidth, and their ranks exchange halos by mpi_staged over TCP.
#   bench/validate_simulation.sh HALOCLINE OUT [CASE...]
# OUT gets cases.csv and, for each case, the machine map and both documents. Without CASE, all of the table below run.
# Needs root, iproute2, util-linux, Open MPI and python3. Links are slow on purpose, so that they are the bottleneck and
# not the cores.
set -euo pipefail
export LC_ALL=C OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 HALOCLINE_BACKEND=host

# name hosts ranks-a-host link-MB/s hosts-a-switch uplink-MB/s size radius fields
# Hosts a switch 0: one switch for all, which is never the bottleneck.
cases="
two         2 1 10  0  0   192,192,192  3  4xf32
two-fast    2 1 20  0  0   192,192,192  3  4xf32
two-ranks   2 2 10  0  0   192,192,192  3  4xf32
three       3 1 10  0  0   192,192,192  3  4xf32
four        4 1 10  0  0   192,192,192  3  4xf32
four-slow   4 1 5   0  0   160,160,160  2  2xf64
four-long   4 1 10  0  0   512,192,192  3  4xf32
four-ranks  4 2 10  0  0   192,192,192  2  4xf32
tree        4 1 10  2  10  192,192,192  3  4xf32
tree-thin   4 1 10  2  5   192,192,192  3  4xf32
tree-long   4 1 10  2  5   512,192,192  3  4xf32
tree-six    6 1 10  3  10  192,192,192  2  4xf32
"
repeat=${REPEAT:-7}
whole=$((64 << 20))
prefix=hcv$$

fail() {
  echo "validate_simulation: $*" >&2
  exit 1
}

[ $# -ge 2 ] || fail "usage: $0 HALOCLINE OUT [CASE...]"
halocline=$(realpath "$1")
out=$(realpath -m "$2")
shift 2
[ "$(id -u)" -eq 0 ] || fail "network namespaces need root"
for tool in ip tc mpirun unshare python3; do command -v $tool >/dev/null || fail "$tool is missing"; done
mkdir -p "$out"

# --- a network of namespaces --------------------------------------------------------------------------------------

# The queue is long, so that no packet is dropped: senders then share a link by their windows.
limit() { ip netns exec "$1" tc qdisc add dev "$2" root tbf rate "$(($3 * 8))mbit" burst 256kb latency 4000ms; }

# connect SPACE DEVICE OTHER-SPACE OTHER-DEVICE MB/S: a cable with the same rate both ways; 0 for no limit.
connect() {
  ip link add "$2" netns "$1" type veth peer name "$4" netns "$3"
  ip -n "$1" link set "$2" up
  ip -n "$3" link set "$4" up
  if [ "$5" -gt 0 ]; then
    limit "$1" "$2" "$5"
    limit "$3" "$4" "$5"
  fi
}

add_switch() {
  ip -n "$prefix" link add "$1" type bridge
  ip -n "$prefix" link set "$1" up
}

make_network() { # hosts link-MB/s hosts-a-switch uplink-MB/s
  local host switch
  ip netns add "$prefix"
  add_switch core
  for ((host = 0; host < $1; host++)); do
    switch=core
    if [ "$3" -gt 0 ]; then
      switch=leaf$((host / $3))
      if [ $((host % $3)) -eq 0 ]; then
        add_switch "$switch"
        connect "$prefix" "up$((host / $3))" "$prefix" "down$((host / $3))" "$4"
        ip -n "$prefix" link set "up$((host / $3))" master "$switch"
        ip -n "$prefix" link set "down$((host / $3))" master core
      fi
    fi
    ip netns add "$prefix-$host"
    ip -n "$prefix-$host" link set lo up
    connect "$prefix-$host" eth0 "$prefix" "port$host" "$2"
    ip -n "$prefix" link set "port$host" master "$switch"
    ip -n "$prefix-$host" addr add "10.77.0.$((host + 1))/24" dev eth0
  done
}

remove_network() {
  local space
  for space in $(ip netns list | awk -v p="$prefix" '$1 == p || index($1, p "-") == 1 { print $1 }'); do
    ip netns delete "$space"
  done
}
trap remove_network EXIT

# Open MPI starts its daemons with this instead of ssh: HOST COMMAND...
write_agent() {
  cat >"$out/agent.sh" <<END
#!/bin/sh
host=\$((\${1##*.} - 1)); shift
exec ip netns exec $prefix-\$host unshare --uts sh -c "hostname hc\$host; \$*"
END
  chmod +x "$out/agent.sh"
}

# on_hosts HOSTS RANKS-A-HOST PROGRAM...
# Messages are passed to the kernel as a whole: in pieces, links would be idle whenever the ranks wait for a core.
on_hosts() {
  local hosts=$1 ranks=$2 list="" host
  shift 2
  for ((host = 1; host <= hosts; host++)); do list+="${list:+,}10.77.0.$host:$ranks"; done
  ip netns exec "$prefix-0" unshare --uts sh -c 'hostname hc0; exec "$@"' sh \
    mpirun --mca plm_rsh_agent "$out/agent.sh" --mca plm_rsh_no_tree_spawn 1 --mca btl tcp,vader,self \
    --mca btl_vader_single_copy_mechanism none --mca pml ob1 --mca btl_tcp_if_include eth0 --mca oob_tcp_if_include eth0 \
    --mca btl_tcp_eager_limit $whole --mca btl_tcp_rndv_eager_limit $whole --mca btl_tcp_max_send_size $whole \
    --mca mpi_yield_when_idle 1 --mca plm_base_verbose 0 \
    --bind-to none --oversubscribe --host "$list" -n $((hosts * ranks)) "$@"
}

# --- the cases ----------------------------------------------------------------------------------------------------

run_case() { # the words of a line of the table
  local name=$1 hosts=$2 ranks=$3 rate=$4 flags
  flags=(--size "$7" --radius "$8" --fields "$9" --transports mpi_staged --place trivial)
  echo "$name: $hosts hosts x $ranks ranks, $rate MB/s, $7"
  make_network "$hosts" "$rate" "$5" "$6"
  on_hosts "$hosts" "$ranks" "$halocline" machine --json >"$out/$name.map.json"
  python3 "$(dirname "$0")/validate_simulation.py" map "$out/$name.map.json" "$rate" "$5" "$6"
  on_hosts "$hosts" "$ranks" "$halocline" exchange "${flags[@]}" --repeat "$repeat" --steady 0 --json >"$out/$name.real.json"
  remove_network
  "$halocline" simulate --machine "$out/$name.map.json" "${flags[@]}" --json >"$out/$name.simulated.json"
}

write_agent
known=()
while read -ra words; do
  [ ${#words[@]} -gt 0 ] || continue
  name=${words[0]}
  if [ $# -gt 0 ] && [[ " $* " != *" $name "* ]]; then continue; fi
  known+=("$name")
  # mpirun reads standard input, which is the table here.
  run_case "${words[@]}" </dev/null
done <<<"$cases"
[ ${#known[@]} -gt 0 ] || fail "none of the cases is '$*'; allowed are: $(awk 'NF { printf "%s ", $1 }' <<<"$cases")"
rm -f "$out/agent.sh"
python3 "$(dirname "$0")/validate_simulation.py" table "$out" "${known[@]}"
