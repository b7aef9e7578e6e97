# SPDX-License-Identifier: GPL-2.0-only
"""Functions for files, as a running replica sees them: its disk is below `/disk`."""

from __future__ import annotations

import errno
import io
import os
from collections.abc import Callable
from typing import Any

from defiance_zoo.scenario.replicas.file_handles import MemoryMap, OpenFile, OpenFolder, find_open
from defiance_zoo.scenario.replicas.files import FOLDER, error
from defiance_zoo.scenario.replicas.replica import Replica, refuse

Put = Callable[[Any, str, Callable[..., Any]], None]

_LONGEST = 255
"""Maximum bytes of a name, as on most file systems."""

_PATHS = {
    **{name: name for name in ("stat", "remove", "mkdir", "rmdir", "listdir", "scandir", "access")},
    **{"lstat": "stat", "unlink": "remove", "truncate": "truncate"},
    **{"chmod": "stat", "utime": "stat", "listxattr": "listxattr"},
}
"""Functions of `os` with a path, and their methods of `Files`."""

_NUMBERS = {
    **{"fstat": "stat", "fsync": "sync", "fdatasync": "sync", "ftruncate": "resize"},
    **{"read": "read", "write": "write", "lseek": "seek", "close": "close", "fchmod": "lock"},
    **{"pread": "read_at", "pwrite": "write_at"},
}
"""Functions of `os` with the number of an open file, and their methods of `OpenFile`."""


_MAKING = ("mkfifo", "mknod")
"""Functions of `os` that make special files."""

_LACKING = (
    *("preadv", "pwritev", "readv", "writev", "dup", "dup2", "fchown", "fpathconf", "fstatvfs"),
    *("get_inheritable", "set_inheritable", "posix_fadvise", "splice", "readlink", "pathconf"),
    *("chown", "lchown", "getxattr", "set_blocking", "get_blocking", *_MAKING),
)
"""Functions of `os` with a path, or the number of an open file, that a disk lacks."""


def replace_in(module: Any, put: Put) -> None:
    """Replace functions of `os`."""
    for name, method in _PATHS.items():
        put(module, name, _on_disk(getattr(module, name), method))
    for name, method in _NUMBERS.items():
        put(module, name, _on_open_file(getattr(module, name), method))
    for name in ("rename", "replace"):
        put(module, name, _rename)
    put(module, "open", _opening_number(module.open))
    put(module, "sendfile", _not_a_socket)
    put(module, "sync", lambda p: p.disk.files.sync(*p.disk.files.contents.values()))
    for name in _LACKING:
        original = getattr(module, name, None)
        put(module, name, _refusing(name, original, is_real_too=name in _MAKING))


def replace_mmap(module: Any, put: Put, _replace: Any) -> None:
    """Replace `mmap.mmap`."""
    original = module.mmap

    def map_file(_process: Replica, number: int, length: int, *given: Any, **named: Any) -> Any:
        file = find_open(number)
        if file is None:
            return original(number, length, *given, **named)
        access = named.pop("access", module.ACCESS_DEFAULT)
        if isinstance(file, OpenFolder):
            refuse("maps a folder")
        if given or named or access == module.ACCESS_COPY or 0 < length < len(file.content):
            refuse("maps a part or a copy of a file: mmap(number, 0) and access= map all of it")
        return MemoryMap(file, length, writes=access != module.ACCESS_READ)

    put(module, "mmap", map_file)


def replace_fcntl(module: Any, put: Put, _replace: Any) -> None:
    """Replace locks of files: no other process has the disk of a replica."""
    for name in ("flock", "lockf"):
        put(module, name, _on_open_file(getattr(module, name), "lock"))


def replace_shutil(module: Any, _put: Put, _replace: Any) -> None:
    """Let `rmtree()` use paths, as a disk has no descriptors of folders."""
    module._use_fd_functions = False


def _path_on_disk(path: Any) -> str | None:
    """Return the path of a file on a disk; None for other files."""
    if isinstance(path, int):
        return None
    text = os.path.normpath(os.fsdecode(path))
    text = text[text.startswith("//") :]  # which POSIX lets mean another place, and Linux does not
    if not f"{text}/".startswith(f"{FOLDER}/"):
        return None
    if "\0" in text:
        raise ValueError("embedded null byte")
    if any(len(os.fsencode(name)) > _LONGEST for name in text.split("/")):
        raise error(errno.ENAMETOOLONG, path)
    return text


def opening(original: Any) -> Any:
    """Return a function that opens files as `open()` does."""

    def open_file(
        process: Replica, file: Any, mode: str = "r", buffering: int = -1, *more: Any, **named: Any
    ) -> Any:
        path = _path_on_disk(file)
        raw: Any = find_open(file) if isinstance(file, int) else None
        if path is None and raw is None:
            if set(mode) & set("wax+") and not isinstance(file, int):
                refuse(f"writes {file}: files of code under test are below {FOLDER}")
            return original(file, mode, buffering, *more, **named)
        _require_mode(mode)
        opener, _ = named.pop("opener", None), named.pop("closefd", True)
        if path and opener:
            raw = find_open(opener(path, _flags(mode)))
        elif path:
            raw = OpenFile(path, mode, process.disk.files, lambda: not process._is_over)
        if buffering == 0:
            if "b" not in mode:
                raise ValueError("can't have unbuffered text I/O")
            return raw
        both = "+" in mode
        kind: Any = io.BufferedRandom if both else io.BufferedWriter
        kind = io.BufferedReader if mode.strip("bt") == "r" else kind
        buffered = kind(raw, buffering) if buffering > 1 else kind(raw)
        if "b" in mode:
            return buffered
        return io.TextIOWrapper(buffered, *more, **{"line_buffering": buffering == 1, **named})

    return open_file


def _require_mode(mode: str) -> None:
    """Raise ValueError as `open()` does."""
    letters = set(mode)
    if letters - set("axrwb+t") or len(letters) < len(mode) or letters >= set("bt"):
        raise ValueError(f"invalid mode: {mode!r}")
    if len(letters & set("axrw")) != 1:
        raise ValueError("must have exactly one of create/read/write/append mode")


def _flags(mode: str) -> int:
    both = os.O_RDWR if "+" in mode else os.O_RDONLY if "r" in mode else os.O_WRONLY
    create = {"w": os.O_CREAT | os.O_TRUNC, "a": os.O_CREAT | os.O_APPEND}
    create["x"] = os.O_CREAT | os.O_EXCL
    return both | create.get(mode.strip("bt+"), 0)


def _opening_number(original: Any) -> Any:
    def open_number(process: Replica, path: Any, flags: int, *given: Any, **named: Any) -> int:
        _require_path(original, None, named)
        found = _path_on_disk(path)
        if found is None:
            return int(original(path, flags, *given, **named))
        files = process.disk.files
        if found in files.folders:
            if flags & os.O_CREAT and flags & os.O_EXCL:
                raise error(errno.EEXIST, found)
            if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC):  # O_TMPFILE, too
                raise error(errno.EISDIR, found)
            return OpenFolder(found, files).number
        if flags & os.O_CREAT and (flags & os.O_EXCL or found not in files.contents):
            files.open(found, "x")
        elif flags & os.O_TRUNC:
            files.open(found, "r")
            files.open(found, "w")
        mode = {os.O_RDONLY: "r", os.O_WRONLY: "o"}.get(flags & os.O_ACCMODE, "r+")
        mode += "a" if flags & os.O_APPEND else ""
        return OpenFile(found, mode, files, lambda: not process._is_over).fileno()

    return open_number


def _on_disk(original: Any, method: str) -> Any:
    def call(process: Replica, path: Any = ".", *given: Any, **named: Any) -> Any:
        file = find_open(path) if isinstance(path, int) else None
        if file is not None and method in ("stat", "truncate"):
            return getattr(file, method)(*given[: method == "truncate"])
        _require_path(original, file, named)
        found = _path_on_disk(path)
        if found is None:
            return original(path, *given, **named)
        given = given if method in ("truncate", "access") else ()
        return getattr(process.disk.files, method)(found, *given)

    return call


def _require_path(original: Any, file: Any, named: dict[str, Any]) -> None:
    """Refuse an open folder as a file, or as the folder of a relative path: paths reach a disk."""
    if file is not None or find_open(named.get("dir_fd")) is not None:
        refuse(f"calls os.{original.__name__}() with the number of an open folder: give a path")


def _on_open_file(original: Any, method: str) -> Any:
    def call(_process: Replica, number: Any, *given: Any, **named: Any) -> Any:
        file = find_open(number if isinstance(number, int) else number.fileno())
        if file is None:
            return original(number, *given, **named)
        if not hasattr(file, method):
            refuse(f"calls os.{original.__name__}() for a folder, which is open to be synced")
        return getattr(file, method)(*(() if method == "lock" else given))

    return call


def _refusing(name: str, original: Any, *, is_real_too: bool) -> Any:
    def call(_process: Replica, file: Any, *given: Any, **named: Any) -> Any:
        is_open = isinstance(file, int) and find_open(file) is not None
        if is_real_too or is_open or _path_on_disk(file) is not None:
            refuse(f"calls os.{name}({file!r}), which files below {FOLDER} lack")
        return original(file, *given, **named)

    return call


def _rename(process: Replica, path: Any, to: Any, **_named: Any) -> None:
    before, after = _path_on_disk(path), _path_on_disk(to)
    if before is None or after is None:
        refuse(f"moves {path} to {to}: files of code under test are below {FOLDER}")
    process.disk.files.rename(before, after)


def _not_a_socket(_process: Replica, *_given: Any, **_named: Any) -> int:
    raise error(errno.ENOTSOCK)  # the caller copies by read()
