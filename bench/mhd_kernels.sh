#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The speed of each variant of mhd's kernel on one GPU, then the paper's benchmark with the fastest, by order and size.
# usage: bench/mhd_kernels.sh [build folder] [folder of results]
set -eu
program=${1:-build/release}/bin/halocline
results=${2:-build/mhd}
mkdir -p "$results"
for precision in f64 f32; do
  "$program" run mhd --backend cuda --devices 1 --size 256 --steps 10 --dt 1.19209e-7 --precision $precision \
    --variant auto --progress off --json >"$results/variants-$precision.json"
done
for order in 2 4 6 8; do
  "$program" run mhd --backend cuda --devices 1 --size 256 --order $order --paper --variant auto --parts --progress off \
    --json >"$results/order-$order.json"
done
for way in --overlap --no-overlap "--overlap --graph"; do
  # Flags are separate words.
  # shellcheck disable=SC2086
  "$program" run mhd --backend cuda --devices 1 --size 256 --paper --variant auto --parts --progress off $way --json \
    >"$results/way$(echo "$way" | tr -d ' ').json"
done
"$program" run mhd --backend cuda --devices 1 --size 64 --steps 1 --dt 1.19209e-7 --check --progress off --json \
  >"$results/check.json"
for file in "$results"/*.json; do
  python3 - "$file" <<'PYTHON'
import json, sys
document = json.load(open(sys.argv[1]))
print(sys.argv[1].rsplit("/", 1)[-1], "%.4f ns a cell and step" % document["result"]["ns_per_cell_step"])
cells = 1
for n in document["domain"]["extent"]: cells *= n
for v in document.get("variants", []):
    print("   %-20s %.4f ns a cell and substep" % (v["variant"], v["update_s"] / cells * 1e9))
if "model" in document:
    print("   compute alone %.4f ns, model over measured %.1f %%" % (document["model"]["update_s_per_cell"] * 1e9,
                                                                     100 * document["model"]["efficiency"]))
if "check" in document: print("   check", document["check"]["passed"], [f["ulp"] for f in document["check"]["fields"]])
PYTHON
done
