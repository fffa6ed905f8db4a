# SPDX-License-Identifier: BSD-3-Clause
"""The commands whose files outputs.py cuts. Together they reach the places where the library or the tool writes a file, but for
recordings and machine --measure-network."""

import csv
import dataclasses
import functools
import io
import json
import subprocess

RUN = ("--size", "16", "--steps", "2", "--progress", "off")
EXCHANGE = ("exchange", "--devices", "2", "--size", "16", "--repeat", "1", "--warm-up", "0", "--steady", "0")


@dataclasses.dataclass(frozen=True)
class Writer:
    name: str
    words: tuple  # of halocline
    old: bytes = b"earlier\n"  # of each file; None: files of an earlier run
    same: bool = True  # each run writes the same bytes
    printed: bool = False  # standard output is the file
    ranks: int = 0  # of an MPI job; 0: none
    lines: int = 1  # of an error, at most
    warns: bool = False  # what cannot be kept is no error: a warning, and exit code 0
    needs: str = ""  # of the build: png, xxhash
    program: str = "bin/halocline"


WRITERS = [
    Writer("plot", ("plot", "two.json", "-o", "out.svg")),
    Writer("machine", ("machine", "--machine", "two.json", "--picture", "out.svg")),
    Writer("place", ("place", "--machine", "two.json", "--size", "64", "--picture", "out.svg")),
    Writer("route", ("route", "--nodes", "16", "--communication", "out.csv")),
    Writer("map_json", ("map", "--machine", "two.json", "--cpu", "pairs.csv", "--format", "json", "--output", "out.json"), same=False),
    Writer("map_slurm", ("map", "--machine", "two.json", "--cpu", "pairs.csv", "--format", "slurm", "--output", "out")),
    Writer("bench", ("bench", "links", "--devices", "2", "--sizes", "65536", "--csv", "out.csv"), same=False),
    Writer("exchange_trace", (*EXCHANGE, "--trace", "out.json"), same=False),
    Writer("exchange_tune", (*EXCHANGE, "--tune", "out.json", "--retune", "--tune-budget", "0.05"), old=None, same=False, warns=True),
    Writer("jacobi3d_picture", ("run", "jacobi3d", *RUN, "--picture", "out.png"), needs="png"),
    Writer("jacobi3d_trace", ("run", "jacobi3d", *RUN, "--trace", "out.json"), same=False),
    Writer("jacobi3d_output", ("run", "jacobi3d", *RUN, "--output", "out")),
    Writer("jacobi3d_checkpoint", ("run", "jacobi3d", *RUN, "--checkpoint", "out"), old=None, needs="xxhash"),
    Writer("laplace3d_csv", ("run", "laplace3d", "--size", "8", "--steps", "1", "--rounds", "6", "--csv", "out.csv"), same=False),
    Writer("mhd_csv", ("run", "mhd", "--study", "parts", "--size", "8", "--order", "2", "--steps", "1", "--warm-up", "0", "--progress", "off", "--csv", "out.csv"), same=False),
    Writer("mhd_output", ("run", "mhd", "--size", "8", "--order", "2", "--steps", "1", "--progress", "off", "--output", "out")),
    Writer("printed_document", ("partition", "--nodes", "4", "--json"), printed=True),
    Writer("printed_machine", ("machine", "--nodes", "2", "--json"), printed=True),
    Writer("printed_rows", ("simulate", "--machine", "summit", "--study", "ladder", "--csv"), printed=True),
    Writer("mpi_output", ("run", "jacobi3d", "--size", "12", "--steps", "1", "--progress", "off", "--output", "out"), ranks=2),
    Writer("mpi_checkpoint", ("run", "jacobi3d", "--size", "8", "--steps", "1", "--progress", "off", "--checkpoint", "out"), ranks=2, old=None, needs="xxhash"),
    Writer("profile", ("profile", "--output", "out.csv", "--", "{halocline}", *EXCHANGE[:1], "--size", "8", "--repeat", "1", "--warm-up", "0", "--steady", "0"), ranks=2, lines=2, same=False),
]

#: Cases that end in a way that they should not, and are counted apart: writer, kind of call, what is wrong, why.
KNOWN = [
    ("mpi_output", "open", ".halocline-", "a rank that fails in a collective of MPI-IO leaves the others in it, and a watchdog ends them, with the empty file"),
    ("profile", "fsync", "exit code 0", "the file is in place when its folder cannot be brought to the device; the program's exit code stays"),
]
#: Programs that do something wrong when a call fails; see outputs_test.py.
FAULTS = ("right", "in_place", "late", "left", "silent", "signal", "speechless", "unnamed", "reasonless")
PLANTED = [Writer(f"planted_{kind}", (kind,), program="planted.py") for kind in FAULTS]


@functools.lru_cache
def inputs(build):
    """The input of the commands, by names of files."""
    machine = ("machine", "--machine", "summit", "--nodes", "2", "--json")
    done = subprocess.run([str(build / "bin/halocline"), *machine], capture_output=True, check=True)
    rows = "".join(f"{one},{other},{100 + 7 * one + other}\n" for one in range(4) for other in range(4) if one != other)
    return {"two.json": done.stdout, "pairs.csv": ("from,to,bytes\n" + rows).encode()}


def is_whole(path, content, like):
    """Whether a file, whose bytes differ from run to run, has begin, end and shape of another one."""
    if path.endswith(".json"):
        try:
            return json.loads(content).keys() == json.loads(like).keys() and content.endswith(like[-1:])
        except ValueError:
            return False
    if path.endswith(".csv"):
        rows, others = (list(csv.reader(io.StringIO(text.decode()))) for text in (content, like))
        return content.endswith(b"\n") and [len(row) for row in rows] == [len(row) for row in others]
    return content == like
