# SPDX-License-Identifier: BSD-3-Clause
"""Processes that share a store instead of MPI, and what is said where a job has no ranks for halocline."""

import os
import socket
import subprocess
import sys
import threading
import time
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
    for rank, size, name, what in (("0", 2, "a", "rank is '0'"), (0.5, 2, "a", "rank is 0.5"), (0, "2", "a", "size is '2'"), (0, 2, 3, "name is 3")):
        with pytest.raises(errors.InvalidArgument, match=what):
            halocline.StoreRanks(Values(), rank, size, name)
    with pytest.raises(errors.InvalidArgument, match="of 2147483648; allowed is"):
        halocline.StoreRanks(Values(), 0, 2**31)
    with pytest.raises(errors.InvalidArgument, match=r"without set\(\)"):
        halocline.StoreRanks(3, 0, 1)


def test_without_an_argument_the_timeout_is_the_environments(monkeypatch):
    monkeypatch.setenv("HALOCLINE_TIMEOUT", "0.1")
    with pytest.raises(errors.DeadlineError, match="timeout 0.1 s"):
        halocline.Domain((8, 8, 8), 1, {"u": "int8"}, comm=halocline.StoreRanks(Values(), 0, 2))


def test_what_a_failed_domain_leaves_is_not_the_next_ones():
    store = Values()
    ranks = halocline.StoreRanks(store, 1, 2)
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
        halocline.Domain((8, 8, 8), 1, {"u": "int8"}, comm=halocline.StoreRanks(Broken(), 1, 2), timeout=5)


def test_an_interrupt_within_a_store_ends_the_wait():
    class Interrupted(Values):
        def compare_set(self, key, expected, desired):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        halocline.Domain((8, 8, 8), 1, {"u": "int8"}, comm=halocline.StoreRanks(Interrupted(), 0, 2), timeout=5)


class Call:
    """A store of which one rank's n-th call of a function fails with an error."""

    def __init__(self, values, name, number, error):
        self._values, self._name, self._left, self._error = values, name, number, error

    def _called(self, name, *arguments):
        if name == self._name:
            self._left -= 1
            if self._left == 0:
                raise self._error()
        return getattr(self._values, name)(*arguments)

    def set(self, key, value):
        return self._called("set", key, value)

    def compare_set(self, key, expected, desired):
        return self._called("compare_set", key, expected, desired)

    def delete_key(self, key):
        return self._called("delete_key", key)


def as_ranks(*bodies):
    """Runs each function in a thread; returns what they have thrown."""
    thrown = [None] * len(bodies)

    def run(rank, body):
        try:
            body()
        except BaseException as error:
            thrown[rank] = error.with_traceback(None)  # whose frames have the domain

    threads = [threading.Thread(target=run, args=(rank, body), daemon=True) for rank, body in enumerate(bodies)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)
    return thrown


def made(ranks, stencil=1, timeout=20):
    return halocline.Domain((8, 8, 8), stencil, {"u": "int8"}, comm=ranks, timeout=timeout, backend="host")


@pytest.mark.parametrize("number", range(1, 40))
def test_an_interrupt_is_kept_whatever_call_of_a_store_it_ends(number):
    values = Values()
    rank_0 = halocline.StoreRanks(Call(values, "set", number, KeyboardInterrupt), 0, 2)
    thrown = as_ranks(lambda: made(rank_0, timeout=0.3).close(), lambda: made(halocline.StoreRanks(values, 1, 2), timeout=0.3).close())
    assert thrown[0] is None or isinstance(thrown[0], KeyboardInterrupt), thrown


def test_an_error_of_one_rank_leaves_the_ranks_of_a_store_in_step():
    values = Values()
    ranks = [halocline.StoreRanks(values, rank, 2) for rank in range(2)]
    thrown = as_ranks(lambda: made(ranks[0], stencil=-1, timeout=0.5), lambda: made(ranks[1], timeout=0.5))
    assert [type(error) for error in thrown] == [errors.InvalidArgument, errors.DeadlineError]
    assert as_ranks(lambda: made(ranks[0]).close(), lambda: made(ranks[1]).close()) == [None, None]


def test_the_other_ranks_of_a_store_get_an_error_at_once():
    values = Values()
    failing = halocline.StoreRanks(Call(values, "set", 6, lambda: OSError("the store hiccups")), 0, 2)
    thrown = as_ranks(lambda: made(failing, timeout=50), lambda: made(halocline.StoreRanks(values, 1, 2), timeout=50))
    assert all("the store hiccups" in str(error) for error in thrown), thrown
    assert "rank 0: " in str(thrown[1])


def test_what_a_killed_run_has_left_is_not_taken_for_a_message():
    """The second run finds greetings, answers and confirmations of the first one."""
    values = Values()
    for rank, number in ((1, 1), (1, 2), (0, 2)):
        broken = [values, values]
        broken[rank] = Call(values, "set", number, lambda: OSError("killed"))
        as_ranks(*(lambda rank=rank: made(halocline.StoreRanks(broken[rank], rank, 2), timeout=0.3) for rank in range(2)))
        again = as_ranks(*(lambda rank=rank: made(halocline.StoreRanks(values, rank, 2)).close() for rank in range(2)))
        assert again == [None, None]


def test_cells_that_a_killed_run_has_sent_are_not_gathered_by_the_next():
    values = Values()
    gathered = {}

    def rank_of(rank, store, value, timeout, before=lambda: None):
        domain = made(halocline.StoreRanks(store, rank, 2), timeout=timeout)
        domain["u"].set(value)
        before()
        gathered[value, rank] = domain["u"].gather(root=None)
        domain.close()

    class Late(Values):
        def __init__(self):
            self.set_of, self.compare_set, self.delete_key = values.set, values.compare_set, values.delete_key

        def set(self, key, value):
            time.sleep(0.01)
            self.set_of(key, value)

    killed = Call(values, "set", 0, lambda: OSError("killed"))
    as_ranks(lambda: rank_of(0, values, 11, 0.5), lambda: rank_of(1, killed, 11, 0.5, before=lambda: setattr(killed, "_left", 2)))
    assert not gathered
    assert as_ranks(lambda: rank_of(0, Late(), 22, 20), lambda: rank_of(1, values, 22, 20)) == [None, None]
    assert all((gathered[22, rank] == 22).all() for rank in range(2)), gathered


def test_a_checkpoint_does_not_wait_for_a_rank_that_has_ended(tmp_path):
    text = (
        "import os, sys, halocline\nfrom test_without_mpi import Manager\n"
        "manager = Manager(('localhost', int(sys.argv[1])), authkey=b'halocline')\nmanager.connect()\nrank = int(os.environ['RANK'])\n"
        "domain = halocline.Domain((8, 8, 8), 1, {'u': 'float32'}, comm=halocline.StoreRanks(manager.values(), rank, 2), timeout=1)\n"
        "checkpoints = halocline.Checkpoints(domain, sys.argv[2])\ncheckpoints.start()\n"
        "if rank == 1:\n    os._exit(0)\n"
        "try:\n    checkpoints.finish()\nexcept halocline.errors.DeadlineError as error:\n    print(error)\n    os._exit(0)\n"
    )
    manager = Manager(("localhost", 0), authkey=b"halocline")
    with manager:
        ranks = [
            subprocess.Popen(
                [sys.executable, "-c", text, str(manager.address[1]), str(tmp_path)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                cwd=Path(__file__).parent, env={**os.environ, "HALOCLINE_BACKEND": "host", "RANK": str(rank)},
            )
            for rank in range(2)
        ]  # fmt: skip
        try:
            out = [rank.communicate(timeout=60)[0] for rank in ranks]
        finally:
            for rank in ranks:
                rank.kill()
    assert "rank 1 is missing" in out[0], out


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
