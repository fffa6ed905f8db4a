# SPDX-License-Identifier: BSD-3-Clause
"""Arrays, domains and processes end in any order."""

import gc
import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import halocline


def small(**options):
    return halocline.Domain((8, 8, 8), 1, {"u": "float32"}, devices=2, **options)


def test_close_is_refused_while_arrays_exist():
    domain = small()
    view = domain["u"].blocks[1].array[1:-1, 1:-1, 1:-1]
    with pytest.raises(BufferError, match="1 array"):
        domain.close()
    view[...] = 3
    del view
    domain.close()
    domain.close()


def test_arrays_keep_their_domain():
    domain = small()
    array = domain["u"].blocks[0].array
    array[...] = 4
    del domain
    gc.collect()
    assert (array == 4).all()


def test_calls_after_close_name_what_is_allowed():
    domain = small()
    domain.close()
    for call in (domain.exchange, domain.synchronize, domain["u"].swap, domain["u"].gather, lambda: domain["u"].blocks[0].array):
        with pytest.raises(halocline.errors.InvalidArgument, match="closed"):
            call()


def test_calls_before_realize_name_what_is_allowed():
    domain = halocline.Domain((8, 8, 8))
    field = domain.add_field("u", "float64")
    for call in (domain.exchange, lambda: field.blocks, domain.explain):
        with pytest.raises(halocline.errors.InvalidArgument, match="realize"):
            call()
    domain.realize()
    assert field.array.shape == (10, 10, 10)


def run(text, **environment):
    return subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, timeout=120, env={**os.environ, **environment}
    )


def test_programs_end_with_everything_open():
    ended = run(
        "import halocline\n"
        "d = halocline.Domain((8, 8, 8), 1, {'u': 'float32'}, devices=2)\n"
        "a = d['u'].blocks[0].array\n"
        "e = d.start_exchange()\n"
    )
    assert ended.returncode == 0, ended.stderr


def test_domains_of_one_process_are_closed_with_their_last_reference():
    ended = run(
        "import halocline\n"
        "d = halocline.Domain((8, 8, 8), 1, {'u': 'float32'}, devices=2)\n"
        "d.exchange()\n"
        "del d\n"
        "print('here')\n"
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "here\n", "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_forked_process_is_refused_by_name():
    ended = run(
        "import os, halocline\n"
        "d = halocline.Domain((8, 8, 8), 1, {'u': 'float32'}, devices=2)\n"
        "if os.fork() == 0:\n"
        "    try:\n"
        "        d.exchange()\n"
        "    except halocline.errors.InvalidArgument as error:\n"
        "        print(error, flush=True)\n"
        "    del d\n"
        "    os._exit(0)\n"
        "os.wait()\n"
        "d.exchange()\n"
        "d.close()\n"
    )
    assert ended.returncode == 0, ended.stderr
    assert "another process" in ended.stdout


def test_waits_release_the_interpreter_lock():
    with halocline.Domain((160, 160, 160), 3, {"u": {"dtype": "float64", "components": 6}}, devices=2) as domain:
        counts = [0]
        done = threading.Event()

        def count():
            while not done.is_set():
                counts[0] += 1
                time.sleep(1e-4)

        thread = threading.Thread(target=count)
        thread.start()
        most = 0
        for _ in range(10):
            before = counts[0]
            domain.exchange()
            most = max(most, counts[0] - before)
        done.set()
        thread.join()
        assert most >= 3


def test_an_error_in_a_with_statement_is_the_one_that_is_seen():
    with pytest.raises(ZeroDivisionError):
        with small() as domain:
            array = domain["u"].blocks[0].array
            array[0, 0, 0] = np.float32(1) / (1 // 0)
