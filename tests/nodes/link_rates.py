#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Requires rates of TCP connections that send at the same time, each from one virtual node to another.
  virtual_nodes.sh --nodes N -n N link_rates.py FROM-TO=MBIT ...
A receiver prints what arrives for 2 s, from 1 s after the first byte, and fails where it is more than 20 % off, as much as a busy machine may take. A pair may be given more than once.
"""

import os
import socket
import sys
import threading
import time

PORT, BEFORE, MEASURED = 5000, 1.0, 2.0


def address(node, number):
    return f"10.0.1.{node + 1}", PORT + number


def connected(place):
    for _ in range(200):
        try:
            return socket.create_connection(place)
        except OSError:
            time.sleep(0.05)
    sys.exit(f"nobody listens at {place}")


def send(place):
    begun = None
    with connected(place) as to:
        data = bytes(1 << 16)
        while begun is None or time.monotonic() < begun + BEFORE + MEASURED + 1:
            to.sendall(data)
            begun = begun or time.monotonic()


def rate_at(listener):
    """Megabits a second."""
    with listener.accept()[0] as source:
        source.recv(1 << 16)
        begin = time.monotonic() + BEFORE
        count, first, last = 0, None, None
        while last is None or last < begin + MEASURED:
            received = len(source.recv(1 << 16))
            last = time.monotonic()
            if first is not None:
                count += received
            elif last >= begin:
                first = last
        while source.recv(1 << 16):
            pass
        return 8e-6 * count / (last - first)


def main():
    mine = int(os.environ["OMPI_COMM_WORLD_RANK"])
    wrong, threads = [], []

    def receive(listener, pair, wanted):
        found = rate_at(listener)
        print(f"{pair}: {found:.2f} Mbit/s, {found / wanted:.3f} of {wanted:g}", flush=True)
        if not 0.8 <= found / wanted <= 1.2:
            wrong.append(pair)

    for number, word in enumerate(sys.argv[1:]):
        pair, wanted = word.split("=")
        sender, receiver = (int(node) for node in pair.split("-"))
        if receiver == mine:
            listener = socket.create_server(address(mine, number))
            threads.append(threading.Thread(target=receive, args=(listener, pair, float(wanted))))
        if sender == mine:
            threads.append(threading.Thread(target=send, args=(address(receiver, number),)))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
