# SPDX-License-Identifier: BSD-3-Clause
"""Processes that share a store instead of MPI, and what is said where a job has no ranks for halocline."""

import os
import socket
import subprocess
import sys
import threading
from multiprocessing.managers import BaseManager
from pathlib import Path

import pytest

import halocline
from halocline import errors

SCRIPT = Path(__file__).with_name("without_mpi.py")


class Values:
    """The functions of torch.distributed's stores that StoreRanks calls."""

    def __init__(self):
        self._values = {}
        self._lock = threading.Lock()

    def set(self, key, value):
        with self._lock:
            self._values[key] = value

    def compare_set(self, key, expected, desired):
        with self._lock:
            if self._values.get(key, expected if not expected else None) == expected:
                self._values[key] = desired
            return self._values.get(key, expected)

    def delete_key(self, key):
        with self._lock:
            return self._values.pop(key, None) is not None

    def count(self):
        return len(self._values)


class Manager(BaseManager):
    pass


_values = Values()


def values():
    """The one of the manager's process."""
    return _values


Manager.register("values", callable=values)


def job(size, argument, **environment):
    """Runs the script on so many ranks; asserts that all pass."""
    ranks = [
        subprocess.Popen(
            [sys.executable, SCRIPT, argument], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "HALOCLINE_BACKEND": "host", "RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": str(size), **environment},
        )
        for rank in range(size)
    ]  # fmt: skip
    ended = [rank.communicate(timeout=100) for rank in ranks]
    assert [out for out, _ in ended] == ["passed\n"] * size, "\n".join(error for _, error in ended)


@pytest.mark.parametrize("size", [2, 4])
def test_ranks_share_a_store(size):
    manager = Manager(("localhost", 0), authkey=b"halocline")
    with manager:
        job(size, str(manager.address[1]))


@pytest.mark.parametrize("size", [2, 4])
def test_torch_distributed(size):
    pytest.importorskip("torch")
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    job(size, "torch", MASTER_ADDR="localhost", MASTER_PORT=str(port))


def test_bad_stores_are_named():
    with pytest.raises(errors.InvalidArgument, match="rank is 2 of 2"):
        halocline.StoreRanks(Values(), 2, 2)
    with pytest.raises(errors.InvalidArgument, match=r"without set\(\)"):
        halocline.StoreRanks(3, 0, 1)


def test_without_an_argument_the_timeout_is_the_environments(monkeypatch):
    monkeypatch.setenv("HALOCLINE_TIMEOUT", "0.1")
    with pytest.raises(errors.DeadlineError, match="timeout 0.1 s"):
        halocline.Domain((8, 8, 8), 1, {"u": "int8"}, comm=halocline.StoreRanks(Values(), 0, 2))


def test_what_a_failed_domain_leaves_is_not_the_next_ones():
    store = Values()
    ranks = halocline.StoreRanks(store, 0, 2)
    counts = []
    for _ in range(2):
        with pytest.raises(errors.DeadlineError, match="timeout 0.1 s"):
            halocline.Domain((8, 8, 8), 1, {"u": "int8"}, comm=ranks, timeout=0.1)
        counts.append(store.count())
    assert counts[1] == 2 * counts[0] > 0


def test_a_store_that_fails_is_an_error_of_communication():
    class Broken(Values):
        def set(self, key, value):
            raise OSError("no route to the store")

    with pytest.raises(errors.CommunicationError, match="no route to the store"):
        halocline.Domain((8, 8, 8), 1, {"u": "int8"}, comm=halocline.StoreRanks(Broken(), 0, 2), timeout=5)


def test_an_interrupt_within_a_store_ends_the_wait():
    class Interrupted(Values):
        def compare_set(self, key, expected, desired):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        halocline.Domain((8, 8, 8), 1, {"u": "int8"}, comm=halocline.StoreRanks(Interrupted(), 0, 2), timeout=5)


@pytest.mark.parametrize(
    ("variables", "launcher", "first"),
    [
        ({"WORLD_SIZE": "2", "RANK": "0", "LOCAL_RANK": "0"}, "torchrun (WORLD_SIZE=2)", "torch.distributed.group.WORLD"),
        ({"OMPI_COMM_WORLD_SIZE": "4"}, "Open MPI's mpirun (OMPI_COMM_WORLD_SIZE=4)", "MPI.COMM_WORLD"),
        ({"SLURM_STEP_NUM_TASKS": "8"}, "Slurm's srun (SLURM_STEP_NUM_TASKS=8)", "MPI.COMM_WORLD"),
    ],
)
def test_a_job_without_ranks_is_refused(monkeypatch, variables, launcher, first):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(errors.InvalidArgument) as caught:
        halocline.Domain((8, 8, 8), 1, {"u": "int8"})
    message = str(caught.value)
    assert f"started by {launcher}" in message and f"allowed is comm={first}" in message
    halocline.Domain((8, 8, 8), 1, {"u": "int8"}, comm="self").close()


@pytest.mark.parametrize("name", ["WORLD_SIZE", "PMI_SIZE"])
def test_a_world_of_one_rank_in_a_job_of_several_is_refused(name):
    """torchrun starts no MPI, and another MPI's launcher starts ranks that do not see each other."""
    pytest.importorskip("mpi4py")
    text = (
        "from mpi4py import MPI\nimport os, halocline\n"
        f"os.environ['{name}'] = '2'\n"
        "halocline.Domain((8, 8, 8), 1, {'u': 'int8'}, comm=MPI.COMM_SELF).close()\n"
        "try:\n    halocline.Domain((8, 8, 8), 1, {'u': 'int8'}, comm=MPI.COMM_WORLD)\n"
        "except halocline.errors.InvalidArgument as error:\n    print(error)\n"
    )
    ended = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=100, env={**os.environ, "HALOCLINE_BACKEND": "host"})
    if "no MPI" in ended.stderr:
        pytest.skip("halocline was built without MPI")
    assert "comm has one rank in a job of 2 processes" in ended.stdout, ended.stderr
    assert f"{name}=2" in ended.stdout and "mpirun of that MPI" in ended.stdout and "torch.distributed" in ended.stdout
