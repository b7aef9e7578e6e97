# SPDX-License-Identifier: GPL-2.0-only
"""Fork servers that outlive their environments, so that a file's tests start few of them.

A server takes 50 ms of CPU, or 250 to 400 ms if its scenario is in Python. Without this module, the
tests of a file would start one for each environment.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from defiance_zoo.bridge.process import fork_server
from defiance_zoo.bridge.process.fork_server import ForkServer

ROOT = Path(__file__).resolve().parents[1]
OF_PYTEST = "PYTEST_CURRENT_TEST"
"""A variable that differs in each test, and that no simulation reads."""
MOST = 3
"""The number of kept servers; the oldest one goes first."""

_kept: list[ForkServer] = []


@contextlib.contextmanager
def fork_servers_kept() -> Iterator[None]:
    """Keep fork servers of this checkout's programs, which no test edits, until the exit."""
    obtain, identify = ForkServer.obtain, fork_server._identify
    owner = os.getpid()

    def keep(
        program: Path, timeout_s: float, variables: Mapping[str, str] | None = None
    ) -> ForkServer:
        server = obtain(program, timeout_s, variables)
        if os.getpid() == owner and server not in _kept and program.is_relative_to(ROOT):
            _kept.append(server.share())
            if len(_kept) > MOST:
                _kept.pop(0).release()
        return server

    def identify_across_tests(program: Path, variables: Mapping[str, str]) -> tuple[object, ...]:
        others = {name: value for name, value in variables.items() if name != OF_PYTEST}
        return identify(program, others)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ForkServer, "obtain", keep)
        patch.setattr(fork_server, "_identify", identify_across_tests)
        try:
            yield
        finally:
            release_kept()


def release_kept() -> None:
    """Release all kept servers; those without other users end."""
    while _kept:
        _kept.pop().release()


def idle_servers() -> set[int]:
    """Return the process ids of the kept servers that no environment uses."""
    return {server._popen.pid for server in _kept if server._users == 1}
