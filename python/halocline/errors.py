# SPDX-License-Identifier: BSD-3-Clause
"""Errors of the library. Each is also an error of Python's own where one fits."""


class Error(Exception):
    """Base of all errors of Halocline."""


class InvalidArgument(Error, ValueError):
    """The caller's input; the message names it, its value and what is allowed."""


class CapabilityError(Error, RuntimeError):
    """Requested by name, but absent in this build or on this machine."""


class ResourceError(Error, MemoryError):
    """Memory, file descriptors or the like ran out."""


class CommunicationError(Error, ConnectionError):
    """MPI or another rank failed."""


class DeviceError(Error, RuntimeError):
    """An operation of a device failed."""


class DeadlineError(Error, TimeoutError):
    """A wait lasted longer than `timeout`; the message names pair, transport and step."""


class ProtocolError(Error, RuntimeError):
    """Two ranks disagree, for example one swapped its buffers and the other did not."""


class InternalError(Error, RuntimeError):
    """A bug in Halocline."""
