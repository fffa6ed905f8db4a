#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Everything that needs GPUs, in one run: builds, tests, checks memory, and measures.
#   bench/gpu_check.sh OUTDIR [STAGE[:SECONDS]...]
# Stages, in this order if none is named: build tests verify sanitizer lost machine ceilings pack exchange candidates
# studies baselines jacobi failures faults. A stage that fails or exceeds its time does not stop the next ones. All together take at most
# GPU_CHECK_SECONDS (540). OUTDIR gets results.tar.gz (a log for each stage, CSV files), summary.txt, which is also printed,
# and after the stage tests gpu_record.json, to be committed as bench/results/gpu_record.json (scripts/gpu_record.cmake).
# Timed runs are verified before and after: a wrong cell is a failed step.
# The build goes to GPU_CHECK_BUILD (/tmp/build-gpu). Missing packages may be in .gpu-deps of the checkout: Debian packages
# of headers and libraries, openmpi-cuda.tgz (a CUDA-aware Open MPI for /opt/ompi-cuda), and
# nccl/{include,lib} and nvshmem/{include,lib}.
# GPU_CHECK_TARGETS (all) are the targets to build, e.g. "bench_ceilings bench_baseline_nccl".
# Sizes: GPU_CHECK_BLOCKS (512,256,128,64 cells a GPU, largest first), GPU_CHECK_EDGE (750, of weak and strong scaling).
set -uo pipefail
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")
build=${GPU_CHECK_BUILD:-/tmp/build-gpu}
blocks=${GPU_CHECK_BLOCKS:-512,256,128,64}
largest=${blocks%%,*}
smallest=${blocks##*,}
edge=${GPU_CHECK_EDGE:-750}
all_stages=(build tests verify sanitizer lost machine ceilings pack exchange candidates studies baselines jacobi failures faults)
declare -A limit=(
  [build]=200 [tests]=500 [verify]=200 [sanitizer]=60 [lost]=120 [machine]=60 [ceilings]=60 [pack]=30 [exchange]=300 [candidates]=70
  [studies]=200 [baselines]=180 [jacobi]=60 [failures]=420 [faults]=260
)

# --- what all stages share ----------------------------------------------------------------------------------------

# library_root <name>: the folder of a library of NVIDIA's, in .gpu-deps or in a Python wheel; empty if there is none.
library_root() {
  if [ -d "$root/.gpu-deps/$1" ]; then
    echo "$root/.gpu-deps/$1"
  else
    python3 -c "import nvidia.$1; print(list(nvidia.$1.__path__)[0])" 2>/dev/null
  fi
}

# Packages and archives are unpacked once, for all stages.
environment() {
  local deps=$root/.gpu-deps prefix=/tmp/gpu-deps first
  if compgen -G "$deps/*.deb" >/dev/null && [ ! -e "$prefix/.done" ]; then
    mkdir -p "$prefix"
    for package in "$deps"/*.deb; do dpkg -x "$package" "$prefix"; done
    # Their pkg-config and CMake files name /usr.
    sed -i "s|^prefix=/usr|prefix=$prefix/usr|" "$prefix"/usr/lib/x86_64-linux-gnu/pkgconfig/*.pc
    touch "$prefix/.done"
  fi
  if [ -f "$deps/openmpi-cuda.tgz" ] && [ ! -d /opt/ompi-cuda ]; then
    first=$(tar tzf "$deps/openmpi-cuda.tgz" | sed 's|^\./||' | grep -m1 .)
    case $first in
      opt/*) tar xzf "$deps/openmpi-cuda.tgz" -C / ;;
      *) tar xzf "$deps/openmpi-cuda.tgz" -C /opt ;;
    esac
  fi
  local libraries=$prefix/usr/lib/x86_64-linux-gnu
  if [ -d "$prefix/usr" ]; then
    export CMAKE_PREFIX_PATH=$prefix/usr${CMAKE_PREFIX_PATH:+:$CMAKE_PREFIX_PATH}
    export PKG_CONFIG_PATH=$libraries/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
    export LD_LIBRARY_PATH=$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  fi
  if [ -d /opt/ompi-cuda/bin ]; then
    export OPAL_PREFIX=/opt/ompi-cuda PATH=/opt/ompi-cuda/bin:$PATH
    export LD_LIBRARY_PATH=/opt/ompi-cuda/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  fi
  export NCCL_ROOT=${NCCL_ROOT:-$(library_root nccl)}
  [ -d "$NCCL_ROOT/lib" ] && export LD_LIBRARY_PATH=$NCCL_ROOT/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  export NVSHMEM_ROOT=${NVSHMEM_ROOT:-$(library_root nvshmem)}
  [ -n "$NVSHMEM_ROOT" ] && export LD_LIBRARY_PATH=$NVSHMEM_ROOT/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  export PATH=/usr/local/cuda/bin:$PATH
  export NCCL_NVLS_ENABLE=0 NVSHMEM_DISABLE_NVLS=1  # NVLink multicast stays off
  export NVSHMEM_REMOTE_TRANSPORT=${NVSHMEM_REMOTE_TRANSPORT:-none}  # one node: no network is looked for
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 HALOCLINE_TIMEOUT=${HALOCLINE_TIMEOUT:-60}
  gpus=$(nvidia-smi -L 2>/dev/null | grep -c '^GPU')
}

say() { printf '\n== %s\n' "$*" >&2; }
# Runs a command with a time limit; prints the command and its result. Counts failures in $failures.
failures=0
step() {
  local seconds=$1 status
  shift
  say "$*"
  # In the foreground, so that the time limit of a stage also ends its steps.
  timeout --foreground -k 5 "$seconds" "$@"
  status=$?
  if [ "$status" -ne 0 ]; then
    failures=$((failures + 1))
    say "FAILED ($status): $*"
  fi
}
ranks() { echo mpirun --oversubscribe --bind-to none -n "$1"; }
# The numbers of ranks that can share the GPUs evenly: 1 2 4 for four.
rank_counts() { local n; for ((n = 1; n <= gpus; n *= 2)); do echo "$n"; done; }
# The grid without a cut in x: 1x2x2 for four.
grid() {
  case $1 in 1) echo 1 1 1 ;; 2) echo 1 1 2 ;; 4) echo 1 2 2 ;; 8) echo 1 2 4 ;; *) echo 1 1 "$1" ;; esac
}
# The size of a domain with a cube of E cells on each of N GPUs.
domain_of() { local n=$1 e=$2 x y z; read -r x y z < <(grid "$n"); echo $((x * e)) $((y * e)) $((z * e)); }

# --- stages: each returns the number of failed steps ------------------------------------------------------------------

stage_build() {
  local mpi=()
  [ -x /opt/ompi-cuda/bin/mpicxx ] && mpi=(-DMPI_CXX_COMPILER=/opt/ompi-cuda/bin/mpicxx
                                           -DMPIEXEC_EXECUTABLE=/opt/ompi-cuda/bin/mpiexec)
  step 60 cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DHALOCLINE_CUDA=ON \
    -DCMAKE_CUDA_ARCHITECTURES=90 "${mpi[@]}"
  step 600 cmake --build "$build" --parallel "$(nproc)" ${GPU_CHECK_TARGETS:+--target $GPU_CHECK_TARGETS}
  nvidia-smi --query-gpu=index,name,uuid,driver_version,memory.used,clocks.sm,clocks.mem --format=csv
  nvidia-smi topo -m
}

# The test programs of label gpu, and the record of them; the stage's own limit is the only one. About 400 s with two GPUs.
stage_tests() {
  RUN_TESTS_TABLE=$work/gpu-cases.txt step 600 "$root/scripts/run_tests.sh" "$build" -L '^gpu$' --timeout 150
  write_record
}

# Exchanges that are checked cell by cell: every transport on a small domain, the default ones at the sizes that are timed.
stage_verify() {
  local halocline=$build/bin/halocline n transports block
  say "machine"
  step 30 "$halocline" machine
  for transports in all -direct mpi_staged net; do
    local allow=()
    [ "$transports" != all ] && allow=("--transports=$transports")
    for n in $(rank_counts) $((2 * gpus)); do
      # Processes that share a GPU have no net.
      [ "$transports" = net ] && [ "$n" -gt "$gpus" ] && continue
      step 30 $(ranks "$n") "$halocline" exchange --size 96 80 72 --radius 3 --fields 3xf32,1xf64 --repeat 5 \
        --steady 50 --verify "${allow[@]}"
    done
  done
  # Cut in z (rows), and in x (packed pieces), at the sizes that are timed.
  for n in $(rank_counts); do
    for block in "$largest" $((largest / 2)) "$smallest"; do
      step 60 $(ranks "$n") "$halocline" exchange --size $(domain_of "$gpus" "$block") --radius 3 --fields 4xf32 \
        --repeat 5 --steady 20 --verify
      step 60 $(ranks "$n") "$halocline" exchange --size $((gpus * block)) "$block" "$block" --radius 3 --fields 4xf32 \
        --device-grid "$gpus" 1 1 --repeat 5 --steady 40 --graph 20 --verify
    done
    step 30 $(ranks "$n") "$halocline" run jacobi3d --size 96 80 72 --steps 30 --check --progress off
  done
}

# The record of what ran here, and of which sources, to be committed: bench/results/gpu_record.json.
write_record() {
  local commit names=$work/gpu-skipped.txt passed failed skipped
  # GPU_CHECK_COMMIT: the commit, for sources that were copied without their repository.
  commit=${GPU_CHECK_COMMIT:-$(git -C "$root" rev-parse HEAD 2>/dev/null || echo unknown)}
  if [ -z "${GPU_CHECK_COMMIT:-}" ] && [ -n "$(git -C "$root" status --porcelain -- src include tests/gpu 2>/dev/null)" ]; then
    commit+=" and changes"
  fi
  awk -f "$root/scripts/count_tests.awk" "$build/Testing/Temporary/LastTest.log" 2>&1 >/dev/null |
    sed -n 's/^skipped: //p' >"$names"
  read -r passed failed skipped _ <"$work/gpu-cases.txt" || return
  step 20 cmake -DMODE=write "-DCOMMIT=$commit" "-DDATE=$(date -u +%Y-%m-%d)" \
    "-DGPUS=$gpus x $(nvidia-smi --query-gpu=name --format=csv,noheader | head -1)" \
    "-DCOUNTS=$passed $failed $skipped" "-DSKIPPED=$names" "-DRECORD=$work/gpu_record.json" \
    -P "$root/scripts/gpu_record.cmake"
}

stage_sanitizer() {
  local halocline=$build/bin/halocline tool
  # Errors that calls return are handled by the caller, or come from an MPI that asks CUDA for the kind of memory.
  local check=(compute-sanitizer --target-processes all --report-api-errors no --error-exitcode 9)
  for tool in memcheck initcheck; do
    step 60 "${check[@]}" --tool $tool "$halocline" exchange --size 40 36 32 --radius 2 --fields 2xf32 --repeat 1 \
      --warm-up 0 --steady 2 --verify
    # initcheck does not see writes of another process to GPU memory that both use.
    if [ "$tool" = memcheck ] || [ "$gpus" -gt 1 ]; then
      step 60 $(ranks 2) "${check[@]}" --tool $tool "$halocline" exchange --size 40 36 32 --radius 2 --fields 2xf32 \
        --repeat 1 --warm-up 0 --steady 2 --verify
    fi
    if [ "$gpus" -gt 1 ]; then
      step 60 $(ranks 2) "${check[@]}" --tool $tool "$halocline" exchange --size 40 36 32 --radius 2 --fields 2xf32,1xf64 \
        --repeat 1 --warm-up 0 --steady 2 --verify --transports=net
    fi
    step 60 "${check[@]}" --tool $tool "$halocline" exchange --size 40 36 32 --radius 2 --fields 2xf32,1xf64 --repeat 1 \
      --warm-up 0 --steady 2 --accumulate
    step 60 "${check[@]}" --tool $tool "$halocline" run jacobi3d --size 40 36 32 --steps 3 --check --progress off
  done
}

# A rank that stops, is killed, or leaves in the middle of an exchange among 4 ranks that share the GPUs.
stage_lost() {
  local transport transports=(ipc_copy mpi_staged) fate
  if [ "$gpus" -ge 4 ]; then transports+=(direct net); fi  # not between processes that share a GPU
  for transport in "${transports[@]}"; do
    for fate in stopped killed left; do
      step 40 env HALOCLINE_BACKEND=cuda HALOCLINE_TRANSPORTS="$transport" LOST_RANK_SECONDS=6 "$root/tests/mpi/lost_rank/lost_rank.sh" mpirun \
        "--oversubscribe;--bind-to;none" "$build/bin/lost_rank" "$transport" "$fate"
    done
  done
}

# With two GPUs, a rank each: ranks that hang, and what a postmortem names; ranks that are lost; the same exchange many times.
stage_failures() {
  local open_mpi="--oversubscribe;--bind-to;none" what
  step 220 env HALOCLINE_BACKEND=cuda PLANTED_TIME_TO_HANG=3 PLANTED_DEADLINE=5 python3 "$root/tests/mpi/planted_hangs/planted.py" \
    "$(command -v mpirun)" "$build/bin/planted_hang" "$build/bin/halocline" "--flags=$open_mpi" --cases 20 --ranks 2
  step 200 python3 "$root/tests/reliability/losses/losses.py" "$build" --backend cuda --runs 30 --jobs 2 --seconds 6
  step 60 env CUDA_VISIBLE_DEVICES=0 "$build/bin/soak" exchanges --backend cuda --runs 60000
  for what in "exchanges --runs 30000" "domains --runs 256" "replays --runs 5000"; do
    # shellcheck disable=SC2086
    step 60 $(ranks 2) "$build/bin/soak" $what --backend cuda
  done
}

# Calls that fail; the ledger with these runs is ledger.json of the results.
stage_faults() {
  cp "$root/tests/reliability/ledger.json" "$work/ledger.json"
  step 240 python3 "$root/tests/reliability/run.py" "$build" --only fault_cuda --only fault_cuda_mpi --minutes 3 --jobs "$(nproc)" --keep-going \
    --commit "${GPU_CHECK_COMMIT:-$(git -C "$root" rev-parse --short=10 HEAD)}" --ledger "$work/ledger.json" --page "$work/reliability.md"
}

stage_machine() {
  local halocline=$build/bin/halocline
  step 50 $(ranks "$gpus") "$halocline" machine --measure --json >"$work/machine.json"
  step 10 "$halocline" plot "$work/machine.json" --output "$work/machine.svg"
}

# The default use: all methods, one exchange after a barrier, and 1000 back to back, one by one and 20 in a graph.
stage_exchange() {
  local halocline=$build/bin/halocline n block graph
  for block in ${blocks//,/ }; do
    for n in $(rank_counts); do
      for graph in 0 20; do
        step 40 $(ranks "$n") "$halocline" exchange --size $(domain_of "$gpus" "$block") --radius 3 --fields 4xf32 \
          --graph $graph --verify --json >"$work/exchange-$block-${n}r-graph$graph.json"
      done
      step 40 $(ranks "$n") "$halocline" exchange --size $(domain_of "$gpus" "$block") --radius 3 --fields 4xf32 \
        --graph 20 --accumulate --json >"$work/exchange-$block-${n}r-accumulate.json"
    done
  done
  for budget in 16 32; do
    step 40 $(ranks "$gpus") "$halocline" exchange --size $(domain_of "$gpus" "$largest") --radius 3 --fields 4xf32 \
      --graph 20 --sm-budget $budget --verify --json >"$work/exchange-$largest-${gpus}r-budget$budget.json"
  done
  # Faces in z only: slabs.
  for block in 512 256; do
    step 40 $(ranks "$gpus") "$halocline" exchange --size $block --radius 0 0 1 --no-edges --no-corners --fields 1xf32 \
      --device-grid 1 1 "$gpus" --graph 20 --verify --json >"$work/exchange-slabs$block-${gpus}r-graph20.json"
  done
}

# The time of each grid, compared with the prediction from the rates of the stage machine.
stage_candidates() {
  local halocline=$build/bin/halocline edge grid grids case
  for edge in $((largest * 5 / 4)) $((largest / 2)); do
    case=(--size "$edge" --radius 3 --fields 4xf32)
    step 10 "$halocline" partition --explain --json --machine "$work/machine.json" "${case[@]}" \
      >"$work/candidates-$edge.json"
    mapfile -t grids < <(python3 -c 'import json, sys
for one in json.load(open(sys.argv[1]))["candidates"]: print(*one["device_grid"])' "$work/candidates-$edge.json")
    for grid in "${grids[@]}"; do
      step 20 $(ranks "$gpus") "$halocline" exchange "${case[@]}" --device-grid $grid --json \
        >"$work/candidate-$edge-${grid// /x}.json"
    done
  done
}

stage_ceilings() { step 60 $(ranks "$gpus") "$build/bin/bench_ceilings" --out "$work/ceilings.csv"; }

stage_pack() { step 60 "$build/bin/bench_pack" --out "$work/pack.csv" --block "$blocks" \
  --devices $((gpus > 1 ? 2 : 1)); }

stage_studies() {
  local study=$build/bin/bench_study n base short=(--rounds 3 --seconds 0.05) papers=()
  [ "$edge" = 750 ] || papers=(--size "$((2 * edge))x${edge}x$edge")
  for n in $(rank_counts); do
    # The CUDA-aware base line, in which each message between GPUs is one between ranks.
    [ "$n" = "$gpus" ] && base=auto || base=staged
    step 100 $(ranks "$n") "$study" specialisation --out "$work" --base $base --block "$blocks" --seconds 0.05
  done
  # One rank for each GPU, fewer GPUs: the points of the curves.
  for n in $(rank_counts); do
    step 30 $(ranks "$n") "$study" weak --out "$work" --devices-per-rank 1 --edge "$edge" \
      --block "$largest,$smallest" --config +remote,+self,+direct "${short[@]}"
    step 30 $(ranks "$n") "$study" strong --out "$work" --devices-per-rank 1 --edge "$edge" \
      --config +remote,+self,+direct "${short[@]}"
  done
  step 30 $(ranks "$gpus") "$study" placement --out "$work" --config +self,+direct "${papers[@]}" "${short[@]}"
}

# The same exchange by hand, with one rank for each GPU on its own core: without --oversubscribe Open MPI does not
# yield.
stage_baselines() {
  local alone=(mpirun --bind-to none -n "$gpus") name program grids
  case $gpus in
    4) grids=1x2x2,2x2x1 ;;
    8) grids=1x2x4,2x2x2 ;;
    *) grids=1x1x$gpus,${gpus}x1x1 ;;
  esac
  # Graphs and single exchanges never overlap here, so NCCL need not order them.
  local mixing=NCCL_GRAPH_MIXING_SUPPORT=0
  local channels=(NCCL_MIN_NCHANNELS=32 NCCL_MAX_NCHANNELS=32 NCCL_MIN_P2P_NCHANNELS=32 NCCL_MAX_P2P_NCHANNELS=32)
  local case=(--out "$work" --block "$blocks" --grid "$grids" --seconds 0.06) shared=()
  # Shared memory with CUDA IPC, or nothing.
  ompi_info 2>/dev/null | grep -q 'btl: smcuda' && shared=(--mca pml ob1 --mca btl self,smcuda)
  export NVSHMEM_SYMMETRIC_SIZE=6G
  for name in halocline mpi nccl nvshmem ipc; do
    program=$build/bin/bench_baseline_$name
    if [ ! -x "$program" ]; then
      say "no bench_baseline_$name: its library was not found when it was built"
      continue
    fi
    case $name in
      # Exit code 3: this MPI does not take device pointers, which is not a failure.
      mpi) step 60 bash -c '"$@" || [ $? -eq 3 ]' - "${alone[@]}" "${shared[@]}" "$program" "${case[@]}" ;;
      nccl)
        step 60 env NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT "${alone[@]}" "$program" "${case[@]}"
        step 60 env $mixing "${alone[@]}" "$program" "${case[@]}" --suffix ", no mixing"
        step 60 env $mixing "${channels[@]}" NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT "${alone[@]}" "$program" \
          "${case[@]}" --suffix ", 32 channels, no mixing"
        ;;
      *) step 60 "${alone[@]}" "$program" "${case[@]}" ;;
    esac
  done
}

stage_jacobi() {
  local run=("$build/bin/halocline" run jacobi3d --progress off --json --steps 1000) how n steps
  for steps in 1 2 4; do
    step 30 $(ranks "$gpus") "${run[@]}" --size $(domain_of "$gpus" "$smallest") --no-overlap --graph \
      --steps-per-exchange $steps >"$work/jacobi-${gpus}r-${gpus}g-$smallest-halos$steps.json"
  done
  for how in overlap no-overlap no-overlap-graph await-halos await-halos-graph; do
    # One GPU: one read and one write of each cell, to be compared with the copy bandwidth.
    step 30 "${run[@]}" --size $(domain_of 1 "$largest") --devices 1 --${how/-graph/ --graph} \
      >"$work/jacobi-1r-1g-$how.json"
    for n in $(rank_counts); do
      step 30 $(ranks "$n") "${run[@]}" --size $(domain_of "$gpus" "$largest") --${how/-graph/ --graph} \
        >"$work/jacobi-${n}r-${gpus}g-$how.json"
    done
  done
}

# --- the run --------------------------------------------------------------------------------------------------------

if [ "${1:-}" = --stage ]; then
  name=$2
  environment
  if [ "$gpus" -eq 0 ] && [ "$name" != build ]; then
    say "no GPU is seen (nvidia-smi -L)"
    exit 1
  fi
  "stage_$name"
  exit $((failures > 100 ? 100 : failures))
fi

if [ $# -lt 1 ]; then
  sed -n '3,14s/^# \{0,1\}//p' "$0"
  exit 2
fi
out=$1
shift
stages=()
for argument in "$@"; do
  name=${argument%%:*}
  if [ -z "${limit[$name]:-}" ]; then
    echo "stage is $name; allowed are ${all_stages[*]}" >&2
    exit 2
  fi
  stages+=("$name")
  [ "$argument" != "$name" ] && limit[$name]=${argument#*:}
done
[ ${#stages[@]} -eq 0 ] && stages=("${all_stages[@]}")
mkdir -p "$out"
out=$(cd "$out" && pwd)
work=$(mktemp -d /tmp/gpu-check.XXXXXX)
export work
table=$work/stages.txt

# Only the last megabyte of a log is kept, to limit the size of the results.
pack_results() {
  local log
  for log in "$work"/*.log; do
    tail -c 1000000 "$log" >"$work/end" && mv "$work/end" "$log"
  done
  {
    cat "$table" 2>/dev/null
    python3 -B "$here/summary.py" "$work"
  } >"$work/summary.txt" 2>&1
  cp "$work/summary.txt" "$out/summary.txt"
  [ -f "$work/gpu_record.json" ] && cp "$work/gpu_record.json" "$out/gpu_record.json"
  tar -C "$work" -czf "$out/results.tar.gz" .
}
child=
trap '[ -n "$child" ] && kill "$child"; pack_results; exit 143' TERM INT

end=$((SECONDS + ${GPU_CHECK_SECONDS:-540}))
status=0
printf '%-10s %8s  %s\n' stage seconds outcome >"$table"
for name in "${stages[@]}"; do
  left=$((end - SECONDS - 15))
  if [ "$left" -lt 5 ]; then
    printf '%-10s %8s  %s\n' "$name" - 'not run: no time left' >>"$table"
    status=1
    continue
  fi
  seconds=$((limit[$name] < left ? limit[$name] : left))
  begin=$SECONDS
  timeout -k 10 "$seconds" bash "$here/gpu_check.sh" --stage "$name" >"$work/$name.log" 2>&1 </dev/null &
  child=$!
  wait "$child"
  code=$?
  child=
  case $code in
    0) outcome=ok ;;
    124 | 137) outcome="FAILED: out of its $seconds s" ;;
    *) outcome="FAILED: $code steps, see $name.log" ;;
  esac
  [ "$code" -ne 0 ] && status=1
  printf '%-10s %8s  %s\n' "$name" $((SECONDS - begin)) "$outcome" >>"$table"
  if [ "$code" -ne 0 ]; then
    grep -h '^== FAILED' "$work/$name.log" | sed 's/^== /           /' | cut -c1-200 | head -5 >>"$table"
    [ "$name" = build ] && tail -25 "$work/build.log"
  fi
done
pack_results
python3 -B "$here/summary.py" "$work" --short
echo
cat "$table"
exit $status
