# SPDX-License-Identifier: GPL-2.0-only
"""Functions of Python's library that follow the simulation while the code of a replica runs."""

from __future__ import annotations

import builtins
import importlib
import io
import mmap
import os
import random
import sys
import time
import uuid
from collections.abc import Callable
from types import ModuleType
from typing import Any, NoReturn

from defiance_zoo.errors import NotInScenario
from defiance_zoo.scenario.replicas.files import FOLDER, MemoryMap, OpenFile, find_open
from defiance_zoo.scenario.replicas.replica import Replica, Running, clock, sleep

_EPOCH = 1_700_000_000.0
"""Value of `time.time()` at the beginning of an episode."""

_UPTIME = 1000.0
"""Value of `time.monotonic()` then, as on a machine that has run for a while."""

_SECONDS: dict[str, Callable[[Replica], float]] = {
    "time": lambda process: _EPOCH + clock(process),
    "monotonic": lambda process: _UPTIME + clock(process),
    "perf_counter": lambda process: _UPTIME + clock(process),
    "process_time": lambda process: _UPTIME + clock(process),
    "thread_time": lambda process: _UPTIME + clock(process),
}

_WRITES = os.O_WRONLY | os.O_RDWR

Substitutes = dict[int, tuple[Any, Any]]
"""Originals and their substitutes, by the identity of the originals."""


def install() -> Substitutes:
    """Replace functions in their modules, and return the replaced functions.

    A substitute calls the original unless the code of a replica runs.
    """
    replaced: Substitutes = {}
    _install_time(replaced)
    _install_chance(replaced)
    _install_files(replaced)
    sys.addaudithook(_refuse_outside_access)
    return replaced


def _put(replaced: Substitutes, module: Any, name: str, virtual: Callable[..., Any]) -> None:
    """Replace a function by one that, while a replica runs, calls another one with the replica."""
    original = getattr(module, name)

    def substitute(*arguments: Any, **more: Any) -> Any:
        if Running.process is None:
            return original(*arguments, **more)
        return virtual(Running.process, *arguments, **more)

    substitute.__name__ = name
    replaced[id(original)] = (original, substitute)
    setattr(module, name, substitute)


def _install_time(replaced: Substitutes) -> None:
    for name, read in _SECONDS.items():
        _put(replaced, time, name, read)
        _put(replaced, time, f"{name}_ns", _in_nanoseconds(read))
    _put(replaced, time, "sleep", sleep)
    _put(replaced, time, "clock_gettime", _read_clock)


def _in_nanoseconds(read: Callable[[Replica], float]) -> Callable[[Replica], int]:
    return lambda process: round(read(process) * 1e9)


def _read_clock(process: Replica, clock_id: int) -> float:
    return _SECONDS["time" if clock_id == time.CLOCK_REALTIME else "monotonic"](process)


def _install_chance(replaced: Substitutes) -> None:
    own = random._inst  # whose methods are the module's functions
    names = [each for each in dir(random) if getattr(getattr(random, each), "__self__", 0) is own]
    for name in names:
        _put(replaced, random, name, _drawing(name))
    _put(replaced, os, "urandom", lambda process, count: process.random.randbytes(count))
    random._urandom = os.urandom  # type: ignore[attr-defined]
    original: Any = random.Random

    class Random(original):  # type: ignore[misc]
        """A generator that draws its seed from the running replica if none is given."""

        def __init__(self, x: Any = None) -> None:
            process = Running.process
            super().__init__(process.random.getrandbits(64) if x is None and process else x)

    replaced[id(original)] = (original, Random)
    random.Random = Random  # type: ignore[misc]
    uuid._generate_time_safe = None  # type: ignore[attr-defined]
    _put(replaced, uuid, "getnode", lambda process: process.id)


def _drawing(name: str) -> Callable[..., Any]:
    def draw(process: Replica, *given: Any, **more: Any) -> Any:
        return getattr(process.random, name)(*given, **more)

    return draw


def _install_files(replaced: Substitutes) -> None:
    _put(replaced, builtins, "open", _opening(builtins.open))
    io.open = builtins.open
    for name in ("stat", "remove", "unlink", "mkdir", "listdir"):
        method = "remove" if name == "unlink" else name
        _put(replaced, os, name, _on_disk(getattr(os, name), method))
    os.lstat = os.stat
    for name in ("rename", "replace"):
        _put(replaced, os, name, _rename)
    _put(replaced, os, "fsync", _syncing(os.fsync))
    _put(replaced, mmap, "mmap", _mapping(mmap.mmap))


def _path_on_disk(path: Any) -> str | None:
    """Return the path of a file on a disk; None for other files."""
    if isinstance(path, int):
        return None
    text = os.fsdecode(path)
    text = os.path.normpath(text)
    return text if f"{text}/".startswith(f"{FOLDER}/") else None


def _opening(original: Any) -> Any:
    def open_file(
        process: Replica, file: Any, mode: str = "r", buffering: int = -1, *more: Any, **named: Any
    ) -> Any:
        path = _path_on_disk(file)
        if path is None:
            if set(mode) & set("wax+"):
                _refuse(f"writes {file}: files of code under test are below {FOLDER}")
            return original(file, mode, buffering, *more, **named)
        raw = OpenFile(path, mode, process.disk.files, lambda: not process._is_over)
        if buffering == 0:
            return raw
        both = "+" in mode
        kind = io.BufferedRandom if both else io.BufferedWriter
        buffered: Any = io.BufferedReader(raw) if mode.strip("bt") == "r" else kind(raw)
        return buffered if "b" in mode else io.TextIOWrapper(buffered, *more, **named)

    return open_file


def _on_disk(original: Any, method: str) -> Any:
    def call(process: Replica, path: Any = ".", *given: Any, **named: Any) -> Any:
        found = _path_on_disk(path)
        if found is None:
            return original(path, *given, **named)
        return getattr(process.disk.files, method)(found)

    return call


def _rename(process: Replica, path: Any, to: Any) -> None:
    before, after = _path_on_disk(path), _path_on_disk(to)
    if before is None or after is None:
        _refuse(f"moves {path} to {to}: files of code under test are below {FOLDER}")
    process.disk.files.rename(before, after)


def _syncing(original: Any) -> Any:
    def sync(_process: Replica, number: Any) -> None:
        if find_open(number) is None:
            original(number)

    return sync


def _mapping(original: Any) -> Any:
    def map_file(_process: Replica, number: int, length: int, *given: Any, **named: Any) -> Any:
        file = find_open(number)
        return (
            original(number, length, *given, **named) if file is None else MemoryMap(file, length)
        )

    return map_file


def _refuse_outside_access(event: str, arguments: tuple[Any, ...]) -> None:
    """Refuse sockets, and files to write, while the code of a replica runs."""
    if Running.process is None:
        return
    if event == "socket.__new__":
        _refuse("opens a socket: messages of replicas go through send() and message()")
    if event == "open":
        path, _, flags = arguments
        if flags & _WRITES and "__pycache__" not in str(path):  # an import inside a method
            _refuse(f"opens {path} to write it: code under test uses open(), below {FOLDER}")


def _refuse(what: str) -> NoReturn:
    number = Running.process.id if Running.process else 0
    raise NotInScenario(f"the code of replica {number} {what}")


_replaced: Substitutes = {}
"""Names to replace; empty: nothing is patched."""


def is_patched() -> bool:
    """Return whether code under test runs in a virtual world."""
    return bool(_replaced)


def patched(name: str, path: str | os.PathLike[str] | None = None) -> ModuleType:
    """Import a library whose code is under test, in the virtual world of the running replica.

    While a method of a replica runs, `time`, `random`, `secrets`, `uuid` and `os.urandom` follow
    the simulation, in every module. `time.sleep()` returns at once, and advances the replica's
    clock. Files below `/disk` are on the replica's disk, in memory; writing other files, threads,
    processes and sockets end the episode. Names that the library has imported are replaced as well.
    `datetime.now()` stays real, as code in C reads the clock for it.

    Args:
        name: Name of the module.
        path: The folder to import from, such as one of `pip install --target`; a relative path
            starts at the folder of the calling file. None: the module is installed.

    Returns:
        The module.

    Raises:
        ImportError: There is no such module, or none in this folder.
    """
    folder = "" if path is None else _beside(sys._getframe(1).f_globals.get("__file__"), path)
    if folder:
        sys.path.insert(0, folder)
    module = importlib.import_module(name)
    if folder and not _is_within(module, folder):
        raise ImportError(f"{name} is imported from {module.__file__}, not from {folder}")
    if not _replaced:
        _replaced.update(install())
    for each, loaded in list(sys.modules.items()):
        if f"{each}.".startswith(f"{name}."):
            _replace_names(loaded)
    return module


def _beside(file: str | None, path: str | os.PathLike[str]) -> str:
    """Return the absolute path of a folder from a path relative to a file."""
    return os.path.realpath(os.path.join(os.path.dirname(file or ""), path))  # noqa: PTH118, PTH120


def _is_within(module: ModuleType, folder: str) -> bool:
    return os.path.realpath(module.__file__ or "").startswith(f"{folder}/")


def _replace_names(module: ModuleType) -> None:
    for name, value in list(vars(module).items()):
        original, substitute = _replaced.get(id(value), (None, None))
        if original is value and substitute is not None:
            setattr(module, name, substitute)
