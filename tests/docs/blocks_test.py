#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""blocks.py finds what is wrong: pages with one mistake each, and a header that stands for the library's.

    blocks_test.py COMPILER FLAG ...
"""

import pathlib
import subprocess
import sys
import tempfile

from planted import run_planted

HERE = pathlib.Path(__file__).resolve().parent


def cpp(body, marker=""):
    return f"{marker}```cpp\n{body}```\n"


def python(body, marker=""):
    return f"{marker}```python\n{body}```\n"


PROGRAM = "#include <halocline/halocline.hpp>\nint main() {\n  return halo::two();\n}\n"

PAGES = [
    # text, exit code, words of standard error
    (cpp(PROGRAM), 0, ""),
    (cpp(PROGRAM.replace("two", "three")), 1, "README.md:4:16: error: "),
    (cpp(PROGRAM.replace("#include <halocline/halocline.hpp>", "")), 1, "README.md:4:10: error: "),
    (cpp("int a = halo::two();\n") + cpp("int a = 2 * halo::two();\n"), 0, ""),
    ("One\nline.\n" + cpp("#include <vector>\nstd::vector<int> a(halo::two());\n") + cpp("int c = b;\n"), 1, "README.md:8:9: error: "),
    (cpp("launch(...);\n"), 1, "README.md:2:"),
    (cpp("int a = halo::inner();\n"), 1, "README.md:2:15: error: "),
    (cpp('#include "inner.hpp"\nint a = halo::inner();\n'), 1, "inner.hpp"),
    (cpp('#include "inner.hpp"\nint a = halo::inner();\n', "<!-- block: source tree -->\n"), 0, ""),
    (cpp("int a = 2;\n") + cpp("a<<<1, 2>>>(...);\n", "<!-- block: not compiled: needs nvcc -->\n"), 0, ""),
    (cpp("a<<<1, 2>>>(...);\n", "<!-- block: not compiled: needs nvcc -->\n"), 1, "there was no block"),
    (cpp("a<<<1, 2>>>(...);\n", "<!-- block: not compiled: -->\n"), 1, "nothing that a block can be"),
    (cpp("int a = 2;\n") + cpp("a<<<1, 2>>>(...);\n", "<!-- block: from examples/a.cu -->\n"), 0, ""),
    (cpp("int a = 2;\n", "<!-- block: perhaps -->\n"), 1, "nothing that a block can be"),
    ("```\na = halo::two();  // two\n```\n" + cpp("int a = 2;\n"), 1, "README.md:2: statements without a language"),
    ("```\nfor (;;) {\n```\n" + cpp("int a = 2;\n"), 1, "README.md:2: statements without a language"),
    ("```\na; b\n```\n" + cpp("int a = 2;\n"), 0, ""),
    (python("a = 2\n") + python("assert a == 2\n"), 0, ""),
    (python("a = 2\n\na = b\n"), 1, "README.md:4: NameError"),
    (python("a = 2\n") + python("a = (\n"), 1, "README.md:5: "),
    (python("a = 2\n") + python("a = b\n", "<!-- block: not run: needs a GPU -->\n"), 0, ""),
    (python("a = 2\n") + python("a = (\n", "<!-- block: not run: needs a GPU -->\n"), 1, "README.md:6: "),
    (python("a = 2\n") + python("a = b\n", "<!-- block: needs no_such_module -->\n"), 0, ""),
    (python("a = 2\n") + python("a = b\n", "<!-- block: from examples/a.py -->\n"), 0, ""),
    (python("a = b\n", "<!-- block: needs sys -->\n"), 1, "README.md:3: NameError"),
    (python("a = 2\n", "<!-- block: not run: -->\n"), 1, "nothing that a block can be"),
    ("Nothing is shown here.\n", 1, "there was no block"),
]


def run(text):
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        (root / "README.md").write_text(text)
        (root / "include" / "halocline").mkdir(parents=True)
        (root / "include" / "halocline" / "halocline.hpp").write_text("#pragma once\nnamespace halo { inline int two() { return 2; } }\n")
        (root / "src").mkdir()
        (root / "src" / "inner.hpp").write_text("#pragma once\nnamespace halo { inline int inner() { return 3; } }\n")
        what = ["python"] if "```python" in text else ["cpp", "--", *sys.argv[1:]]
        return subprocess.run([sys.executable, HERE / "blocks.py", root, *what], capture_output=True, text=True, check=False)


if __name__ == "__main__":
    sys.exit(run_planted(PAGES, run))
