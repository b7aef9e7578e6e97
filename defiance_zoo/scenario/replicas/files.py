# SPDX-License-Identifier: GPL-2.0-only
"""Files of code under test: in memory, so that they are copied with the process."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import zlib
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any, NamedTuple

from defiance_zoo.scenario.native import core

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
        delay: Maximum time of a sync, in seconds.
        wait: Lets the running process wait for some seconds.
    """

    draw: Callable[[], float] = float
    unsynced: str = "kept"
    errors: float = 0.0
    size: int = 0
    delay: float = 0.0
    wait: Callable[[float], None] = float  # type: ignore[assignment] # nobody waits


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
    "disk_delay": (
        core.Time(0),
        {"range": (core.Time(0), core.Time("3600s")), "help": "Maximum time of a sync."},
    ),
}
"""Parameters of the faults, `disk_` before names of `DiskFaults`: defaults, bounds and texts."""


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
            raise error(errno.EIO)

    def resize(self, content: Content, size: int) -> None:
        """Make a content shorter, or longer by zeros."""
        if size < 0:
            raise error(errno.EINVAL)
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
            raise error(errno.ENOSPC)

    def sync(self, *contents: Content) -> None:
        """Let contents survive crashes."""
        if self.faults.delay:
            self.faults.wait(self._draw() * self.faults.delay)
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
            if self.drawn or self.faults.unsynced != "kept" or self.faults.errors:
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

        `flags`: the mode as of `open()`, or "o": an existing file, to write only.
        """
        if path in self.folders:
            raise error(errno.EEXIST if "x" in flags else errno.EISDIR, path)
        if path not in self.contents:
            if set(flags) & set("ro"):
                raise self._missing(path)
            self._require_parent(path)
            self._made += 1
            content = Content()
            content.number = self._made
            self.contents[path] = content
        elif "x" in flags:
            raise error(errno.EEXIST, path)
        elif "w" in flags:
            self.contents[path].clear()  # other handles see it, too
        self.changed()
        return self.contents[path]

    def stat(self, path: str) -> os.stat_result:
        """Return the size and the kind of a file."""
        if path in self.folders:
            number = zlib.crc32(path.encode()) + (1 << 32)
            return os.stat_result((stat.S_IFDIR | 0o755, number, 0, 1, 0, 0, 0, 0, 0, 0))
        return stat_of(self._find(path))

    def remove(self, path: str) -> None:
        """Remove a file; open handles keep its content."""
        self._find(path)
        del self.contents[path]
        self.changed()

    def rename(self, path: str, to: str) -> None:
        """Move a file, replacing an existing one, or a folder with its content."""
        self._require_parent(path)
        self._require_parent(to)
        if path in self.folders:
            if to == path:
                return
            if to.startswith(f"{path}/"):
                raise error(errno.EINVAL, to)
            if to in self.contents:
                raise error(errno.ENOTDIR, to)
            if to in self.folders:
                self.rmdir(to)
            self.folders = {_moved(each, path, to) for each in self.folders}
            self.contents = {_moved(name, path, to): c for name, c in self.contents.items()}
        else:
            content = self._find(path)
            if to in self.folders:
                is_above = path.startswith(f"{to}/")
                raise error(errno.ENOTEMPTY if is_above else errno.EISDIR, to)
            del self.contents[path]
            self.contents[to] = content
        self.changed()

    def mkdir(self, path: str) -> None:
        """Make a folder."""
        if path in self.folders or path in self.contents:
            raise error(errno.EEXIST, path)
        self._require_parent(path)
        self.folders.add(path)
        self.changed()

    def rmdir(self, path: str) -> None:
        """Remove an empty folder."""
        if path == FOLDER:
            raise error(errno.EBUSY, path)
        if self.listdir(path):
            raise error(errno.ENOTEMPTY, path)
        self.folders.discard(path)
        self.changed()

    def listdir(self, path: str) -> list[str]:
        """Return the names in a folder, sorted."""
        if path not in self.folders:
            raise self._missing(path)
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
            is_junction=lambda: False,
            inode=lambda: self.stat(path).st_ino,
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
        self.resize(self._find(path) if size >= 0 else Content(), size)

    def _require_parent(self, path: str) -> None:
        folder = path.rpartition("/")[0]
        if path != FOLDER and folder not in self.folders:
            raise self._missing(folder)

    def _find(self, path: str) -> Content:
        if path in self.folders:
            raise error(errno.EISDIR, path)
        if path not in self.contents:
            raise self._missing(path)
        return self.contents[path]

    def _missing(self, path: str) -> OSError:
        """Return the error of a path that leads to no file or folder: one above may be a file."""
        above = path
        while above not in self.folders and above not in self.contents:
            above = above.rpartition("/")[0]
        return error(errno.ENOTDIR if above in self.contents else errno.ENOENT, path)


def stat_of(content: Content) -> os.stat_result:
    """Return the size and the kind of a file."""
    size = len(content)
    return os.stat_result((stat.S_IFREG | 0o644, content.number, 0, 1, 0, 0, size, 0, 0, 0))


def error(number: int, *path: str) -> OSError:
    """Return the error with a number, of a path or none."""
    return OSError(number, os.strerror(number), *path)


def _moved(name: str, path: str, to: str) -> str:
    return to + name[len(path) :] if f"{name}/".startswith(f"{path}/") else name


class _Entry(SimpleNamespace):
    """An entry of a folder."""

    def __fspath__(self) -> str:
        return str(self.path)

    def __repr__(self) -> str:
        return f"<DirEntry {self.name!r}>"


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
