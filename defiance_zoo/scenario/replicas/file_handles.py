# SPDX-License-Identifier: GPL-2.0-only
"""Open files of code under test, by objects, numbers and memory maps."""

from __future__ import annotations

import errno
import io
import os
from collections.abc import Callable
from typing import Any

from defiance_zoo.scenario.replicas.files import FOLDER, Files, error, stat_of
from defiance_zoo.scenario.replicas.replica import refuse


class OpenFile(io.RawIOBase):
    """An open file, whose writes reach the disk until its process crashes."""

    def __init__(self, path: str, flags: str, files: Files, is_alive: Callable[[], bool]) -> None:
        super().__init__()
        self.name, self._flags, self.files = path, flags, files
        self._is_alive = is_alive
        self.content = files.open(path, flags)
        # As in Linux, `os.open()` begins at 0 also with O_APPEND, and `open()` at the end.
        self._at = len(self.content) if "a" in flags and not set(flags) & set("ro") else 0
        self._number = _Numbers.give(self)

    def fileno(self) -> int:
        """Return a number by which `mmap()` finds the file; it is not a descriptor."""
        return self._number

    def readable(self) -> bool:
        return "r" in self._flags or "+" in self._flags

    def writable(self) -> bool:
        return self._flags.strip("bta") != "r"

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        _require(self.readable())
        part = self.content[self._at : self._at + len(buffer)]
        buffer[: len(part)] = part
        self._at += len(part)
        return len(part)

    def write(self, data: Any) -> int:
        _require(self.writable())
        given = bytes(data)
        if self._is_alive():
            at = len(self.content) if "a" in self._flags else self._at
            end = at + len(given)
            self.files.require_room(self.content, max(len(self.content), end))
            gap = bytes(max(0, at - len(self.content)))
            # In one line: no process is killed between the growth of a file and its bytes.
            self.content[at - len(gap) : end] = gap + given
            self.files.changed()
            self._at = end
        return len(given)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: len(self.content)}[whence]
        if base + offset < 0:
            raise error(errno.EINVAL)
        self._at = base + offset
        return self._at

    def truncate(self, size: int | None = None) -> int:
        _require(self.writable())
        size = self._at if size is None else size
        if self._is_alive():
            self.files.resize(self.content, size)
        return size

    def resize(self, size: int) -> None:
        """Make the file shorter or longer."""
        _require(self.writable(), errno.EINVAL)
        self.truncate(size)

    def stat(self) -> os.stat_result:
        """Return the size and the kind of the file."""
        return stat_of(self.content)

    def sync(self) -> None:
        """Let the content survive crashes."""
        if self._is_alive():
            self.files.sync(self.content)

    def lock(self) -> None:
        """Do nothing: no other process has the disk of a replica."""

    def read_at(self, count: int, at: int) -> bytes:
        """Return bytes at a position."""
        before = self._at
        try:
            self.seek(at)
            return self.read(count) or b""
        finally:
            self._at = before

    def write_at(self, data: Any, at: int) -> int:
        """Write bytes at a position, and return their number."""
        before = self._at
        try:
            self.seek(at)
            return self.write(data)
        finally:
            self._at = before

    def close(self) -> None:
        _Numbers.files.pop(self._number, None)
        super().close()


def _require(is_open_for: bool, number: int = errno.EBADF) -> None:
    """Refuse to use a file for which it was not opened, as Python and Linux do."""
    if not is_open_for:
        raise io.UnsupportedOperation(number, os.strerror(number))


def _failing(number: int) -> Callable[..., Any]:
    def fail(*_arguments: Any) -> None:
        raise error(number)

    return fail


class OpenFolder:
    """An open folder, of which only the number is of use, such as for `os.fsync()`."""

    read = read_at = _failing(errno.EISDIR)
    write = write_at = _failing(errno.EBADF)
    resize = _failing(errno.EINVAL)

    def __init__(self, path: str, files: Files) -> None:
        self._files, self._stat = files, files.stat(path)
        self.number = _Numbers.give(self)

    def stat(self) -> os.stat_result:
        """Return the kind."""
        return self._stat

    def sync(self) -> None:
        """Do nothing, unless an error occurs: names are durable at once."""
        self._files.fail_sometimes()

    def lock(self) -> None:
        """Do nothing: no other process has the disk of a replica."""

    def close(self) -> None:
        """Close the folder."""
        _Numbers.files.pop(self.number, None)


class _Numbers:
    """Open files and folders by their numbers."""

    files: dict[int, Any] = {}  # noqa: RUF012 (the only instance is the class)
    last = 1 << 20

    @classmethod
    def give(cls, file: Any) -> int:
        cls.last += 1
        cls.files[cls.last] = file
        return cls.last


def find_open(number: Any) -> Any:
    """Return the open file or folder of a number; None: none has it."""
    return _Numbers.files.get(number)


class MemoryMap:
    """A file that is used like memory, as by `mmap`."""

    def __init__(self, file: OpenFile, length: int, *, writes: bool = True) -> None:
        self._content, self._files, self._writes = file.content, file.files, writes
        self._at = 0
        if length > len(self._content):
            raise ValueError("mmap length is greater than file size")
        if not self._content:
            raise ValueError("cannot mmap an empty file")
        if not file.readable() or (writes and not file.writable()):
            raise error(errno.EACCES)

    def __len__(self) -> int:
        return len(self._content)

    def __getitem__(self, key: int | slice) -> Any:
        part = self._content[key]
        return part if isinstance(part, int) else bytes(part)

    def __setitem__(self, key: Any, value: Any) -> None:
        if not self._writes:
            raise TypeError("mmap can't modify a readonly memory map.")
        if isinstance(key, slice) and len(self._content[key]) != len(value):
            raise IndexError("mmap slice assignment is wrong size")
        self._content[key] = value
        self._files.changed()

    def size(self) -> int:
        """Return the size of the file."""
        return len(self._content)

    def resize(self, size: int) -> None:
        """Make the file longer or shorter."""
        if not self._writes:
            raise TypeError("mmap can't resize a readonly or copy-on-write memory map.")
        self._files.resize(self._content, size)

    def read(self, count: int | None = None) -> bytes:
        """Read from the position on."""
        end = None if count is None else self._at + count
        part = bytes(self._content[self._at : end])
        self._at += len(part)
        return part

    def write(self, data: bytes) -> int:
        """Write at the position."""
        self[self._at : self._at + len(data)] = data
        self._at += len(data)
        return len(data)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> None:
        """Move to a position."""
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: len(self._content)}[whence]
        self._at = base + offset

    def tell(self) -> int:
        """Return the position."""
        return self._at

    def flush(self, *_arguments: int) -> None:
        """Let the content survive crashes."""
        self._files.sync(self._content)

    def close(self) -> None:
        """Do nothing: there is nothing to release."""

    def __enter__(self) -> MemoryMap:
        return self

    def __exit__(self, *_error: object) -> None:
        """Do nothing: there is nothing to release."""

    def __contains__(self, part: bytes) -> bool:
        return self._content.find(part) >= 0

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name in ("find", "rfind"):
            return getattr(self._content, name)
        return refuse(f"uses mmap.{name}, which maps of files below {FOLDER} lack")
