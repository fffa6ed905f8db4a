#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A cluster's report in one job: what works, how fast links and exchanges are, and a step of jacobi3d. Needs an installed halocline alone.
#   sbatch --nodes 2 --ntasks-per-node 4 --gpus-per-node 4 bench/cluster_report.sh FOLDER
#   LAUNCH="mpirun -n 8" bench/cluster_report.sh FOLDER
# LAUNCH: what starts the ranks (in a Slurm job: srun --mpi=pmix --gpu-bind=none). HALOCLINE: the tool (halocline).
# EDGES (64 128 256 512): cells a device in each dimension. SIZES: bytes of messages over links (4 to 256 Mi). SECONDS_EACH (120): a command that takes longer is given up.
# Writes FOLDER/*.txt, *.json, *.csv, prints FOLDER/summary.txt, and packs all into FOLDER.tar.gz, to be sent in. Names of the job's nodes are
# replaced by node0, node1 and so on. Look through it before you send it.
set -uo pipefail
export LC_ALL=C
folder=${1:?usage: cluster_report.sh FOLDER}
halocline=${HALOCLINE:-halocline}
read -r -a launch <<<"${LAUNCH:-${SLURM_JOB_ID:+srun --mpi=pmix --gpu-bind=none}}"
each=${SECONDS_EACH:-120}
mkdir -p "$folder"

# step FILE WORDS...: halocline WORDS on all ranks, its output in FOLDER/FILE and its errors beside it.
step() {
  local file=$1 status=0
  shift
  timeout -k 10 "$each" ${launch[@]+"${launch[@]}"} "$halocline" "$@" >"$folder/$file" 2>"$folder/$file.errors" </dev/null || status=$?
  [ -s "$folder/$file.errors" ] || rm -f "$folder/$file.errors"
  [ "$status" -eq 0 ] || printf '%-28s exit code %s: halocline %s\n' "$file" "$status" "$*" >>"$folder/failed.txt"
  return "$status"
}
# value FILE KEY: the first number of that name in a JSON document that the tool wrote.
value() { grep -m1 -o "\"$2\": [0-9.e+-]*" "$folder/$1" 2>/dev/null | grep -o '[0-9.e+-]*$'; }

: >"$folder/failed.txt"
{ date -u '+%Y-%m-%d'; "$halocline" --version; echo "launcher: ${launch[*]:-none}"; nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null; } \
  >"$folder/environment.txt"
step doctor.txt doctor
step machine.json machine --measure --json
read -r -a sizes <<<"${SIZES:-}"
step links.csv.txt bench links ${sizes[@]+--sizes "${sizes[@]}"} --csv "$folder/links.csv"
step first.json exchange --size 16 --repeat 2 --steady 0 --json || { cat "$folder/failed.txt" "$folder"/first.json.errors; exit 1; }
devices=$(value first.json devices)

for edge in ${EDGES:-64 128 256 512}; do
  size=("$edge" "$edge" $((edge * devices)))
  step "explain-$edge.txt" explain --size "${size[@]}" --radius 3 --fields 4xf32
  step "exchange-$edge.json" exchange --size "${size[@]}" --radius 3 --fields 4xf32 --repeat 30 --steady 200 --verify --json
  step "exchange-$edge-mpi.json" exchange --size "${size[@]}" --radius 3 --fields 4xf32 --repeat 10 --steady 20 --transports self,mpi_device,mpi_staged --json
  step "jacobi3d-$edge.json" run jacobi3d --size "${size[@]}" --steps 100 --progress off --json
done

number=0
for host in $(timeout 60 ${launch[@]+"${launch[@]}"} hostname 2>/dev/null | sort -u); do
  sed -i "s/\\b${host//./\\.}\\b/node$number/g; s/\\b${host%%.*}\\b/node$number/g" "$folder"/*
  number=$((number + 1))
done

{
  cat "$folder/environment.txt"
  grep -E '^[0-9]+ checks' "$folder/doctor.txt"
  printf '\n%d devices; microseconds an exchange of 4 fp32 fields, radius 3, back to back (mean); milliseconds 100 steps of jacobi3d\n' "$devices"
  printf '%10s %14s %14s %14s\n' "cells" "exchange" "by MPI alone" "jacobi3d"
  for edge in ${EDGES:-64 128 256 512}; do
    printf '%10s' "$edge^3"
    for file in "exchange-$edge.json" "exchange-$edge-mpi.json"; do
      printf ' %14s' "$(sed -n '/"steady"/,/}/p' "$folder/$file" 2>/dev/null | grep -o '"mean_s": [0-9.e+-]*' | awk '{printf "%.1f", 1e6 * $2}')"
    done
    printf ' %14s\n' "$(value "jacobi3d-$edge.json" total_s | awk '{printf "%.1f", 1e3 * $1}')"
  done
  if [ -s "$folder/failed.txt" ]; then printf '\nnot done:\n'; cat "$folder/failed.txt"; fi
} >"$folder/summary.txt"
cat "$folder/summary.txt"
tar czf "${folder%/}.tar.gz" -C "$(dirname "$folder")" "$(basename "$folder")"
