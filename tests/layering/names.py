#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Fails where two headers define a class of one name in one namespace.

    names.py ROOT

The linker takes one of the two for both, without an error. Looks at headers of include/, src/, bindings/ and python/src/, at definitions at
the start of a line.
"""

import collections
import pathlib
import re
import sys

BEGIN = re.compile(r"namespace(?: \[\[[^\]]*\]\])?(?: ([\w:]+))? \{")
END = re.compile(r"\}\s*// namespace")
CLASS = re.compile(r"(?:class|struct|enum class)(?: \[\[[^\]]*\]\])? (\w+(?:::\w+)*)(?: final)?\s*(?::(?!:)[^;]*)?\{")


def classes_of(text):
    """Qualified names of the classes that a header defines outside of unnamed namespaces."""
    spaces = []
    for line in text.splitlines():
        if begin := BEGIN.match(line):
            spaces.append(begin[1])
        elif END.match(line) and spaces:
            spaces.pop()
        elif (found := CLASS.match(line)) and None not in spaces:
            yield "::".join([*spaces, found[1]])


def main():
    root = pathlib.Path(sys.argv[1])
    where = collections.defaultdict(list)
    for folder in ("include", "src", "bindings", "python/src"):
        for header in sorted((root / folder).rglob("*.hpp")):
            for name in classes_of(header.read_text(encoding="utf-8")):
                where[name].append(str(header.relative_to(root)))
    twice = {name: files for name, files in where.items() if len(files) > 1}
    for name, files in twice.items():
        print(f"FAILED: {name} is defined in {' and in '.join(files)}", file=sys.stderr)
    if len(where) < 100:
        print(f"FAILED: only {len(where)} classes were found", file=sys.stderr)
        return 1
    print(f"cases passed: {len(where) - len(twice)}")
    return 1 if twice else 0


if __name__ == "__main__":
    sys.exit(main())
