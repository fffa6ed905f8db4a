#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Errors of mhd with halos in narrower formats. With fp64 halos the solution equals a single core's:

    bench/mhd_wire.py HALOCLINE > study.csv

difference: the largest difference of a value from the model's after so many steps, over the largest value of its field, of all fields, which
--check computes. mass, energy: means of density and of all energies, relative to the run with fp64 halos. bytes: of an exchange."""

import json
import os
import subprocess
import sys

print("wire,steps,difference,mass,energy,bytes")
for steps in (1, 10, 50):
    whole = None
    for wire in ("f64", "f32", "f16", "bf16"):
        command = [sys.argv[1], *f"run mhd --size 32 --devices 8 --initial decaying --dt 0.02 --steps {steps} --no-overlap --check --json --progress off".split()]
        if wire != "f64":
            command += ["--wire", wire]
        ended = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "HALOCLINE_BACKEND": "host"})
        run = json.loads(ended.stdout)
        of = run["result"]["diagnostics"][-1]["of"]
        mass = of["density"]["mean"]
        energy = sum(of[f"{kind} energy"]["mean"] for kind in ("kinetic", "magnetic", "thermal"))
        whole = whole or (mass, energy)
        difference = max(field["scaled"] for field in run["check"]["fields"])
        sent = sum(row["bytes"] for row in run["transports"])
        print(f"{wire},{steps},{difference:.3g},{mass / whole[0] - 1:.3g},{energy / whole[1] - 1:.3g},{sent}", flush=True)
