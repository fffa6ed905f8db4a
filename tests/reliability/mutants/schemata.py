# SPDX-License-Identifier: BSD-3-Clause
"""Draws mutants of sites, writes a tree with all of them in it, and builds it.

The kinds of a change, where O is the original text and n the number of the mutant:

    choice     (active(n) ? (P) : (O))                 P: texts of the pattern, and parts of the original
    negated    (active(n) != static_cast<bool>(O))
    removed    (active(n) ? static_cast<void>(0) : static_cast<void>(O))
"""

import pathlib
import random
import re
import shutil
import subprocess

HEADER = "core/mutant.hpp"
KINDS = ("removed", "negated", "choice")
ERROR = re.compile(r": (?:fatal )?error: ")
#: As GCC and as nvcc name them.
PLACE = re.compile(r"^(?P<file>[^\s:(]+)(?::(?P<line>\d+):(?:\d+:)?|\((?P<nvcc>\d+)\):)\s")


def drawn(sites, seed):
    """The sites in the order of the draw: each of them is as likely as any other."""
    order = list(range(len(sites)))
    random.Random(seed).shuffle(order)
    return order


def render(text, start, end, mutants):
    """text[start:end] with these mutants, which are (number, site), in it."""
    out, at = [], start
    # Of two at one place, the one whose type differs from the original's is outside.
    todo = sorted(mutants, key=lambda one: (one[1]["start"], -one[1]["end"], KINDS.index(one[1]["kind"]), one[0]))
    while todo:
        number, site = todo.pop(0)
        s, e = site["start"], site["end"]
        inside = [one for one in todo if s <= one[1]["start"] and one[1]["end"] <= e]
        todo = [one for one in todo if one not in inside]
        if s < at or e > end or any(one[1]["start"] < e for one in todo):
            raise ValueError(f"{site['file']}:{site['line']}: two places overlap")
        original = render(text, s, e, inside)
        parts = [
            part if isinstance(part, str) else render(text, part[0], part[1], [one for one in inside if part[0] <= one[1]["start"] and one[1]["end"] <= part[1]])
            for part in site["pattern"]
        ]
        out.append(text[at:s] + changed(site, number, original, "".join(parts)))
        at = e
    return "".join(out) + text[at:end]


def changed(site, number, original, other):
    asked = f"::halocline::mutants::{'active_unless_constant' if site['constant'] else 'active'}({number})"
    if site["kind"] == "choice":
        body = f"({asked} ? ({other}) : ({original}))"
    elif site["kind"] == "negated":
        body = f"({asked} != static_cast<bool>({original}))"
    else:
        body = f"({asked} ? static_cast<void>(0) : static_cast<void>({original}))"
    return f"/*<{number}*/{body}/*{number}>*/"


def with_header(text):
    """The header is the first include: after the guard of a header, and after the comment of a file."""
    line = f'#include "{HEADER}"\n'
    if "#pragma once\n" in text:
        return text.replace("#pragma once\n", "#pragma once\n" + line, 1)
    return line + text


def lines_of(text, number):
    """The lines of a rendered text that belong to a mutant, also where its text occurs twice."""
    found = set()
    for match in re.finditer(rf"/\*<{number}\*/.*?/\*{number}>\*/", text, re.S):
        first = text.count("\n", 0, match.start()) + 1
        found |= set(range(first, first + match.group(0).count("\n") + 1))
    return found


def shown(site, text):
    """The lines of a site before and after, as one."""
    begin = text.rfind("\n", 0, site["start"]) + 1
    stop = text.find("\n", site["end"])
    original = text[site["start"] : site["end"]]
    if site["kind"] == "choice":
        other = "".join(part if isinstance(part, str) else text[part[0] : part[1]] for part in site["pattern"])
        other = f"({other})" if site["operator"] == "logical" else other  # another precedence
    elif site["kind"] == "removed":
        other = "{}"
    else:
        other = {"true": "false", "false": "true"}.get(original, f"!({original})")
    return " ".join(text[begin:stop].split()), " ".join((text[begin : site["start"]] + other + text[site["end"] : stop]).split())


class Tree:
    """A copy of the sources, and the mutants in it."""

    def __init__(self, root, folder):
        self.root = pathlib.Path(root)
        self.source = pathlib.Path(folder) / "source"

    def copy(self):
        """The files of the working tree that Git has or does not ignore."""
        listed = subprocess.run(
            ["git", "-C", str(self.root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"], capture_output=True, text=True, check=True
        )
        for name in filter(None, listed.stdout.split("\0")):
            # Those of the library are written by put(), which leaves alone what does not change.
            written = re.match(r"src/.*\.(?:[ch]pp|cuh?)$", name) and (self.source / name).is_file()
            if (self.root / name).is_file() and not written:
                write(self.source / name, (self.root / name).read_bytes(), mode=(self.root / name).stat().st_mode)
        shutil.copyfile(self.root / "tests/reliability/mutants/mutant.hpp", self.source / "src" / HEADER)

    def put(self, mutants):
        """Writes the files of these mutants, and all others as they are; returns their texts by file."""
        texts = {}
        for number, site in mutants:
            texts.setdefault(site["file"], []).append((number, site))
        for path in sorted(path for path in (self.root / "src").rglob("*") if path.suffix in (".cpp", ".hpp", ".cu", ".cuh")):
            name = str(path.relative_to(self.root))
            text = path.read_bytes().decode("latin-1")
            if name in texts:
                texts[name] = text = with_header(render(text, 0, len(text), texts[name]))
            write(self.source / name, text.encode("latin-1"))
        return texts


def write(path, content, mode=None):
    """Only what has changed is written, so that only this is compiled."""
    if path.is_file() and path.read_bytes() == content:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    if mode is not None:
        path.chmod(mode)


def refused(output, source, texts, mutants):
    """The numbers of the mutants that the compiler's errors are about; an error about none of them is a ValueError."""
    lines = {}
    for number, site in mutants:
        for line in lines_of(texts[site["file"]], number):
            lines.setdefault((site["file"], line), set()).add(number)
    def about(line):
        place = PLACE.match(line)
        name = place["file"].replace(f"{source}/", "") if place else ""
        return lines.get((name[name.find("src/") :], int(place["line"] or place["nvcc"])), set()) if place else set()

    # A block is an error with the lines around it, of which some show what led to it.
    blocks = [[]]
    for line in output.splitlines():
        if line.startswith("In file included from") or (ERROR.search(line) and any(ERROR.search(one) for one in blocks[-1])):
            blocks.append([])
        blocks[-1].append(line)
    found, unknown = set(), []
    for block in blocks:
        errors = [line for line in block if ERROR.search(line)]
        here = set().union(*map(about, errors)) or set().union(*map(about, block))
        found |= here
        if errors and not here:
            unknown += errors
    if not found:
        raise ValueError("the build failed, and no error is about a mutant: " + (unknown or [output[-2000:]])[0])
    return found


def compiled(tree, sites, order, count, build):
    """The first `count` places of the order that compile together, numbered by their position in it, and those before that do not.

    build() returns None, or what the compiler printed. Numbers stay, so that a place that is left out changes one file.
    """
    taken, mutants, left_out = iter(enumerate(order, 1)), [], []
    while True:
        while len(mutants) < count:
            number, place = next(taken, (None, None))
            if number is None:
                raise ValueError(f"of {len(sites)} places {len(mutants)} compile; allowed is a number of mutants up to that, not {count}")
            mutants.append((number, sites[place]))
        texts = tree.put(mutants)
        output = build()
        if output is None:
            return mutants, left_out
        bad = refused(output, tree.source.resolve(), texts, mutants)
        print(f"{len(bad)} places do not compile: {', '.join(sorted(shown_at(site) for number, site in mutants if number in bad))}", flush=True)
        left_out += [one for one in mutants if one[0] in bad]
        mutants = [one for one in mutants if one[0] not in bad]


def shown_at(site):
    return f"{site['file']}:{site['line']} {site['operator']}"
