# SPDX-License-Identifier: BSD-3-Clause
"""Microseconds of the host for a call from Python, as eager.cpp measures them from C++: python eager.py CELLS"""

import sys
import time

import halocline

CALLS = 5000


def measure(domain, what, call):
    for _ in range(100):
        call()
    domain.synchronize()
    begin = time.perf_counter()
    for _ in range(CALLS):
        call()
    host = time.perf_counter() - begin
    domain.synchronize()
    everything = time.perf_counter() - begin
    print(f"Python {what:<25} {host / CALLS * 1e6:7.2f} us of the host a call, {everything / CALLS * 1e6:7.2f} us in all")


cells = int(sys.argv[1]) if len(sys.argv) > 1 else 16
with halocline.Domain((cells,) * 3, 3, dict.fromkeys("abcd", "float32")) as domain:
    blocks = domain["a"].blocks
    print(f"{cells}^3, {len(blocks)} device(s)")
    measure(domain, "exchange()", domain.exchange)
    if not domain._core.on_host:
        measure(domain, 'exchange(stream="own")', lambda: domain.exchange(stream="own"))
        with domain.capture() as step:
            domain.exchange()
        measure(domain, 'launch(stream="own")', lambda: step.launch(stream="own"))
        try:
            import torch
        except ImportError:
            sys.exit()
        stream = torch.cuda.Stream()
        measure(domain, "exchange(stream=torch's)", lambda: domain.exchange(stream=stream))
        del step
