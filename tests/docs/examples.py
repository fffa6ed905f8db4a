#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the commands of README.md and the guide whose output is shown, and compares what they print.

    examples.py ROOT HALOCLINE [--mpirun SCRIPT] [FILE.md ...]

A block ```console holds commands ("$ " in front, a backslash at the end of a line that goes on) and behind each what it prints on standard
output. Numbers, units of time and bytes, and widths of columns may differ, unless the block is exact; a line "..." stands for any lines, and
"..." in a line for anything. A comment in front of a block, which nobody who reads a page sees, says what else is to be known:

    <!-- example: exact -->              numbers and columns, too
    <!-- example: file NAME -->          no command: what the block holds is written to NAME, for the commands that follow
    <!-- example: runs COMMAND -->       instead of the block's only command, which does more than print
    <!-- example: not run: WHY -->       what it needs is not here

A comment <!-- example: commands --> in front of a table runs each command in its cells (`halocline ...`, `mpirun ...`, `bench_... ...`) with bench/
and machines/ in the folder. Their output is not compared; commands with --backend cuda, and benchmarks that were not built, are not run.

Commands of one page run one after the other in one folder, which is empty at first. It fails where output differs, a command
fails, a block of another kind shows a command and its output, or nothing was run.
"""

import argparse
import dataclasses
import difflib
import os
import pathlib
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile

from markdown import Mistake, guide, line_of, place

BLOCK = re.compile(r"(?:^<!-- example: (?P<words>[^\n]*?) -->\n+)?^```(?P<kind>[a-z]*)\n(?P<body>.*?)^```$", re.M | re.S)
INDENTED = re.compile(r"^(?: {4}[^\n]*\n|\n)+", re.M)
COMMAND = re.compile(r"(\$ |([A-Z_]+=\S+ )*(time )?(\./|\S*/)?(halocline|mpirun|mpirun\.sh)( |$))")
OTHER_LINE = re.compile(r"(#|$|([A-Z_]+=\S+ )*(make|git|cmake|ctest|python3|source|bench/\S+|\S*/bench_\S+|bench_\S+)( |$))")
TABLE = re.compile(r"^<!-- example: commands -->\n+((?:\|[^\n]*\n)*)", re.M)
IN_CELL = re.compile(r"`((?:mpirun -n \d+ )?(?:halocline|bench_\w+) [^`]+)`")
BENCHMARK = re.compile(r"(?:mpirun -n \d+ )?(bench_\w+) ")
STARTS_RANKS = re.compile(r"(^|&& )mpirun ")


@dataclasses.dataclass
class Example:
    where: str
    command: str
    printed: str
    exact: bool


def masked(text, exact):
    """A line without what may differ."""
    text = text.replace(socket.gethostname(), "vm").rstrip()
    if exact:
        return text
    text = re.sub(r"(?<![A-Za-z_])[-+]?\d[\d.,]*(e[-+]?\d+)?", "#", text)
    text = re.sub(r"# (ns|us|ms|s|min)\b", "# s", text)
    text = re.sub(r"# (B|KB|MB|GB)\b", "# B", text)
    text = re.sub(r"# (million|billion)\b", "# billion", text)
    return re.sub(r"-{2,}", "--", re.sub(r"\s+", " ", text)).strip()


def alike(shown, printed):
    """Whether the lines of a page stand for the lines that were printed."""
    if not shown:
        return not printed
    if shown[0] == "...":
        return any(alike(shown[1:], printed[skipped:]) for skipped in range(len(printed) + 1))
    pattern = ".*".join(re.escape(part) for part in shown[0].split("..."))
    return bool(printed) and re.fullmatch(pattern, printed[0]) is not None and alike(shown[1:], printed[1:])


def lines_of(text, exact):
    lines = [masked(line, exact) for line in text.strip("\n").split("\n")]
    return [line for line in lines if line]


def run(example, folder, environment):
    try:
        result = subprocess.run(["bash", "-c", example.command], cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False)
    except subprocess.TimeoutExpired:
        raise Mistake(f"'{example.command}' did not end within 120 s") from None
    if result.returncode != 0:
        raise Mistake(f"'{example.command}' ended with {result.returncode}:\n{result.stdout}{result.stderr}")
    shown, printed = lines_of(example.printed, example.exact), lines_of(result.stdout, example.exact)
    if not alike(shown, printed):
        difference = "\n".join(difflib.unified_diff(shown, printed, "shown", "printed", lineterm="", n=1))
        raise Mistake(f"'{example.command}' prints something else:\n{difference}")


def commands_of(body, where, exact):
    """The examples of a console block."""
    examples = []
    for part in re.split(r"^\$ ", body, flags=re.M)[1:]:
        command, _, printed = re.sub(r"\\\n\s*", "", part).partition("\n")
        if printed.strip():
            examples.append(Example(where, command, printed, exact))
    return examples


def commands_of_tables(text, where_of):
    """The examples in tables of commands, the commands that need a GPU, and the tables without a command."""
    examples, on_gpus, empty = [], [], []
    for table in TABLE.finditer(text):
        found = [(where_of(table.start(1) + cell.start()), cell[1]) for cell in IN_CELL.finditer(table[1])]
        examples += [Example(where, command, "...", False) for where, command in found if "--backend cuda" not in command]
        on_gpus += [where for where, command in found if "--backend cuda" in command]
        empty += [] if found else [where_of(table.start())]
    return examples, on_gpus, empty


def shows_output(body):
    """Whether a block holds a command of halocline, and a line that is neither a command nor a comment."""
    lines = re.sub(r"\\\n\s*", "", body).split("\n")
    lines = [line.strip() for line in lines]
    commands = [line for line in lines if COMMAND.match(line)]
    return len(commands) > 0 and any(not COMMAND.match(line) and not OTHER_LINE.match(line) for line in lines)


def read(path, root, folder):
    """The examples of a page, and how many are not run; writes the files that it shows."""
    text = path.read_text(encoding="utf-8")
    without_fences = text
    examples, on_gpus, empty = commands_of_tables(text, lambda position: place(path, root, line_of(text, position)))
    not_run, wrong = len(on_gpus), [f"{where}: a table of commands without one" for where in empty]
    for where in on_gpus:
        print(f"not run: {where}: needs a GPU")
    if examples:
        for name in ("bench", "machines"):
            (folder / name).symlink_to(root / name)
    for block in BLOCK.finditer(text):
        where = place(path, root, line_of(text, block.start("body")))
        words, body = block["words"] or "", block["body"]
        without_fences = without_fences.replace(block.group(), re.sub(r"[^\n]", "", block.group()), 1)
        if words.startswith("not run: ") and len(words) > len("not run: "):
            not_run += 1
            print(f"not run: {where}: {words[9:]}")
        elif words.startswith("file "):
            (folder / words[5:]).write_text(body)
        elif words not in ("", "exact") and not words.startswith("runs "):
            wrong.append(f"{where}: '{words}' is nothing that an example can be")
        elif block["kind"] == "console":
            found = commands_of(body, where, words == "exact")
            if words.startswith("runs "):
                found = [dataclasses.replace(found[0], command=words[5:])]
            if not found:
                wrong.append(f"{where}: a console block without a command that prints something")
            examples += found
        elif words:
            wrong.append(f"{where}: '{words}' in front of a block that is not a console's")
        elif shows_output(body):
            wrong.append(f"{where}: shows a command and its output; allowed is in a console block")
    for block in INDENTED.finditer(without_fences):
        if shows_output(block.group()):
            line = line_of(without_fences, block.start()) + len(block.group()) - len(block.group().lstrip("\n"))
            wrong.append(f"{place(path, root, line)}: shows a command and its output; allowed is in a console block")
    return examples, not_run, wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("halocline", type=pathlib.Path)
    parser.add_argument("--mpirun", type=pathlib.Path, help="starts programs with MPI; without it, examples that need it are not run")
    parser.add_argument("pages", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    root, program = options.root.resolve(), options.halocline.resolve()
    environment = dict(os.environ, PATH=f"{program.parent}:{os.environ['PATH']}")
    passed, not_run, wrong = 0, 0, []
    for path in [page.resolve() for page in options.pages] or guide(root):
        with tempfile.TemporaryDirectory() as name:
            examples, left_out, found = read(path, root, pathlib.Path(name))
            not_run, wrong = not_run + left_out, wrong + found
            for example in examples:
                benchmark = BENCHMARK.match(example.command)
                if benchmark and not shutil.which(benchmark[1], path=environment["PATH"]):
                    not_run += 1
                    print(f"not run: {example.where}: {benchmark[1]} was not built")
                    continue
                if STARTS_RANKS.search(example.command):
                    if not options.mpirun:
                        not_run += 1
                        print(f"not run: {example.where}: no MPI")
                        continue
                    example.command = STARTS_RANKS.sub(lambda m: m[1] + shlex.quote(str(options.mpirun.resolve())) + " ", example.command)
                try:
                    run(example, name, environment)
                    passed += 1
                except Mistake as mistake:
                    wrong.append(f"{example.where}: {mistake}")
    for line in wrong:
        print(f"FAILED: {line}", file=sys.stderr)
    if passed == 0:
        print("FAILED: no example was run", file=sys.stderr)
    print(f"examples not run: {not_run}")
    print(f"cases passed: {passed}")
    return 1 if wrong or passed == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
