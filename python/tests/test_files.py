# SPDX-License-Identifier: BSD-3-Clause
"""Images and checkpoints from Python."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from test_lifetime import run

import halocline

SHAPE = (6, 8, 10)
FIELDS = {"u": {"dtype": "float64", "buffers": 2}, "v": {"dtype": "int32", "components": 2}}
whole = np.arange(np.prod(SHAPE), dtype=np.float64).reshape(SHAPE)


def made(devices=2, fields=FIELDS, shape=SHAPE):
    domain = halocline.Domain(shape, 1, fields, devices=devices)
    for field in domain.fields.values():
        field.set(0)
    return domain


def cells_of(image, name, count, dtype):
    """The cells of one array of an image, z, y, x and the components last."""
    content = image.read_bytes()
    begin = content.index(b'encoding="raw">\n_') + len(b'encoding="raw">\n_')
    offset = int(re.search(rf'Name="{name}"[^>]*offset="(\d+)"', content[:begin].decode())[1])
    return np.frombuffer(content, dtype, count * np.prod(SHAPE), begin + offset + 8).reshape(*SHAPE, count)


@pytest.fixture
def checkpoints():
    """A function that makes Checkpoints; skips without xxHash."""

    def make(domain, folder, **options):
        try:
            return halocline.Checkpoints(domain, folder, **options)
        except halocline.errors.CapabilityError as error:
            pytest.skip(str(error))

    return make


def test_images_have_the_cells_of_the_call_to_start(tmp_path):
    with made() as domain:
        output = halocline.Output(domain, tmp_path / "heat.pvd", origin=(3, 2, 1), spacing=(0.3, 0.2, 0.1))
        domain["u"].set(whole)
        domain["v"].set(np.stack([whole, -whole]).astype(np.int32))
        output.start(120, 1.5)
        domain["u"].set(-1)  # later than start()
        output.finish()
        output.write(130, 2.0)
    image = tmp_path / "heat-000120.vti"
    assert np.array_equal(cells_of(image, "u", 1, np.float64)[..., 0], whole)
    assert np.array_equal(cells_of(image, "v", 2, np.int32), np.stack([whole, -whole], axis=-1))
    assert (cells_of(tmp_path / "heat-000130.vti", "u", 1, np.float64) == -1).all()
    assert b'Origin="1 2 3" Spacing="0.1 0.2 0.3"' in image.read_bytes()
    series = (tmp_path / "heat.pvd").read_text()
    assert re.findall('timestep="(.*?)".*file="(.*?)"', series) == [("1.5", "heat-000120.vti"), ("2", "heat-000130.vti")]


def test_a_series_is_resumed_and_has_the_fields_that_are_asked_for(tmp_path):
    with made() as domain:
        halocline.Output(domain, str(tmp_path / "u.pvd")).write(1, 1)
        halocline.Output(domain, str(tmp_path / "u.pvd"), fields=["v"], resume=True).write(2, 2)
    assert (tmp_path / "u.pvd").read_text().count("<DataSet") == 2
    assert b'Name="u"' not in (tmp_path / "u-000002.vti").read_bytes()


def test_checkpoints_are_restored_on_other_devices(tmp_path, checkpoints):
    with made() as domain:
        domain["u"].set(whole)
        saved = checkpoints(domain, tmp_path / "saved")
        assert saved.restore() is None
        saved.start({"step": "7"})
        domain["u"].set(-1)
        saved.finish()
    with made(devices=3) as domain:
        restored = checkpoints(domain, tmp_path / "saved").restore()
        assert restored.metadata == {"step": "7"} and restored.refused == []
        assert os.path.samefile(os.path.dirname(restored.file), tmp_path / "saved")
        assert np.array_equal(domain["u"].gather(), whole)


def test_generations_buffers_and_damage(tmp_path, checkpoints):
    with made() as domain:
        saved = checkpoints(domain, tmp_path / "saved", generations=3, fields=["u"], all_buffers=True)
        for number in range(4):
            domain["u"].set(number)
            domain["u"].swap()
            domain["u"].set(10 + number)
            saved.write({"number": str(number)})
        manifests = sorted((tmp_path / "saved").glob("*.json"))
        assert len(manifests) == 3
        manifests[-1].write_text("{}")
        restored = saved.restore()
        assert restored.metadata == {"number": "2"} and manifests[-1].name in restored.refused[0]
        assert (domain["u"].gather() == 12).all()
        domain["u"].swap()
        assert (domain["u"].gather() == 2).all()


def test_errors_name_what_is_allowed(tmp_path, checkpoints):
    invalid = halocline.errors.InvalidArgument
    with made() as domain:
        with pytest.raises(invalid, match=r"name that ends in \.pvd"):
            halocline.Output(domain, tmp_path / "heat.vti")
        with pytest.raises(invalid, match="spacing is .*three numbers: z, y, x"):
            halocline.Output(domain, tmp_path / "u.pvd", spacing=(1, 1))
        with pytest.raises(invalid, match="spacing of an output is 0 in z"):
            halocline.Output(domain, tmp_path / "u.pvd", spacing=(0, 1, 1))
        with pytest.raises(KeyError, match="field is 'w'; allowed is one of u, v"):
            halocline.Output(domain, tmp_path / "u.pvd", fields=["w"])
        with pytest.raises(invalid, match="fields is empty"):
            checkpoints(domain, tmp_path / "saved", fields=[])
        with pytest.raises(invalid, match="stream is 7; allowed is None on host devices"):
            halocline.Output(domain, tmp_path / "u.pvd").write(0, 0, stream=7)
        output = halocline.Output(domain, tmp_path / "u.pvd")
        with pytest.raises(invalid, match=r"without a start\(\)"):
            output.finish()
        saved = checkpoints(domain, tmp_path / "saved")
        with pytest.raises(invalid, match="metadata has 'step': 7; allowed are strings"):
            saved.write({"step": 7})
        saved.write()
    with pytest.raises(invalid, match="domain is closed"):
        output.write(1, 1)
    with pytest.raises(invalid, match="domain is closed"):
        saved.restore()
    with made(fields={"u": "float32"}) as domain:
        with pytest.raises(invalid, match=r"(?s)none of the 1 checkpoints.*is of another domain"):
            checkpoints(domain, tmp_path / "saved").restore()
    unrealized = halocline.Domain(SHAPE)
    with pytest.raises(invalid, match=r"allowed is this call after realize\(\)"):
        halocline.Output(unrealized, tmp_path / "u.pvd")


def test_the_example_continues_with_the_bits_of_an_uninterrupted_run(tmp_path, checkpoints):
    with made() as domain:
        checkpoints(domain, tmp_path)  # or skip

    def heat(*words):
        example = Path(__file__).parents[2] / "examples" / "heat_files.py"
        ended = subprocess.run([sys.executable, example, *words], capture_output=True, text=True, timeout=120, cwd=tmp_path)
        assert ended.returncode == 0 and "passed" in ended.stdout, ended.stdout + ended.stderr

    for folder in ("whole", "parts"):
        (tmp_path / folder).mkdir()
    heat("--output", "whole")
    heat("--output", "parts", "--steps", "30", "--checkpoint", "saved")
    heat("--output", "parts", "--restart", "saved")
    names = ["heat.pvd"] + [f"heat-0000{step}.vti" for step in (10, 20, 30, 40, 50)]
    assert sorted(os.listdir(tmp_path / "parts")) == sorted(names)
    for name in names:
        assert (tmp_path / "parts" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes(), name


def test_what_was_started_ends_with_the_program_or_the_domain(tmp_path, checkpoints):
    with made() as domain:
        saved = checkpoints(domain, tmp_path / "saved")
        saved.start()
    del saved, domain
    assert not list((tmp_path / "saved").glob("*.json"))
    ended = run(
        "import halocline, os\n"
        f"d = halocline.Domain({SHAPE}, 1, {{'u': 'float64'}}, devices=2)\n"
        f"c = halocline.Checkpoints(d, {str(tmp_path / 'saved')!r})\n"
        "c.start()\n"
        "if os.fork() == 0:\n"
        "    try:\n"
        "        c.finish()\n"
        "    except halocline.errors.InvalidArgument as error:\n"
        "        print(error, flush=True)\n"
        "    del c, d\n"
        "    os._exit(0)\n"
        "os.wait()\n"
    )
    assert ended.returncode == 0, ended.stderr
    assert "another process" in ended.stdout
