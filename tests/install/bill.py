#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The bill of materials lists all that the installed binaries are linked to, and nothing that no binary needs.

    bill.py BILL BINARY...
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys

#: Of the system's C and C++ compilers.
SYSTEM = ("libc.so", "libm.so", "libstdc++.so", "libgcc_s.so", "ld-linux", "libpthread.so", "libdl.so", "librt.so", "libgfortran.so", "libhalocline")

if shutil.which("readelf") is None:
    print("install_bill: skipped: no readelf")
    sys.exit(77)
bill = json.loads(pathlib.Path(sys.argv[1]).read_text())
components = bill["components"]
failures = []
names = [component["name"] for component in components]
if len(set(names)) != len(names):
    failures.append(f"a component is listed twice: {names}")
linked = {}
for component in components:
    properties = {entry["name"]: entry["value"] for entry in component["properties"]}
    if not component["licenses"][0]["license"]:
        failures.append(f"{component['name']} has no licence")
    if properties["halocline:how"] == "linked":
        linked[component["name"]] = tuple(properties["halocline:libraries"].split())
needed = set()
for binary in sys.argv[2:]:
    text = subprocess.run(["readelf", "-d", binary], check=True, capture_output=True, text=True).stdout
    needed |= set(re.findall(r"NEEDED.*\[(.*)\]", text))
needed = {name for name in needed if not name.startswith(SYSTEM)}
for library in sorted(needed):
    if not any(library.startswith(beginnings) for beginnings in linked.values()):
        failures.append(f"{library} is linked, and no component of the bill has it")
for name, beginnings in linked.items():
    if not any(library.startswith(beginnings) for library in needed):
        failures.append(f"{name} is in the bill, and no binary is linked to it")
for failure in failures:
    print(failure)
print(f"cases passed: {len(needed) + len(linked) + len(components) - len(failures)}")
print(f"cases failed: {len(failures)}")
sys.exit(1 if failures else 0)
