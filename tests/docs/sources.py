# SPDX-License-Identifier: BSD-3-Clause
"""Values out of raw data, named by the words of a marker (see figures.py)."""

import csv
import fnmatch
import functools
import json
import re
import shlex
import statistics

from markdown import Mistake

NUMBER = re.compile(r"(?<![\w.^])[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:[eE][-+]?\d+)?")

REDUCTIONS = {
    "median": statistics.median,
    "mean": statistics.mean,
    "least": min,
    "most": max,
    "count": len,
    "median_size": lambda values: statistics.median(abs(v) for v in values),
    "largest_size": lambda values: max(abs(v) for v in values),
}

# Combinations of values; each takes one word or more on each side.
PAIRS = {
    "minus": lambda a, b: a - b,
    "over": lambda a, b: a / b,
    "of": lambda a, b: 100 * a / b,
    "off": lambda a, b: 100 * (a / b - 1),
    "below": lambda a, b: 100 * (1 - a / b),
}


def to_number(text):
    return float(text.replace(",", ""))


@functools.lru_cache(maxsize=None)
def read(path):
    if not path.is_file():
        raise Mistake(f"there is no file {path}")
    return path.read_text(encoding="utf-8")


@functools.lru_cache(maxsize=None)
def table(path):
    return list(csv.DictReader(read(path).splitlines()))


def from_text(path, words):
    """The n-th number (@n, or the first) behind the given words in the one line that has them, or in the k-th such line (#k)."""
    numbers = [int(w[1:]) for w in words if re.fullmatch(r"@[1-9]\d*", w)] or [1]
    lines = [int(w[1:]) for w in words if re.fullmatch(r"#[1-9]\d*", w)]
    looked_for = [w for w in words if not re.fullmatch(r"[@#]\d+", w)]
    pattern = re.compile(r"(?<!\w)" + r"\s+".join(re.escape(part) for w in looked_for for part in w.split()) + r"(?!\w)")
    found = [line[match.end():] for line in read(path).splitlines() for match in [pattern.search(line)] if match]
    if not found or (not lines and len(found) != 1):
        raise Mistake(f"{path.name}: {len(found)} lines have '{' '.join(looked_for)}'; allowed is 1, or a choice by #k")
    if lines and lines[0] > len(found):
        raise Mistake(f"{path.name}: {len(found)} lines have '{' '.join(looked_for)}', there is no #{lines[0]}")
    rest = NUMBER.findall(found[lines[0] - 1 if lines else 0])
    if numbers[0] > len(rest):
        raise Mistake(f"{path.name}: behind '{' '.join(looked_for)}' are {len(rest)} numbers, there is no @{numbers[0]}")
    return to_number(rest[numbers[0] - 1])


def from_csv(path, words):
    """A column of the one row with all key=value (* stands for anything), or a reduction of the rows that have them."""
    reductions = [w for w in words if w in REDUCTIONS]
    wanted = [w.split("=", 1) for w in words if "=" in w]
    columns = [w for w in words if "=" not in w and w not in REDUCTIONS]
    if len(columns) != 1 or len(reductions) > 1:
        raise Mistake(f"{path.name}: '{' '.join(words)}' names {len(columns)} columns; allowed is one, and one reduction at most")
    for key in [key for key, _ in wanted] + columns:
        if key not in table(path)[0]:
            raise Mistake(f"{path.name} has no column '{key}'")
    rows = [row for row in table(path) if all(fnmatch.fnmatchcase(row[key], value) for key, value in wanted)]
    if not rows or (not reductions and len(rows) != 1):
        raise Mistake(f"{path.name}: {len(rows)} rows are like '{' '.join(words)}'; allowed is 1, or a reduction")
    values = [float(row[columns[0]]) for row in rows]
    return REDUCTIONS[reductions[0]](values) if reductions else values[0]


def from_json(path, words):
    value = json.loads(read(path))
    for key in words[0].split("."):
        try:
            value = value[int(key)] if isinstance(value, list) else value[key]
        except (KeyError, IndexError, ValueError, TypeError):
            raise Mistake(f"{path.name} has no '{words[0]}'") from None
    return float(value)


def single(words, results, default):
    """The value that words without a pair name: a file (or the marker's), what to take of it, and factors such as *1e6; or a number."""
    factor = 1.0
    for word in [w for w in words if re.fullmatch(r"[*/][\d.]+(e-?\d+)?", w)]:
        factor = factor * float(word[1:]) if word[0] == "*" else factor / float(word[1:])
    words = [w for w in words if not re.fullmatch(r"[*/][\d.]+(e-?\d+)?", w)]
    if len(words) == 1 and NUMBER.fullmatch(words[0]):
        return factor * to_number(words[0])
    path = results / default
    if words and re.search(r"\.(txt|csv|json)$", words[0]):
        beside = (path if path.is_dir() else path.parent) / words[0]
        path, words = beside if beside.is_file() else results / words[0], words[1:]
    if not words:
        raise Mistake(f"nothing is asked of {path.name}")
    if path.is_dir():
        raise Mistake(f"'{' '.join(words)}' names no file, and the marker names none")
    by_kind = {".csv": from_csv, ".json": from_json}
    return factor * by_kind.get(path.suffix, from_text)(path, words)


def value_of(reference, results, default=""):
    """The value of a reference: words, or words, one of PAIRS, words."""
    try:
        words = shlex.split(reference)
    except ValueError as error:
        raise Mistake(f"'{reference}': {error}") from None
    for index, word in enumerate(words):
        if word in PAIRS:
            return PAIRS[word](single(words[:index], results, default), single(words[index + 1:], results, default))
    return single(words, results, default)
