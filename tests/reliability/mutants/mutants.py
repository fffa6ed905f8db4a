#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Mutants of the library, all compiled at once, and which of them the suites kill: `make mutants`.

    mutants.py draw FOLDER [--count 120] [--seed 1] [--kind host|kernels]    writes the changed sources to FOLDER/source and builds the suites there
    mutants.py build FOLDER                                builds them again, for example on another machine
    mutants.py run FOLDER --out FILE [--first N] [--jobs J] [--shard I/N] [--number N ...]
    mutants.py report FOLDER FILE...                       tables and survivors; exit code 1 if survivors.json has no reason for one
    mutants.py show FOLDER NUMBER...                       what a mutant changes

`draw` needs libclang (requirements.txt) and Git, the others neither. `run` goes on where FILE ends; FOLDER/parts.json has the times of the suites without a
mutant and what they reach: --measure makes it again, on a machine of another speed. Exit code 2 if something is missing.
"""

import argparse
import collections
import concurrent.futures
import datetime
import importlib.util
import json
import pathlib
import shutil
import subprocess
import sys
import threading

import kinds
import schemata
import sites
import trial

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
OPTIONS = [
    "-DCMAKE_BUILD_TYPE=Release",
    "-DHALOCLINE_BUILD_TESTS=ON",
    *(f"-DHALOCLINE_{name}=OFF" for name in ("BUILD_BENCH", "SIMGRID", "FORTRAN", "PYTHON")),
]


def quiet(command):
    """None, or what a command that failed has printed."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return None if done.returncode == 0 else done.stdout


def kind_of(folder):
    """Of the draw in this folder."""
    return kinds.KINDS[load(folder / "mutants.json").get("kind", kinds.HOST.name)]


def configure(folder, kind, mpi):
    cache = folder / "build/CMakeCache.txt"
    if cache.is_file() and f"CMAKE_HOME_DIRECTORY:INTERNAL={folder}/source\n" not in cache.read_text(encoding="utf-8"):
        shutil.rmtree(folder / "build")  # of another machine: its paths are not those of here
    output = quiet(["cmake", "-G", "Ninja", "-S", str(folder / "source"), "-B", str(folder / "build"), *OPTIONS, *kind.options, f"-DHALOCLINE_MPI={mpi}"])
    if output is not None:
        raise ValueError(f"{folder}/source cannot be configured:\n{output[-3000:]}")


def tests_of(folder, kind, given):
    cache = (folder / "build/CMakeCache.txt").read_text(encoding="utf-8")
    tests = kind.tests if "HALOCLINE_MPI:STRING=OFF" in cache else kind.tests | kind.mpi_tests
    return {name: program for name, program in tests.items() if program not in given.without}


def build(folder, kind, given):
    return quiet(["cmake", "--build", str(folder / "build"), "--parallel", str(given.jobs), "--target", *sorted(set(tests_of(folder, kind, given).values())), "--", "-k", "0"])


def found_sites(tree, folder, kind, given):
    """All places; from FOLDER/sites.json if the sources are the same."""
    path, digest = folder / "sites.json", f"{sites.digest(ROOT)} {kind.name} {given.mpi}"
    if path.is_file():
        known = load(path)
        if known["digest"] == digest:
            return known["sites"]
    if importlib.util.find_spec("clang") is None:
        raise ValueError(f"Python's module clang is missing; pip install -r {HERE / 'requirements.txt'}")
    found = sites.find(ROOT, tree.source, folder / "build", kind, given.jobs)
    path.write_text(json.dumps({"digest": digest, "sites": found}), encoding="utf-8")
    return found


def draw(folder, given):
    tree = schemata.Tree(ROOT, folder)
    kind = kinds.KINDS[given.kind]
    tree.copy()
    configure(folder, kind, given.mpi)
    found = found_sites(tree, folder, kind, given)
    by_operator = collections.Counter(site["operator"] for site in found)
    print(f"{len(found)} places: {', '.join(f'{count} {name}' for name, count in by_operator.most_common())}", flush=True)
    mutants, left_out = schemata.compiled(tree, found, schemata.drawn(found, given.seed), given.count, lambda: build(folder, kind, given))
    document = {"kind": kind.name, "seed": given.seed, "commit": commit(), "places": count_of(found), "mutants": [], "left_out": []}
    for key, chosen in (("mutants", mutants), ("left_out", left_out)):
        for number, site in chosen:
            text = (ROOT / site["file"]).read_bytes().decode("latin-1")
            before, after = schemata.shown(site, text)
            document[key].append({"number": number, **{name: site[name] for name in ("file", "line", "operator", "what")}, "before": before, "after": after})
    save(folder / "mutants.json", document)
    (folder / "parts.json").unlink(missing_ok=True)
    print(f"{len(mutants)} mutants, seed {given.seed}; {len(left_out)} places do not compile")


def count_of(found):
    """Places by folder and operator."""
    counts = collections.Counter((folder_of(site), site["operator"]) for site in found)
    return [[*key, counts[key]] for key in sorted(counts)]


def folder_of(one):
    return "/".join(one["file"].split("/")[:2])


def commit():
    head = subprocess.run(["git", "-C", str(ROOT), "rev-parse", "--short=10", "HEAD"], capture_output=True, text=True, check=False)
    return head.stdout.strip() or "unknown"


def save(path, document):
    path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def load(path):
    if not path.is_file():
        raise ValueError(f"{path} is missing; `mutants.py draw` makes it")
    return json.loads(path.read_text(encoding="utf-8"))


def measured(folder, given):
    """The parts with their times, from the file or measured."""
    path = folder / "parts.json"
    if path.is_file() and not given.measure:
        return load(path)
    binaries, kind = folder / "build", kind_of(folder)
    numbers = [one["number"] for one in load(folder / "mutants.json")["mutants"]]
    parts = trial.parts_of(binaries, tests_of(folder, kind, given), kind.limits)
    kept = []
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        for part, (result, text) in zip(parts, pool.map(lambda part: trial.baseline(part, max(numbers), binaries), parts)):
            if result is None:
                print(f"left out, as it fails without a mutant: {part['name']}\n{text[-600:]}", flush=True)
            else:
                kept.append(result if kind.counts_reached else result | {"reached": numbers})
    if not kept:
        raise ValueError("no part passes without a mutant")
    print(f"{len(kept)} of {len(parts)} parts pass without a mutant, in {sum(part['seconds'] for part in kept):.0f} s", flush=True)
    save(path, kept)
    return kept


def run(folder, given):
    document, kind = load(folder / "mutants.json"), kind_of(folder)
    parts = measured(folder, given)
    index, shards = (int(word) for word in given.shard.split("/"))
    if not 0 < index <= shards:
        raise ValueError(f"--shard is {given.shard}; allowed is I/N with I from 1 to N")
    done = [identity(row) for row in rows_of([given.out])] if given.out.is_file() else []
    wanted = [one for at, one in enumerate(document["mutants"][: given.first]) if at % shards == index - 1 and identity(one) not in done]
    if given.number:  # again, too
        wanted = [one for one in document["mutants"] if one["number"] in given.number]
    lock = threading.Lock()

    def one_of(mutant):
        with kind.programs(folder / "build", mutant["number"]) as programs:
            result = trial.trial(mutant["number"], parts, programs)
        row = {key: mutant[key] for key in ("number", "file", "line", "operator", "before", "after")} | result
        row |= {"seed": document["seed"], "commit": document["commit"], "date": datetime.date.today().isoformat()}
        with lock:
            with given.out.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
            print(f"{row['number']:4} {row['outcome']:11} {row.get('how', ''):7} {row['seconds']:7.1f} s  {row['file']}:{row['line']} {mutant['what'][:60]} {row.get('by', '')}", flush=True)

    given.out.parent.mkdir(parents=True, exist_ok=True)
    try:
        with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
            list(pool.map(one_of, wanted))  # an exception drops what has not begun, and waits for the others
    except KeyboardInterrupt:
        print("mutants.py: interrupted; the same command goes on with what is left", file=sys.stderr)
        return 130
    return 0


def identity(one):
    return [one["number"], one["file"], one["line"], one["after"]]


def rows_of(paths):
    """The rows of these files; of one mutant the last."""
    rows = [json.loads(line) for path in paths for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines() if line]
    return list({row["number"]: row for row in rows}.values())


def table(rows, key):
    """Lines of a Markdown table: killed and others by key."""
    groups = collections.defaultdict(collections.Counter)
    for row in rows:
        for group in (key(row), "all"):
            groups[group][row["outcome"]] += 1
            groups[group][row.get("how", "")] += 1
    lines = ["| | mutants | killed | failed | crashed | hung | survived | not reached |", "|---|---|---|---|---|---|---|---|"]
    for name in [*sorted(set(groups) - {"all"}), "all"]:
        of = groups[name]
        total = of["killed"] + of["survived"] + of["not reached"]
        cells = [total, of["killed"], of["failed"], of["crashed"], of["hung"], of["survived"], of["not reached"]]
        lines.append(f"| {name} | " + " | ".join(str(cell) for cell in cells) + " |")
    return lines


def report(given):
    """Prints tables and survivors. 1 if one of these is not in survivors.json with its reason."""
    reasons = {(one["file"], one["before"], one["after"]): one["reason"] for one in load(given.survivors)}
    rows = sorted(rows_of(given.results), key=lambda row: row["number"])
    print("\n".join([*table(rows, folder_of), "", *table(rows, lambda row: row["operator"]), ""]))
    alive = [row for row in rows if row["outcome"] != "killed"]
    open_ones = 0
    for row in alive:
        show_one(row)
        reason = reasons.get((row["file"], row["before"], row["after"]))
        open_ones += reason is None
        print(f"    {row['outcome']}, {row['parts']} parts: {reason or 'NO REASON IS STATED'}")
    killed, cpu = len(rows) - len(alive), sum(row["cpu_s"] for row in rows)
    print(f"{len(rows)} mutants, {killed} killed, {len(alive) - open_ones} left with a reason, {open_ones} without; {cpu / max(1, len(rows)):.0f} s of a core each")
    return 1 if open_ones else 0


def show_one(mutant):
    print(f"{mutant['number']} {mutant['file']}:{mutant['line']} ({mutant['operator']})\n    - {mutant['before']}\n    + {mutant['after']}")


def show(folder, given):
    for mutant in load(folder / "mutants.json")["mutants"]:
        if mutant["number"] in given.number:
            show_one(mutant)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["draw", "build", "run", "report", "show"])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("results", nargs="*")
    parser.add_argument("--count", type=int, default=120)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", choices=sorted(kinds.KINDS), default=kinds.HOST.name)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--mpi", choices=["AUTO", "OFF"], default="AUTO")
    parser.add_argument("--without", nargs="+", default=[], metavar="PROGRAM")
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--first", type=int)
    parser.add_argument("--shard", default="1/1")
    parser.add_argument("--survivors", type=pathlib.Path, default=HERE / "survivors.json")
    parser.add_argument("--number", type=int, nargs="+", default=[])
    parser.add_argument("--measure", action="store_true")
    given = parser.parse_args()
    folder = given.folder.resolve()
    try:
        if given.command == "draw":
            draw(folder, given)
        elif given.command == "build":
            kind = kind_of(folder)
            configure(folder, kind, given.mpi)
            if output := build(folder, kind, given):
                raise ValueError(output[-3000:])
        elif given.command == "run":
            if given.out is None:
                parser.error("run needs --out FILE")
            return run(folder, given)
        elif given.command == "report":
            return report(given)
        else:
            given.number = [int(word) for word in given.results]
            show(folder, given)
    except (ValueError, OSError, subprocess.CalledProcessError) as error:
        print(f"mutants.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
