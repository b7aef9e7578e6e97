# SPDX-License-Identifier: GPL-2.0-only
"""Files of code under test: in memory, so that they are copied with the process."""

from __future__ import annotations

import errno
import hashlib
import io
import os
import stat
import zlib
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any, NamedTuple

FOLDER = "/disk"
"""The folder in which code under test finds the disk of its replica."""


class Content(bytearray):
    """The content of a file.

    Attributes:
        synced: The content that survives a crash, if crashes lose unsynced writes.
        number: Number of the file on its disk, from 1 on.
    """

    synced = b""
    number = 0

    def __eq__(self, other: object) -> bool:
        """Compare the synced content, too: a sync is a change of the disk."""
        is_equal = bytearray.__eq__(self, other) is True
        return is_equal and self.synced == getattr(other, "synced", b"")

    __hash__ = None


class DiskFaults(NamedTuple):
    """The faults of a disk.

    Attributes:
        draw: Returns the next random number in [0, 1).
        unsynced: The fate of unsynced writes at a crash: `kept`, `lost` or `torn`.
        errors: Probability that a write, a truncation or a sync raises EIO.
        size: Bytes that all files may hold; 0: any number.
    """

    draw: Callable[[], float] = float
    unsynced: str = "kept"
    errors: float = 0.0
    size: int = 0


FAULTS: dict[str, tuple[Any, dict[str, Any]]] = {
    "disk_unsynced": (
        "kept",
        {"choices": ("kept", "lost", "torn"), "help": "Fate of unsynced writes at a crash."},
    ),
    "disk_errors": (
        0.0,
        {"range": (0.0, 1.0), "help": "Probability of EIO at a write, truncation or sync."},
    ),
    "disk_size": (
        0,
        {"range": (0, 2**31 - 1), "help": "Bytes that all files may hold; 0: any number."},
    ),
}
"""Parameters of the faults, in the order of `DiskFaults`: default values, and bounds with texts."""


class Files:
    """The files of a disk, by path."""

    def __init__(self) -> None:
        self.contents: dict[str, Content] = {}
        self.folders = {FOLDER}
        self.faults = DiskFaults()
        self.drawn = 0
        self._made = 0
        self._digest = ""

    def fail_sometimes(self) -> None:
        """Raise EIO with the probability of errors."""
        if self.faults.errors and self._draw() < self.faults.errors:
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    def resize(self, content: Content, size: int) -> None:
        """Make a content shorter, or longer by zeros."""
        self.require_room(content, size)
        del content[size:]
        content.extend(bytes(max(0, size - len(content))))
        self.changed()

    def require_room(self, content: Content, size: int) -> None:
        """Raise EIO with the probability of errors, and ENOSPC if a content may not be so long."""
        self.fail_sometimes()
        growth = size - len(content)
        if not self.faults.size or growth <= 0:
            return
        if sum(map(len, self.contents.values())) + growth > self.faults.size:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def sync(self, *contents: Content) -> None:
        """Let contents survive crashes."""
        self.fail_sometimes()
        if self.faults.unsynced != "kept":
            for each in contents:
                each.synced = bytes(each)
            self.changed()

    def crash(self) -> None:
        """Lose unsynced writes, or tear them: one part is of the new content, the rest of the old.

        Open handles keep other copies of the contents.
        """
        for path in sorted(self.contents if self.faults.unsynced != "kept" else ()):
            new, old, cut = bytes(self.contents[path]), self.contents[path].synced, 0
            if self.faults.unsynced == "torn" and new != old:
                pairs = enumerate(zip(new, old, strict=False))
                equal = next((i for i, (a, b) in pairs if a != b), min(len(new), len(old)))
                cut = equal + int(self._draw() * (max(len(new), len(old)) - equal + 1))
            kept = Content(new[:cut] + old[cut:])
            kept.synced, kept.number = bytes(kept), self.contents[path].number
            self.contents[path] = kept
            self.changed()

    def _draw(self) -> float:
        self.drawn += 1
        self.changed()
        return self.faults.draw()

    def changed(self) -> None:
        """Note that a file has changed."""
        self._digest = ""

    def digest(self) -> str:
        """Return a hash of all names and contents."""
        if not self._digest:
            hashed = hashlib.blake2b(digest_size=16)
            if self.faults.unsynced != "kept" or self.faults.errors:
                synced = sorted((path, each.synced) for path, each in self.contents.items())
                hashed.update(repr((self.drawn, synced)).encode())
            for path in sorted(self.folders - {FOLDER}):
                hashed.update(f"{path}/:".encode())
            for path in sorted(self.contents):
                hashed.update(f"{path}:{len(self.contents[path])}:".encode())
                hashed.update(self.contents[path])
            self._digest = hashed.hexdigest()
        return self._digest

    def open(self, path: str, flags: str) -> Content:
        """Return the content of a file that is opened.

        Args:
            path: Its path.
            flags: The mode as of `open()`.
        """
        if path in self.folders:
            raise _error(errno.EISDIR, path)
        if path not in self.contents:
            if "r" in flags:
                raise _error(errno.ENOENT, path)
            self._require_parent(path)
            self._made += 1
            content = Content()
            content.number = self._made
            self.contents[path] = content
        elif "x" in flags:
            raise _error(errno.EEXIST, path)
        elif "w" in flags:
            self.contents[path].clear()  # other handles see it, too
        self.changed()
        return self.contents[path]

    def stat(self, path: str) -> os.stat_result:
        """Return the size and the kind of a file."""
        if path in self.folders:
            number = zlib.crc32(path.encode()) + (1 << 32)
            return os.stat_result((stat.S_IFDIR | 0o755, number, 0, 1, 0, 0, 0, 0, 0, 0))
        return _stat(self._find(path))

    def remove(self, path: str) -> None:
        """Remove a file; open handles keep its content."""
        self._find(path)
        del self.contents[path]
        self.changed()

    def rename(self, path: str, to: str) -> None:
        """Move a file, replacing an existing one, or a folder with its content."""
        self._require_parent(to)
        if path in self.folders:
            if to in self.contents or f"{to}/".startswith(f"{path}/"):
                raise _error(errno.ENOTDIR if to in self.contents else errno.EINVAL, to)
            if to in self.folders:
                self.rmdir(to)
            self.folders = {_moved(each, path, to) for each in self.folders}
            self.contents = {_moved(name, path, to): c for name, c in self.contents.items()}
        elif to in self.folders:
            raise _error(errno.EISDIR, to)
        else:
            self.contents[to] = self._find(path)
            if to != path:
                del self.contents[path]
        self.changed()

    def mkdir(self, path: str) -> None:
        """Make a folder."""
        if path in self.folders or path in self.contents:
            raise _error(errno.EEXIST, path)
        self._require_parent(path)
        self.folders.add(path)
        self.changed()

    def rmdir(self, path: str) -> None:
        """Remove an empty folder."""
        if self.listdir(path):
            raise _error(errno.ENOTEMPTY, path)
        self.folders.discard(path)
        self.changed()

    def listdir(self, path: str) -> list[str]:
        """Return the names in a folder, sorted."""
        if path not in self.folders:
            raise _error(errno.ENOTDIR if path in self.contents else errno.ENOENT, path)
        paths = (*self.contents, *self.folders - {FOLDER})
        return sorted(each.rpartition("/")[2] for each in paths if each.rpartition("/")[0] == path)

    def scandir(self, path: str) -> _Entries:
        """Return the entries of a folder."""
        return _Entries(self._entry(path, name) for name in self.listdir(path))

    def _entry(self, folder: str, name: str) -> _Entry:
        path = f"{folder}/{name}"
        return _Entry(
            name=name,
            path=path,
            is_dir=lambda **_: path in self.folders,
            is_file=lambda **_: path in self.contents,
            is_symlink=lambda: False,
            stat=lambda **_: self.stat(path),
        )

    def access(self, path: str, _mode: int) -> bool:
        """Return whether a file exists: a process has all rights on its disk."""
        return path in self.contents or path in self.folders

    def listxattr(self, path: str) -> list[str]:
        """Return no names: a disk has no extended attributes."""
        self.stat(path)
        return []

    def truncate(self, path: str, size: int) -> None:
        """Make a file shorter or longer."""
        self.resize(self._find(path), size)

    def _require_parent(self, path: str) -> None:
        if path.rpartition("/")[0] not in self.folders:
            raise _error(errno.ENOENT, path)

    def _find(self, path: str) -> Content:
        if path not in self.contents:
            raise _error(errno.ENOENT, path)
        return self.contents[path]


def _stat(content: Content) -> os.stat_result:
    size = len(content)
    return os.stat_result((stat.S_IFREG | 0o644, content.number, 0, 1, 0, 0, size, 0, 0, 0))


def _error(number: int, path: str) -> OSError:
    return OSError(number, os.strerror(number), path)


def _moved(name: str, path: str, to: str) -> str:
    return to + name[len(path) :] if f"{name}/".startswith(f"{path}/") else name


class _Entry(SimpleNamespace):
    """An entry of a folder."""

    def __fspath__(self) -> str:
        return str(self.path)


class _Entries(list[Any]):
    """Entries of a folder, as `os.scandir()` returns them."""

    def __enter__(self) -> Iterator[Any]:
        return iter(self)

    def __exit__(self, *_error: object) -> None:
        """Do nothing: there is nothing to release."""

    def __next__(self) -> Any:
        if not self:
            raise StopIteration
        return self.pop(0)

    close = __exit__


class OpenFile(io.RawIOBase):
    """An open file, whose writes reach the disk until its process crashes."""

    def __init__(self, path: str, flags: str, files: Files, is_alive: Callable[[], bool]) -> None:
        super().__init__()
        self.name, self._flags, self.files = path, flags, files
        self._is_alive = is_alive
        self.content = files.open(path, flags)
        self._at = 0
        self._number = _Numbers.give(self)

    def fileno(self) -> int:
        """Return a number by which `mmap()` finds the file; it is not a descriptor."""
        return self._number

    def readable(self) -> bool:
        """Return whether it can be read."""
        return "r" in self._flags or "+" in self._flags

    def writable(self) -> bool:
        """Return whether it can be written."""
        return self._flags.strip("bt") != "r"

    def seekable(self) -> bool:
        """Return True: files have positions."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read bytes into a buffer, and return their number."""
        part = self.content[self._at : self._at + len(buffer)]
        buffer[: len(part)] = part
        self._at += len(part)
        return len(part)

    def write(self, data: Any) -> int:
        """Write bytes, and return their number."""
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
        """Move to a position, and return it."""
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: len(self.content)}[whence]
        self._at = base + offset
        return self._at

    def truncate(self, size: int | None = None) -> int:
        """Make the file shorter or longer, and return its size."""
        size = self._at if size is None else size
        self.files.resize(self.content, size)
        return size

    def stat(self) -> os.stat_result:
        """Return the size and the kind of the file."""
        return _stat(self.content)

    def sync(self) -> None:
        """Let the content survive crashes."""
        if self._is_alive():
            self.files.sync(self.content)

    def lock(self) -> None:
        """Do nothing: no other process has the disk of a replica."""

    def read_at(self, count: int, at: int) -> bytes:
        """Return bytes at a position."""
        return bytes(self.content[at : at + count])

    def write_at(self, data: Any, at: int) -> int:
        """Write bytes at a position, and return their number."""
        before, self._at = self._at, at
        try:
            return self.write(data)
        finally:
            self._at = before

    def close(self) -> None:
        """Close the file."""
        _Numbers.files.pop(self._number, None)
        super().close()


class OpenFolder:
    """An open folder, of which only the number is of use, such as for `os.fsync()`."""

    def __init__(self, path: str, files: Files) -> None:
        self._path, self._files = path, files
        self.number = _Numbers.give(self)

    def stat(self) -> os.stat_result:
        """Return the kind."""
        return self._files.stat(self._path)

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


def find_open(number: int) -> Any:
    """Return the open file or folder of a number; None: none has it."""
    return _Numbers.files.get(number)


class MemoryMap:
    """A file that is used like memory, as by `mmap`."""

    def __init__(self, file: OpenFile, length: int) -> None:
        self._content, self._files = file.content, file.files
        self._at = 0
        if length > len(self._content):
            self.resize(length)
        elif not self._content:
            raise ValueError("cannot mmap an empty file")

    def __len__(self) -> int:
        """Return the number of bytes."""
        return len(self._content)

    def __getitem__(self, key: int | slice) -> Any:
        """Return a byte as an int, or bytes."""
        part = self._content[key]
        return part if isinstance(part, int) else bytes(part)

    def __setitem__(self, key: Any, value: Any) -> None:
        """Replace bytes by equally many."""
        if isinstance(key, slice) and len(self._content[key]) != len(value):
            raise IndexError("mmap slice assignment is wrong size")
        self._content[key] = value
        self._files.changed()

    def size(self) -> int:
        """Return the size of the file."""
        return len(self._content)

    def resize(self, size: int) -> None:
        """Make the file longer or shorter."""
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

    def find(self, part: bytes, *bounds: int) -> int:
        """Return the position of bytes; -1 if they are missing."""
        return self._content.find(part, *bounds)

    def flush(self, *_arguments: int) -> None:
        """Let the content survive crashes."""
        self._files.sync(self._content)

    def close(self) -> None:
        """Do nothing: there is nothing to release."""
