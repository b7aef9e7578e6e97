# SPDX-License-Identifier: GPL-2.0-only
"""File descriptors and temporary files: what there must be enough of to start a simulation."""

from __future__ import annotations

import contextlib
import errno
import os
import resource

from defiance_zoo.errors import (
    NoTemporaryDirectory,
    ResourcesExhausted,
    SimulationCrashed,
    TooFewDescriptors,
)

_TOO_MANY_OPEN = (errno.EMFILE, errno.ENFILE)


def require_descriptors(count: int) -> None:
    """Find out whether so many descriptors could be opened.

    For what cannot be undone once it has failed in the middle: libzmq ends the process then, and
    the kernel drops descriptors that were sent.

    Raises:
        TooFewDescriptors: They could not.
    """
    with contextlib.ExitStack() as opened:
        for _ in range(count):
            try:
                opened.callback(os.close, os.eventfd(0))
            except OSError as error:
                raise failure(error, f"{count} descriptors are needed") from None


def failure(error: OSError, what: str) -> ResourcesExhausted | SimulationCrashed:
    """Return the error of this package for one of the operating system.

    Args:
        error: That of the operating system.
        what: What could not be done.
    """
    if error.errno in _TOO_MANY_OPEN:
        limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        return TooFewDescriptors(
            f"{what}: {error.strerror}, where {limit} are allowed: close environments, "
            "release snapshots, or raise the limit, as by `ulimit -n`"
        )
    return SimulationCrashed(f"{what}: {error}")


def no_directory(error: Exception) -> NoTemporaryDirectory:
    """Return the error for temporary files that could not be made.

    Args:
        error: Why.
    """
    return NoTemporaryDirectory(
        f"no socket can be had in the folder for temporary files: {error}; make room there, or "
        "have TMPDIR name another one"
    )
