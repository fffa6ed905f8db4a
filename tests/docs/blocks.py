#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compiles the C++ that README.md and the guide show, and runs their Python.

    blocks.py ROOT cpp -- COMPILER FLAG ...
    blocks.py ROOT python [--without MODULE]

A block ```cpp that has a main() is a program and is compiled by itself. Any other is the body of a function; names that it uses and does not
declare are declared in tests/docs/blocks/PAGE.hpp, which stands in front of the page's blocks. All such blocks are compiled as one file.
Compilers name the line of the page. A block without a language has no statements: they would not be compiled.

Blocks ```python of a page run one after the other in one namespace and one folder, which is empty at first, behind tests/docs/blocks/PAGE.py
where there is one.

A comment in front of a block says what else is to be known:

    <!-- block: source tree -->       C++ that includes headers of src/, which are not installed
    <!-- block: not compiled: WHY -->
    <!-- block: needs MODULE -->      Python that runs where the module is installed and not named by --without, and is compiled elsewhere
    <!-- block: not run: WHY -->      Python that is only compiled
    <!-- block: from FILE -->         lines of an example, which quotes.py compares
"""

import argparse
import contextlib
import dataclasses
import importlib.util
import io
import pathlib
import re
import subprocess
import sys
import tempfile
import traceback

from markdown import guide, line_of, place

BLOCK = re.compile(r"(?:^<!-- block: (?P<words>[^\n]*?) -->\n+)?^```(?P<kind>[a-z]*)\n(?P<body>.*?)^```$", re.M | re.S)
STATEMENT = re.compile(r"[;{]\s*(//.*)?$", re.M)
INCLUDE = re.compile(r"^#\s*include\b.*$", re.M)
HERE = pathlib.Path(__file__).resolve().parent / "blocks"


@dataclasses.dataclass
class Block:
    page: pathlib.Path
    line: int
    where: str
    words: str
    body: str


def blocks_of(page, root, kind):
    text = page.read_text(encoding="utf-8")
    for found in BLOCK.finditer(text):
        line = line_of(text, found.start("body"))
        if found["kind"] == kind:
            yield Block(page, line, place(page, root, line), found["words"] or "", found["body"])


def reason(words, what):
    """Why a block is left out; empty where it is not."""
    return words[len(what) :].strip() if words.startswith(what) else ""


def lines_from(path, line, text):
    """The text, whose first line is that line of a file, without its includes."""
    return f'#line {line} "{path}"\n' + INCLUDE.sub("", text) + "\n"


def source_of(fragments):
    """One file of all fragments: the includes, then for each page its names and a function for each of its blocks."""
    includes, pages = ["#include <halocline/halocline.hpp>"], {}
    for block in fragments:
        includes += INCLUDE.findall(block.body)
        pages.setdefault(block.page, []).append(block)
    body = ""
    for page, blocks in pages.items():
        body += f"namespace page_{re.sub('[^A-Za-z0-9]', '_', page.stem)} {{\n"
        names = HERE / f"{page.stem}.hpp"
        if names.exists():
            text = names.read_text(encoding="utf-8")
            includes += INCLUDE.findall(text)
            body += lines_from(names, 1, text)
        for block in blocks:
            body += f"void block_{block.line}() {{\n{lines_from(block.where.rsplit(':', 1)[0], block.line, block.body)}}}\n"
        body += "}\n"
    return "\n".join(dict.fromkeys(includes)) + "\n" + body


def compiled(compiler, source, name):
    """What the compiler prints; empty where it accepts the source."""
    result = subprocess.run([*compiler, "-fsyntax-only", "-x", "c++", "-"], input=source, capture_output=True, text=True, check=False)
    return "" if result.returncode == 0 else f"{name}: does not compile\n{result.stderr or result.stdout}"


def check_cpp(root, pages, compiler):
    programs, fragments, in_tree, passed, wrong = [], [], [], 0, []
    for page in pages:
        for block in blocks_of(page, root, ""):
            if STATEMENT.search(block.body):
                wrong.append(f"{block.where}: statements without a language, which nothing compiles; allowed is ```cpp")
        for block in blocks_of(page, root, "cpp"):
            if reason(block.words, "from "):
                continue
            if why := reason(block.words, "not compiled:"):
                print(f"not compiled: {block.where}: {why}")
            elif block.words not in ("", "source tree"):
                wrong.append(f"{block.where}: '{block.words}' is nothing that a block can be")
            elif re.search(r"^int main\(", block.body, re.M):
                programs.append(block)
            else:
                (in_tree if block.words else fragments).append(block)
    path = [*compiler, "-I", str(root / "include")]
    for block in programs:
        source = f'#line {block.line} "{block.where.rsplit(":", 1)[0]}"\n{block.body}'
        error = compiled(path, source, block.where)
        wrong += [error] if error else []
        passed += not error
    for blocks, flags in ((fragments, []), (in_tree, ["-I", str(root / "src")])):
        if blocks:
            error = compiled([*path, *flags], source_of(blocks), ", ".join(block.where for block in blocks))
            wrong += [error] if error else []
            passed += 0 if error else len(blocks)
    return passed, wrong


def run_block(block, names, without):
    """What is wrong with a block of Python; empty where nothing is."""
    name = block.where.rsplit(":", 1)[0]
    try:
        code = compile("\n" * (block.line - 1) + block.body, name, "exec")
    except SyntaxError as error:
        return f"{name}:{error.lineno}: {error.msg}"
    needed = reason(block.words, "needs ")
    if why := reason(block.words, "not run:"):
        print(f"not run: {block.where}: {why}")
    elif needed and (needed == without or importlib.util.find_spec(needed) is None):
        print(f"not run: {block.where}: {needed} is not there")
    elif block.words and not needed:
        return f"{block.where}: '{block.words}' is nothing that a block can be"
    else:
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                exec(code, names)  # pylint: disable=exec-used
        except Exception as error:  # whatever a block raises
            lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == name]
            return f"{name}:{lines[-1]}: {type(error).__name__}: {error}"
    return ""


def check_python(root, pages, without):
    passed, wrong = 0, []
    for page in pages:
        blocks = [block for block in blocks_of(page, root, "python") if not reason(block.words, "from ")]
        if not blocks:
            continue
        names, set_up = {"__name__": "blocks"}, HERE / f"{page.stem}.py"
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            if set_up.exists():
                exec(compile(set_up.read_text(encoding="utf-8"), set_up, "exec"), names)  # pylint: disable=exec-used
            for block in blocks:
                error = run_block(block, names, without)
                wrong += [error] if error else []
                passed += not error
    return passed, wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("kind", choices=["cpp", "python"])
    parser.add_argument("compiler", nargs="*")
    parser.add_argument("--without", help="a module that blocks cannot use here")
    options = parser.parse_args()
    root = options.root.resolve()
    pages = guide(root)
    passed, wrong = check_cpp(root, pages, options.compiler) if options.kind == "cpp" else check_python(root, pages, options.without)
    for line in wrong:
        print(f"FAILED: {line}", file=sys.stderr)
    if passed == 0:
        print("FAILED: there was no block", file=sys.stderr)
    print(f"cases passed: {passed}")
    return 1 if wrong or passed == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
