#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares what the objects of the library and of the tool call with the fault points: symbols.py INTERPOSER-FOLDER FILE.a...

Every undefined symbol that is no other object's must be a fault point (*_calls.inc, *.cpp), or in CANNOT_FAIL or
LEFT_OUT below, with the reason. Prints the figures, and each symbol that is in none of them. Exit code 1 if there is one.
"""

import pathlib
import re
import subprocess
import sys

#: Patterns of names by the reason why they have no fault point: a call of them does not fail.
CANNOT_FAIL = {
    "the language's and the C++ library's own: these allocate by operator new, and call the system by functions of the table": (
        r"_Unwind_Resume|_GLOBAL_OFFSET_TABLE_|__cxa_.*|__dso_handle|__dynamic_cast|__gxx_personality_v0|__once_proxy"
        r"|__stack_chk_fail|__tls_get_addr"
        r"|__(u?div|u?mod|popcount)[a-z0-9]*|__libc_single_threaded|_Z.*"
    ),
    "they compute": (
        r"mem(chr|cmp|cpy|move|set)|__memcpy_chk|str(cmp|len|n?cmp|r?chr|error)|(__isoc23_)?strto(d|l|ld|ll|ul|ull)|is(alnum|space)|to(lower|upper)"
        r"|cbrt|cos|exp[fl]?|floor|hypot|ilogbl?|ldexpl?|llround|log(10|2)?|lround|pow|round|sin|sincos|sqrtf?|fma|tanh?|atan2?|acos|asin|fmod"
        r"|(__)?v?snprintf(_chk)?|abs|qsort"
    ),
    "they read what the process has": (
        r"cudaGetError(Name|String)|cudaGetLastError|__errno_location|environ|getenv|getauxval|getpid|getppid|localeconv|stdout|stderr|stdin|fileno|isatty|__sched_cpucount|pthread_self|dlerror"
        r"|dlsym"
    ),
    "they end the process or send it a signal": r"_?_[Ee]xit|exit|abort|raise|alarm",
    "they fail for arguments alone, which are constants here": (
        r"sig(add|empty)set|signal|pthread_(mutex|cond)_.*|pthread_once|nanosleep|sched_yield|closedir|free|sigtimedwait|clock_gettime"
    ),
    "inquiries of hwloc and Scotch on what was loaded, and what frees it": (
        r"hwloc_bitmap_(first|last|next|iszero|isincluded|intersects)|hwloc_get_(obj_by_depth|type_depth)|hwloc_topology_destroy"
        r"|SCOTCH_(archExit|archSize|contextExit|contextRandomReset|contextRandomSeed|graphExit|stratExit)|png_image_free"
    ),
    "MPI's constants and its clock": r"ompi_.*|OMPI_C_MPI_COMM_NULL_COPY_FN|MPI_Wtime|MPI_Comm_f2c|MPI_Comm_c2f",
}
#: The same for calls that can fail, and are not failed here.
LEFT_OUT = {
    "MPI_Abort: it ends the job": r"MPI_Abort",
    "the inquiry whether MPI takes device memory, which answers yes or no": r"MPIX_(Query_cuda_support|GPU_query_support)",
    "futex, whose waits are repeated, get_mempolicy, and pidfd_open and pidfd_getfd, by their numbers": r"syscall",
    "the registration of kernels, and launches by <<<>>>, which measurements of links make alone": r"__cuda.*",
}


def points_of(folder):
    found = {"operator new": r"_Znwm.*|_Znam.*"} | {name: name for name in ("pthread_create", "cudaGetDriverEntryPointByVersion")}
    for name, pattern in (("system_calls.inc", r"^FAULT\([^,]+, (\w+),"), ("mpi_calls.inc", r"^MPI_FAULT\((\w+),"), ("cuda_calls.inc", r"^CUDA_FAULT\((\w+),")):
        for symbol in re.findall(pattern, (folder / name).read_text(encoding="utf-8"), re.M):
            found[symbol] = re.escape(symbol)
    return found


def symbols_of(archives):
    """What is undefined in some object and defined in none."""
    undefined, defined = set(), set()
    for archive in archives:
        done = subprocess.run(["nm", "-P", archive], capture_output=True, text=True, check=True)
        for line in done.stdout.splitlines():
            words = line.split()
            if len(words) < 2 or words[0].endswith(":"):
                continue
            (undefined if words[1] == "U" else defined).add(words[0])
    return undefined - defined


def main():
    folder, archives = pathlib.Path(sys.argv[1]), sys.argv[2:]
    if not archives:
        print(__doc__)
        return 2
    symbols = symbols_of(archives)
    points = points_of(folder)
    counts = dict.fromkeys(("fault points", "cannot fail", "left out"), 0)
    nowhere = []
    used = set()
    for symbol in sorted(symbols):
        point = next((name for name, pattern in points.items() if re.fullmatch(pattern, symbol)), None)
        if point:
            used.add(point)
            counts["fault points"] += 1
        elif any(re.fullmatch(pattern, symbol) for pattern in LEFT_OUT.values()):
            counts["left out"] += 1
        elif any(re.fullmatch(pattern, symbol) for pattern in CANNOT_FAIL.values()):
            counts["cannot fail"] += 1
        else:
            nowhere.append(symbol)
    for symbol in nowhere:
        print(f"{symbol}: neither a fault point, nor in CANNOT_FAIL or LEFT_OUT of {pathlib.Path(__file__).name}")
    figures = ", ".join(f"{count} {what}" for what, count in counts.items())
    print(f"{len(symbols)} symbols of {len(archives)} archives: {figures}, {len(nowhere)} in no list")
    print(f"{len(used)} of {len(points)} points are called directly, the others by the C++ library")
    print(f"cases passed: {len(symbols) - len(nowhere)}")
    return 1 if nowhere else 0


if __name__ == "__main__":
    sys.exit(main())
