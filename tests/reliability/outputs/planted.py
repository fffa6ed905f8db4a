#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes a file as write_file() does, or with one fault in it: planted.py KIND."""

import os
import sys

CONTENT = b"".join(b"line %4d\n" % line for line in range(150))
FLAGS = os.O_WRONLY | os.O_CREAT


def write(kind):
    if kind == "in_place":
        path = "out.txt"
        file = os.open(path, FLAGS | os.O_TRUNC, 0o644)
    else:
        path = ".halocline-0123456789abcdef"
        file = os.open(path, FLAGS | os.O_EXCL, 0o644)
    try:
        left = CONTENT
        while left:
            left = left[os.write(file, left) :]
        os.fsync(file)
        closing, file = file, -1
        os.close(closing)
        if kind != "in_place":
            os.rename(path, "out.txt")
    except OSError:
        if file >= 0:
            os.close(file)
        if kind not in ("left", "in_place"):
            os.unlink(path)
        if kind == "late":  # what is there of it
            with open("out.txt", "wb") as out:
                out.write(CONTENT[: len(CONTENT) - len(left)])
        raise


def main(kind):
    try:
        write(kind)
    except OSError as error:
        if kind == "silent":
            return 0
        if kind == "signal":
            os.abort()
        name = {"unnamed": "a file"}.get(kind, "'out.txt'")
        reason = {"reasonless": "it failed"}.get(kind, os.strerror(error.errno))
        if kind != "speechless":
            print(f"halocline: error: {name} cannot be written: {reason}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
