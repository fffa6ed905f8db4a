#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The paper's measurements of mhd on the GPUs of this machine: bench/mhd_studies.sh BUILD_FOLDER OUTPUT_FOLDER [COUNT ...]
# Numbers of GPUs: 1 2 unless given. Writes a CSV file, which `halocline plot` draws, and the table of each study.
# STUDIES selects: strong weak orders parts backends large. About three and a half minutes on two H200.
set -euo pipefail

build=${1:?usage: bench/mhd_studies.sh BUILD_FOLDER OUTPUT_FOLDER [COUNT ...]}
out=${2:?usage: bench/mhd_studies.sh BUILD_FOLDER OUTPUT_FOLDER [COUNT ...]}
shift 2
counts=("$@")
[ ${#counts[@]} -gt 0 ] || counts=(1 2)
most=$(printf '%s\n' "${counts[@]}" | sort -n | tail -1)
mkdir -p "$out"

# study NAME STUDY FLAGS...
study() {
  local name=$1 kind=$2
  shift 2
  local command=(run mhd --backend cuda --study "$kind" --devices "$most" "$@")
  {
    echo "# $(date -u +%F) halocline ${command[*]} --csv mhd-$name.csv"
    time "$build/bin/halocline" "${command[@]}" --csv "$out/mhd-$name.csv"
  } 2>&1 | tee "$out/mhd-$name.txt"
}

for wanted in ${STUDIES:-strong weak orders parts backends large}; do
  case $wanted in
    strong) study strong strong --sizes 256,512 --device-counts "${counts[@]}" --paper ;;
    weak) study weak weak --size 256 --device-counts "${counts[@]}" --paper ;;
    orders) study orders orders --size 256 --device-counts "${counts[@]}" --paper ;;
    parts) study parts parts --size 256 --device-counts "${counts[@]}" --paper ;;
    backends) study backends backends --size 256 --device-counts "${counts[@]}" --paper ;;
    # 1024^3 cells of eight fields with two buffers in fp64 take 140 GB: few steps, on all GPUs.
    large) study large strong --size 1024 --device-counts "$most" --paper --warm-up 3 --steps 10 ;;
    *)
      echo "study is $wanted; allowed are strong weak orders parts backends large" >&2
      exit 2
      ;;
  esac
done
