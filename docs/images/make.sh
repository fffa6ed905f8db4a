#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# make.sh HALOCLINE FOLDER: draws the pictures of the guide that the tool makes; the test cli_pictures compares them with docs/images.
set -euo pipefail
results=$(cd "$(dirname "$0")/../../bench/results" && pwd)
"$1" machine --machine summit --nodes 2 --picture "$2/summit.svg" > /dev/null
"$1" place --machine summit --nodes 2 --size 512 --node-grid 2 1 1 --device-grid 1 2 3 --picture "$2/placed.svg" > /dev/null
"$1" plot "$results/2026-11-25-2x-h100-baselines/baseline.csv" -o "$2/libraries.svg" > /dev/null
"$1" plot "$results/2026-11-22-summit-one-core/weak.csv" -o "$2/summit-weak.svg" > /dev/null
"$1" plot "$results/2026-11-22-4x-h200-senders/mhd-strong.csv" -o "$2/mhd-strong.svg" > /dev/null
"$1" plot "$results/2026-11-25-2x-h100-trace/jacobi.json" -o "$2/trace.svg" > /dev/null
four=$results/2026-11-21-4x-h200-fused
"$1" plot "$four/ceilings.csv" "$four"/{small/exchange-64,small/exchange-128,exchange-256,exchange-512}-4r-graph20.json "$four/jacobi-4r-4g-no-overlap.json" -o "$2/roofline.svg" > /dev/null
