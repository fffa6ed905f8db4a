# SPDX-License-Identifier: BSD-3-Clause
"""The package and a user's program under mypy --strict."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import halocline

PROGRAM = Path(__file__).with_name("typed_program.py")


def check(program, tmp_path):
    """mypy's errors, in the program and in the package."""
    pytest.importorskip("mypy")
    package = Path(halocline.__file__).parents[1]
    config = tmp_path / "mypy.ini"
    # The types of arrays in what nanobind writes have no arguments.
    config.write_text("[mypy]\nstrict = true\n[mypy-halocline._core]\nignore_errors = true\n[mypy-torch.*,jax.*]\nignore_missing_imports = true\n")
    return subprocess.run(
        [sys.executable, "-m", "mypy", f"--config-file={config}", f"--cache-dir={tmp_path}", str(program)], capture_output=True, text=True, timeout=250,
        cwd=tmp_path, env={**os.environ, "MYPYPATH": str(package)},
    )  # fmt: skip


def test_a_program_is_typed(tmp_path):
    right = check(PROGRAM, tmp_path)
    assert right.returncode == 0, right.stdout + right.stderr
    wrong = tmp_path / "wrong.py"
    wrong.write_text(PROGRAM.read_text().replace("domain.exchange({", "domain.exchnage({").replace("ready: bool", "ready: str"))
    ended = check(wrong, tmp_path)
    assert ended.returncode == 1 and "exchnage" in ended.stdout and "Incompatible types" in ended.stdout


def test_the_program_runs():
    ended = subprocess.run([sys.executable, PROGRAM], capture_output=True, text=True, timeout=60)
    assert ended.returncode == 0 and ended.stdout.endswith("\n7.0\n"), ended.stdout + ended.stderr
