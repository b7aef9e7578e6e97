# SPDX-License-Identifier: GPL-2.0-only
"""A working directory that was deleted while a shell or a program uses it."""

from __future__ import annotations

import contextlib
import importlib
import os
from collections.abc import Iterator
from pathlib import Path


def is_deleted() -> bool:
    """Return whether the working directory has been deleted."""
    try:
        Path.cwd()
    except FileNotFoundError:
        return True
    return False


@contextlib.contextmanager
def _elsewhere() -> Iterator[None]:
    """Work in the root directory inside a context."""
    here = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.chdir("/")
        yield
    finally:
        os.fchdir(here)
        os.close(here)


if is_deleted():
    with _elsewhere():
        importlib.import_module("pettingzoo")  # reads the working directory when it is imported
