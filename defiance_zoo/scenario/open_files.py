# SPDX-License-Identifier: GPL-2.0-only
"""Files of a scenario: changes since their import, and files that it leaves open.

Open files are flushed before forks, and closed at the end of the process. A simulation ends without
the tear-down of Python, which takes longer than many episodes. Only a process with files that are
open for writing searches for them.
"""

from __future__ import annotations

import contextlib
import fcntl
import gc
import os
import stat
import sys
from _io import TextIOWrapper, _IOBase
from collections.abc import Callable, Iterable
from types import FunctionType, GeneratorType
from typing import Any

from defiance_zoo.bridge.system.imports import file_stamp

_NESTING = 4
"""Maximum number of files that write to each other: a text, its compression, a buffer."""
_STANDARD = 2
"""Number of the last standard descriptor."""


def flush_files() -> None:
    """Flush the open files: otherwise each copy of this process would write their buffers again."""
    if _has_files():
        _flush(_find_files(gc.get_objects()))


def close_files() -> None:
    """Flush and close the open files, as Python does at its end.

    First, waiting generators are closed and objects with a method `__del__` are finalised, as both
    may write to files. No garbage may be collected between the end of the episode and this call:
    the collector closes the parts of a file in any order, and loses its buffers.
    """
    if not _has_files():
        return
    gc.unfreeze()  # to list also the objects of the time before the fork
    objects = gc.get_objects()
    for each in objects:
        if type(each) is GeneratorType:
            _try(each.close)
    # A ZIP file refuses while one of its members is open.
    refused = [each for each in _find_finalisers(objects) if _try(each) is not None]
    files = _find_files(objects)
    _flush(files)
    texts = [each.close for each in files if isinstance(each, TextIOWrapper)]
    others = [each.close for each in files if type(each).__module__ != "_io"]
    failed = [
        error
        for close in (*texts, *others, *refused, *(each.close for each in files))
        if isinstance(error := _try(close), OSError) and not isinstance(error, ValueError)
    ]
    if failed:
        sys.stderr.write(f"a file of the scenario is incomplete: {failed[0]}\n")


def _has_files() -> bool:
    """Return whether descriptors of files, pipes or devices are open for writing."""
    for name in os.listdir("/proc/self/fd"):  # noqa: PTH208 (pathlib takes long to import)
        descriptor = int(name)
        with contextlib.suppress(OSError):  # the descriptor of the list is closed
            mode = os.fstat(descriptor).st_mode
            written = fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE != os.O_RDONLY
            if descriptor > _STANDARD and written and _keeps_data(descriptor, mode):
                return True
    return False


def _keeps_data(descriptor: int, mode: int) -> bool:
    if stat.S_ISREG(mode):  # memory is shared with Python
        return not os.readlink(f"/proc/self/fd/{descriptor}").startswith("/memfd:")  # noqa: PTH115
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode)


def _find_files(objects: Iterable[Any]) -> list[Any]:
    """Return the file objects, those of `gzip` and `tempfile` included."""
    return [each for each in objects if issubclass(type(each), _IOBase) and not _is_standard(each)]


def _is_standard(file: Any) -> bool:
    try:
        return bool(file.fileno() <= _STANDARD)
    except Exception:  # it is closed, or has no descriptor
        return False


def _find_finalisers(objects: Iterable[Any]) -> list[Callable[[], object]]:
    """Return the methods `__del__` that are written in Python, except those of files."""
    types = {type(each) for each in objects}
    finalised = {
        each
        for each in types
        if isinstance(getattr(each, "__del__", None), FunctionType)
        and not issubclass(each, _IOBase)
    }
    return [each.__del__ for each in objects if type(each) in finalised]


def _flush(files: Iterable[Any]) -> None:
    for _ in range(_NESTING):
        for each in files:
            _try(each.flush)


def _try(function: Callable[[], object]) -> BaseException | None:
    """Call a function of the user's code, and return its exception."""
    try:
        function()
    except BaseException as error:  # even SystemExit
        return error
    return None


class ImportedFiles:
    """The files of imported modules, without Python's and installed packages."""

    def __init__(self) -> None:
        # Not whole prefixes: these can be /usr and /usr/local, and people work in /usr/src.
        prefixes = {sys.prefix, sys.base_prefix, sys.exec_prefix}
        folders = {"lib", sys.platlibdir}
        self._installed = tuple(f"{prefix}/{each}/" for prefix in prefixes for each in folders)
        self._seen: dict[str, tuple[int, ...] | None] = {}
        self._modules: set[str] = set()
        self._note()

    def are_unchanged(self) -> bool:
        """Return whether no file has changed since its module was first seen here."""
        unchanged = all(file_stamp(path) == stamp for path, stamp in self._seen.items())
        self._note()
        return unchanged

    def _note(self) -> None:
        if len(sys.modules) == len(self._modules):  # to look at names copies shared memory
            return
        names = sys.modules.keys() - self._modules
        self._modules |= names
        for name in names:
            path = getattr(sys.modules.get(name), "__file__", None)
            if isinstance(path, str) and path not in self._seen and self._is_own(path):
                self._seen[path] = file_stamp(path)

    def _is_own(self, path: str) -> bool:
        return not path.startswith(self._installed)
