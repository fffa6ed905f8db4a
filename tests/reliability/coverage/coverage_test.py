#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What coverage.py counts of files as gcovr describes them."""

import sys

import coverage

passed, failures = [], []


def case(name, file, expected):
    count = coverage.Count()
    count.add(file)
    found = (count.lines, count.lines_run, count.branches, count.branches_taken, dict(count.not_taken))
    if found == expected:
        passed.append(name)
    else:
        failures.append(f"{name}: {found}, not {expected}")


def function(name, line, calls):
    return {"demangled_name": name, "name": name, "lineno": line, "execution_count": calls}


def line(number, name, count, *branches):
    return {"line_number": number, "function_name": name, "count": count, "branches": [{"count": one} for one in branches]}


def main():
    plain = {"functions": [function("f()", 1, 3)], "lines": [line(2, "f()", 3, 3, 0), line(3, "f()", 0, 0, 0), line(4, "f()", 3)]}
    case("a function", plain, (3, 2, 4, 1, {2: 1}))
    both = {"functions": [function("g<int>()", 1, 1), function("g<float>()", 1, 1)], "lines": [line(2, "g<int>()", 1, 1, 0), line(2, "g<float>()", 1, 0, 1)]}
    case("copies of a template that take one branch each", both, (1, 1, 2, 2, {}))
    idle = {"functions": [function("g<int>()", 1, 1), function("g<float>()", 1, 0)], "lines": [line(2, "g<int>()", 1, 1, 0), line(2, "g<float>()", 0, 0, 0, 0)]}
    case("a copy with other branches that did not run", idle, (1, 1, 2, 1, {2: 1}))
    alone = {"functions": [function("g<int>()", 1, 1), function("g<float>()", 1, 0)], "lines": [line(2, "g<int>()", 1), line(3, "g<float>()", 0, 0, 0)]}
    case("a line that only a copy which did not run has", alone, (2, 1, 2, 0, {}))
    none = {"functions": [function("h<int>()", 1, 0), function("h<float>()", 1, 0)], "lines": [line(2, "h<int>()", 0, 0, 0), line(2, "h<float>()", 0, 0, 0)]}
    case("a template that nothing has run", none, (1, 0, 2, 0, {}))
    for failure in failures:
        print(f"FAILED: {failure}", file=sys.stderr)
    print(f"cases passed: {len(passed)}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
