# SPDX-License-Identifier: GPL-2.0-only
"""The memory allocator of simulations."""

from __future__ import annotations

import contextlib
import functools
import mmap
import os
from pathlib import Path

from defiance_zoo.bridge.process.programs import is_python
from defiance_zoo.errors import ParameterError

VARIABLE = "DEFIANCE_ALLOCATOR"
"""Environment variable that selects the allocator: one of `ALLOCATORS`."""
ALLOCATORS = ("jemalloc", "glibc", "system")
"""jemalloc; glibc's allocator with larger caches of small blocks; the C library's, unchanged."""
LIBRARY = Path(__file__).resolve().parents[2] / "_native" / "lib" / "libjemalloc.so.2"
"""jemalloc, which is installed with the package."""
TUNABLES = "glibc.malloc.tcache_count=512"
"""Blocks of each size that glibc keeps for a thread; it keeps 7 by default."""
_SANITIZERS = (b"libasan.so", b"libtsan.so", b"liblsan.so")


def allocator_variables(program: Path, chosen: str | None = None) -> dict[str, str]:
    """Return the environment variables that set a program's allocator.

    `DEFIANCE_ALLOCATOR` selects it; the default is jemalloc. If jemalloc is not installed, glibc's
    caches become larger. No variables are set if other libraries are preloaded, or for programs
    with sanitizers, which have their own allocator; the user's `GLIBC_TUNABLES` remain.

    Args:
        program: Program of a scenario.
        chosen: One of `ALLOCATORS`. None: the value of `DEFIANCE_ALLOCATOR`.

    Raises:
        ParameterError: `DEFIANCE_ALLOCATOR` has another value.
    """
    chosen = chosen or os.environ.get(VARIABLE, "jemalloc")
    if chosen not in ALLOCATORS:
        raise ParameterError(f"{VARIABLE}={chosen!r} is not one of {list(ALLOCATORS)}")
    if chosen == "system" or os.environ.get("LD_PRELOAD"):
        return {}
    if not is_python(program) and _is_sanitized(program):
        return {}
    if chosen == "jemalloc" and _can_preload():
        return {"LD_PRELOAD": str(LIBRARY)}
    return {} if "GLIBC_TUNABLES" in os.environ else {"GLIBC_TUNABLES": TUNABLES}


@functools.cache
def _can_preload() -> bool:
    """Return whether jemalloc is installed, at a path that is valid in LD_PRELOAD."""
    return LIBRARY.is_file() and not set(" :") & set(str(LIBRARY))


def _is_sanitized(program: Path) -> bool:
    with contextlib.suppress(OSError):
        found = program.stat()
        return _has_sanitizer(program, found.st_mtime_ns, found.st_size)
    return False


@functools.lru_cache
def _has_sanitizer(program: Path, changed_ns: int, size: int) -> bool:
    """Return whether a program needs the library of a sanitizer."""
    with (
        program.open("rb") as file,
        contextlib.suppress(ValueError),  # an empty file
        mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content,
    ):
        return any(content.find(name) >= 0 for name in _SANITIZERS)
    return False
