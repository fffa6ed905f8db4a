#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Plants causes of slow paths between two ranks of one device each, and tells whether the warning names them:
#   planted.sh HALOCLINE OUTDIR
# For GPUs, in about 3 minutes; with HALOCLINE_BACKEND=host for host devices, where some causes do not exist. A line for each cause: how
# it is planted, the warning, and whether the same job without it is silent. OUTDIR gets planted.txt, and the output of each job. The
# exit code is 1 if a cause is not found or a healthy job warns. Needs setpriv, taskset and python3; of Open MPI's environment the rank.
set -euo pipefail
program=$(realpath "$1") folder=$2
mpirun=$(dirname "$0")/../../scripts/mpirun.sh
mkdir -p "$folder"
export HALOCLINE_SLOW_PATHS=1
rank=OMPI_COMM_WORLD_LOCAL_RANK
hogs=() problems=0
trap 'kill "${hogs[@]}" 2>/dev/null || true' EXIT
if "$program" exchange --size 16 --repeat 1 --steady 0 | grep -q 'on host devices'; then
  kind=host
  export HALOCLINE_BACKEND=host
else
  kind=cuda
fi

# exchange WRAPPER ARGUMENTS...: by two ranks, each behind the words of WRAPPER, in which a shell finds its rank.
exchange() {
  local wrapper=$1
  shift
  timeout 120 "$mpirun" -n 2 bash -c "exec $wrapper \"\$@\"" _ "$program" exchange --devices-per-rank 1 --repeat 2 --steady 62 "$@"
}

line() { printf '%s\n' "$*" | tee -a "$folder/planted.txt"; }
warning_of() { sed -n 's/.*warning: \(slow path: .*\)/\1/p' "$1"; }

# judge NAME HOW WORDS [NEEDED]: of what the jobs NAME-planted and NAME-healthy have printed. WORDS: a pattern of the cause. NEEDED: words
# of set-up without which the cause was not there.
judge() {
  local name=$1 how=$2 words=$3 needed=${4:-} text named=no healthy=silent
  if ! grep -q "$needed" "$folder/$name-planted.txt"; then
    line "$name | not planted by: $how"
    return
  fi
  text=$(warning_of "$folder/$name-planted.txt")
  [[ ${text#*likely cause: } =~ $words ]] && named=yes
  [ -n "$(warning_of "$folder/$name-healthy.txt")" ] && healthy="warns: $(warning_of "$folder/$name-healthy.txt")"
  if grep -q '^exit code' "$folder/$name"-*.txt; then healthy="$healthy; a job failed"; fi
  line "$name | $how | warned: $([ -n "$text" ] && echo yes || echo no) | this cause named: $named | without it: $healthy | ${text:-}"
  if [ "$named" = no ] || [ "$healthy" != silent ]; then problems=$((problems + 1)); fi
}

# job NAME COMMAND...: with its output in a file.
job() {
  local file=$folder/$1.txt
  shift
  "$@" >"$file" 2>&1 || echo "exit code $?" >>"$file"
}

: >"$folder/planted.txt"
line "cause | how it was planted | warning | its cause | the same job without it | text"
faces=(--size 256 --radius 3 --fields 8xf32)  # 12.6 MB from each device to the other
# An MPI that takes device pointers moves them about as fast as GPUs store them.
unmapped=("${faces[@]}" --transports "self,direct,mpi_staged")

if [ $kind = cuda ] && [ "$(id -u)" = 0 ]; then
  # Each rank lacks a capability that the other one has, so that neither may look into the other; nor may MPI.
  export HALOCLINE_DEVICE_MEMORY=fd OMPI_MCA_btl_vader_single_copy_mechanism=none
  job mapping-planted exchange \
    "setpriv --inh-caps=-sys_ptrace --bounding-set=-sys_ptrace,-\$([ \$$rank = 0 ] && echo kill || echo sys_nice)" "${unmapped[@]}"
  job mapping-healthy exchange "" "${unmapped[@]}"
  judge mapping "file descriptors of memory refused: each rank lacks a capability of the other" \
    'instead of direct: direct not possible \(no mapping: .*not permitted' 'cannot map'
  unset HALOCLINE_DEVICE_MEMORY OMPI_MCA_btl_vader_single_copy_mechanism
  if unshare --pid --fork --mount-proc true 2>/dev/null; then
    export OMPI_MCA_btl=self,tcp  # Open MPI's shared memory does not work there
    job ipc-planted exchange "unshare --pid --fork --mount-proc" "${faces[@]}"
    job ipc-healthy exchange "" "${faces[@]}"
    judge ipc "a PID namespace for each rank, as containers have" 'instead of direct: direct not possible \(no mapping: ' 'cannot map'
    unset OMPI_MCA_btl
  else
    line "ipc | not planted: no PID namespaces here"
  fi
else
  line "mapping, ipc | not planted: needs root, and GPUs; MPI moves the memory of host devices not much slower than they do"
fi

if [ $kind = cuda ]; then
  job masked-planted exchange "env CUDA_VISIBLE_DEVICES=\$$rank" "${faces[@]}"
  job masked-healthy exchange "" "${faces[@]}"
  judge masked "CUDA_VISIBLE_DEVICES is the rank" \
    'instead of direct: .*does not see that GPU \(CUDA_VISIBLE_DEVICES=' 'cannot map'

  job mpi-planted exchange "" "${faces[@]}" --transports self,mpi_device,mpi_staged
  job mpi-healthy exchange "" "${faces[@]}" --transports self,mpi_staged
  judge mpi "mpi_device first, of an MPI that takes no device pointers; without it: mpi_staged alone" \
    'mpi_staged instead of mpi_device: .*MPI does not take device pointers' '^mpi_staged'
else
  line "masked, mpi | not planted: host devices have neither"
fi

core=$(taskset -cp $$ | sed 's/.*[-,: ]//')
staged=(--size 192 --radius 3 --fields 4xf32 --transports "self,mpi_staged")
for ((hog = 0; hog < 3; ++hog)); do
  taskset -c "$core" bash -c 'while :; do :; done' &
  hogs+=($!)
done
if [ $kind = host ]; then staged=(--size 256 --radius 3 --fields 8xf32); fi  # 20 ms for each device of the core are no slow path
job cores-planted exchange "taskset -c $core" "${staged[@]}"
kill "${hogs[@]}"
wait "${hogs[@]}" 2>/dev/null || true
hogs=()
job cores-healthy exchange "" "${staged[@]}"
judge cores "both ranks on one core, with 3 busy processes" '^shared cores: '

# No link can be capped here: the map has links, and measured rates, 16 times as fast instead.
faster() {
  python3 - "$1" "$2" <<'SCALE'
import json, sys

def scale(value):
    if isinstance(value, dict):
        return {key: 16 * part if key == "bandwidth" else scale(part) for key, part in value.items()}
    return [scale(part) for part in value] if isinstance(value, list) else value

document = json.load(open(sys.argv[1]))
json.dump(scale(document), open(sys.argv[2], "w"))
SCALE
}
large=(--size 512 --radius 3 --fields 8xf32)
if [ $kind = host ]; then large=("${faces[@]}"); fi
for map in link link-measured; do
  options=(--devices-per-rank 1 --json)
  if [ $map = link-measured ]; then options+=(--measure --measure-seconds 20); fi
  "$mpirun" -n 2 "$program" machine "${options[@]}" >"$folder/$map.json" 2>"$folder/$map.log"
  faster "$folder/$map.json" "$folder/$map-faster.json"
  job $map-planted exchange "" "${large[@]}" --machine "$folder/$map-faster.json"
  job $map-healthy exchange "" "${large[@]}" --machine "$folder/$map.json"
  judge $map "a machine map whose rates are 16 times as high" '^the link between devices'
done

nodes=$(find /sys/devices/system/node -maxdepth 1 -name 'node[0-9]*' | wc -l)
line "numa | not planted: this machine has $nodes NUMA node(s); the ranks would have to be bound to another one than their devices'"
line "pageable | not planted: it is no cause, as arrays of GPUs in pageable memory are refused"
line "$problems problem(s)"
[ "$problems" = 0 ]
