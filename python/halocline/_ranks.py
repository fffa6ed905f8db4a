# SPDX-License-Identifier: BSD-3-Clause
"""Ranks without MPI: processes that share a key-value store, such as torch.distributed's."""

from __future__ import annotations

from numbers import Integral
from typing import Any, Protocol

from . import _core
from ._options import checked
from .errors import CapabilityError, InvalidArgument

#: What take() gets for a key that is not there. Values begin with "=".
_ABSENT = b"-"


class Store(Protocol):
    """What StoreRanks needs of a store, as torch.distributed.Store has it."""

    def set(self, key: str, value: Any, /) -> Any: ...
    def compare_set(self, key: str, expected_value: Any, desired_value: Any, /) -> Any: ...
    def delete_key(self, key: str, /) -> Any: ...


class StoreRanks:
    """The ranks of a job whose processes share a store: comm=StoreRanks(store, rank, size). A torch.distributed.TCPStore, for example. name:
    differs where several jobs use one store at the same time, or one job makes several of these. What an earlier run has left is not used.

    Domains are set up through the store and exchange through shared memory and CUDA IPC, so that all ranks are on one node; several nodes
    need MPI. The store has to live until the domains are closed.
    """

    def __init__(self, store: Store, rank: int, size: int, name: str = "halocline") -> None:
        for value, what in ((rank, "rank"), (size, "size")):
            checked(value, what, Integral, "an int")
        checked(name, "name", str, "a str")
        if not 0 <= rank < size < 2**31:
            raise InvalidArgument(f"rank is {rank} of {size}; allowed is 0 to size - 1, and a size below 2**31")
        for method in ("set", "compare_set", "delete_key"):
            if not callable(getattr(store, method, None)):
                raise InvalidArgument(f"store is {store!r}, without {method}(); allowed is a store of torch.distributed, or one like it")
        self.rank = rank
        self.size = size
        self._store = store
        self._name = name
        self._domains = 0

    def __repr__(self) -> str:
        return f"<halocline.StoreRanks: {self.rank} of {self.size}>"

    def _next(self) -> _core.StoreRanks:
        """For one more domain: all ranks make them in the same order."""
        self._domains += 1
        return _core.StoreRanks(self._set, self._take, f"{self._name}/{self._domains}", self.rank, self.size)

    def _set(self, key: str, value: bytes) -> None:
        self._store.set(key, b"=" + value)

    def _take(self, key: str) -> bytes | None:
        # Returns the value of a key that is there, and the second argument for another, without a wait.
        value = self._store.compare_set(key, _ABSENT, _ABSENT)
        if value == _ABSENT:
            return None
        self._store.delete_key(key)
        return bytes(value[1:])


_of_groups: dict[tuple[int, ...], StoreRanks] = {}


def is_process_group(comm: Any) -> bool:
    """Whether it is torch.distributed's; without importing that."""
    return any(kind.__name__ == "ProcessGroup" and kind.__module__.startswith("torch") for kind in type(comm).__mro__)


def ranks_of_group(group: Any) -> StoreRanks:
    """The ranks of a process group, whatever its backend, by the store that torch.distributed was initialised with."""
    from torch import distributed

    try:
        store = distributed.distributed_c10d._get_default_store()
        if hasattr(distributed, "get_process_group_ranks"):
            members = tuple(distributed.get_process_group_ranks(group))
        else:  # before PyTorch 2.0
            size = distributed.get_world_size(group)
            members = tuple(distributed.distributed_c10d._get_global_rank(group, rank) for rank in range(size))
    except (AttributeError, RuntimeError, ValueError) as error:
        raise CapabilityError(
            f"this torch.distributed does not give away its store ({error}); allowed is comm=halocline.StoreRanks(store, rank, size), or MPI"
        ) from error
    found = _of_groups.get(members)
    if found is None or found._store is not store:
        name = "halocline/" + ",".join(map(str, members))
        found = _of_groups[members] = StoreRanks(store, members.index(distributed.get_rank()), len(members), name)
    return found
