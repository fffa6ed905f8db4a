# SPDX-License-Identifier: BSD-3-Clause
"""The code blocks of README.md and of the guide's page run, or are parts of an example that does."""

import pathlib
import re

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).parents[2]


def blocks(name):
    return re.findall(r"^```python\n(.*?)^```", (ROOT / name).read_text(), re.MULTILINE | re.DOTALL)


def test_the_blocks_of_the_page_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {"np": np}
    ran = 0
    heat = (ROOT / "examples/heat.py").read_text()
    for block in blocks("docs/guide/17-python.md"):
        if "mpi4py" in block:
            pytest.importorskip("mpi4py")
            continue  # python/tests/ranks.py
        if "torch" in block or "jax" in block:
            continue  # python/tests/test_gpu_gradients.py, python/tests/test_without_mpi.py, python/tests/test_jax.py
        if "def update" in block:
            for part in block.strip().split("\n\n"):
                assert part in heat
            continue
        if "d" in names and "halocline.Domain" in block:
            names.pop("a", None), names.pop("block", None)
            names.pop("d").close()
        exec(block, names)
        ran += 1
    assert ran == 6
    names["d"].close()


def test_the_heat_equation_has_few_lines():
    lines = [line for line in (ROOT / "examples/heat.py").read_text().splitlines() if line.strip() and not line.startswith("#")]
    assert len(lines) <= 25


def test_the_blocks_of_the_readme_run():
    found = blocks("README.md")
    assert found
    for block in found:
        exec(block, {})
