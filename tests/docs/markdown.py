# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of documents share: which files they read, and where a position lies in a file."""

import pathlib


class Mistake(Exception):
    """A marker or an example that is not right; the text says what and where."""


def guide(root):
    """README.md, the pages of the guide and the measurements."""
    return [root / "README.md"] + [page for part in ("guide", "measurements") for page in sorted((root / "docs" / part).glob("*.md"))]


def records(root):
    """The decision records."""
    return sorted((root / "docs" / "decisions").glob("*.md"))


def line_of(text, position):
    """The number of the line that holds a position, from 1."""
    return text.count("\n", 0, position) + 1


def place(path, root, line):
    """A line of a file as compilers write it."""
    path = pathlib.Path(path)
    return f"{path.relative_to(root) if root in path.parents else path}:{line}"
