#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Wrong command lines, generated from the help of every command: each must be refused by exit code 2 and one line on standard error of at most
400 printable characters, which names the option and what is allowed, with nothing on standard output, within 10 s.

    command_lines.py HALOCLINE [--first SEED] [--count N]

A seed is one command line; a failure prints it.
"""

import argparse
import os
import random
import re
import subprocess
import sys
import tempfile

#: Placeholders of values in the help, and values that none of their options allows.
INTEGERS = ["", " ", "x", "1.5", "-1", "nan", "1e3", "0x10", "99999999999999999999", "1,x", "٣", "1\n", "\x1b[31m1", "7" * 5000, "--", "+ 1", "true"]
NUMBERS = ["", "x", "-1", "nan", "inf", "1e999", "1,5", "\x00".replace("\x00", "\x07"), "9" * 400, "--", "1e", "0x", "½"]
WORDS = ["", "nonsense", "AUTO matic", "\x1b[31mexact", "exact,exact,", "x" * 5000, "é" * 30, "'; ls", "-", "--size"]
TRIPLES = [["1", "2"], ["0"], ["-4"], ["x"], ["1.5", "2", "3"], ["nan"], ["4", "4", "4", "4"], ["99999999999999999999"], [""], ["8x8x8"]]
BAD = {
    "N": INTEGERS, "D": INTEGERS, "K": INTEGERS, "SECONDS": NUMBERS, "METHOD": WORDS, "KIND": WORDS, "WHICH": WORDS, "HOW": WORDS, "NAMES": WORDS,
    "DIMS": WORDS, "NxTYPE": WORDS, "X Y Z": TRIPLES, "NAME": WORDS,
}  # fmt: skip


def commands_of(text):
    """Names in the section of subcommands."""
    section = re.search(r"^Subcommands:\n((?:  .*\n|\n)*)", text, re.M)
    return re.findall(r"^  (\w[\w-]*)", section.group(1), re.M) if section else []


def options_of(text):
    return re.findall(r"^  (?:-\w,)?(--[\w-]+) ([A-Z]\w*(?: [A-Z]\w*)*)?", text, re.M)


def words_of(value):
    return value if isinstance(value, list) else [value]


class Tool:
    def __init__(self, executable):
        self.executable = executable
        self.environment = {**os.environ, "HALOCLINE_BACKEND": "host", "COLUMNS": "100", "LC_ALL": "C.UTF-8"}
        self.options = {}
        self._read([])
        self.options.pop("help", None)

    def run(self, words):
        return subprocess.run([self.executable, *words], capture_output=True, timeout=10, env=self.environment, stdin=subprocess.DEVNULL)

    def _read(self, command):
        text = self.run([*command, "--help"]).stdout.decode()
        # Of a kernel's numbers one alone means nothing, which is what the error names then.
        found = [(name, value) for name, value in options_of(text) if value in BAD and not name.endswith("-per-cell")]
        if command:
            self.options[" ".join(command)] = found
        for name in commands_of(text):
            if name not in ("help", "manual"):
                self._read([*command, name])

    def line_of(self, seed):
        """A command line that is wrong, and the words of which the error must have one."""
        chosen = random.Random(seed)
        command = chosen.choice(sorted(self.options))
        words = command.split()
        options = self.options[command]
        if not options or chosen.random() < 0.1:
            unknown = chosen.choice(["--sise", "-q", "--repeat-", "--no-such-option=1", "-7", "--ﬁelds", "--\x1b[31m", "--" + "y" * 3000])
            return [*words, unknown], None
        name, placeholder = chosen.choice(options)
        kind = chosen.random()
        if kind < 0.1:
            return [*words, name], name  # without its value
        value = words_of(chosen.choice(BAD[placeholder]))
        if len(value) == 1 and kind < 0.5:
            return [*words, f"{name}={value[0]}"], name
        return [*words, name, *value], name


def violations(tool, words, name):
    try:
        done = tool.run(words)
    except subprocess.TimeoutExpired:
        return ["no answer within 10 s"]
    found = []
    if done.returncode != 2:
        found.append(f"exit code {done.returncode}")
    if done.stdout:
        found.append(f"{len(done.stdout)} bytes on standard output")
    text = done.stderr.decode(errors="replace")
    line = text.removesuffix("\n")
    if not text.endswith("\n") or "\n" in line:
        found.append(f"{len(line.splitlines())} lines on standard error")
    elif len(line) > 400:
        found.append(f"a line of {len(line)} characters")
    if not line.replace("\n", "").isprintable():
        found.append("characters that are not printable")
    requires_first = re.search(r"' requires [A-Z]", line)  # a word without which the command cannot be
    if name is not None and name.removeprefix("--") not in line and not requires_first:
        found.append(f"{name} is not named")
    if name is not None and not re.search(r"allowed|requires|needs|expects|see '", line):
        found.append("what is allowed is not named")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("halocline")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=200)
    given = parser.parse_args()
    tool = Tool(os.path.abspath(given.halocline))
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for seed in range(given.first, given.first + given.count):
            words, name = tool.line_of(seed)
            found = violations(tool, words, name)
            left = os.listdir(folder)
            if left:
                found.append(f"left {left}")
                for file in left:
                    os.unlink(file)
            if found:
                failed += 1
                print(f"seed {seed}: {[w if len(w) < 60 else w[:60] + '...' for w in words]}: {'; '.join(found)}")
        os.chdir("/")
    print(f"{sum(len(v) for v in tool.options.values())} options of {len(tool.options)} commands")
    print(f"cases passed: {given.count - failed}")
    print(f"cases failed: {failed}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
