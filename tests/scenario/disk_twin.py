# SPDX-License-Identifier: GPL-2.0-only
"""Random programs on the disk of a replica and in a folder of Linux: prints what differs.

`python disk_twin.py SEED COUNT FOLDER`; all functions are those that code under test calls.
"""

# ruff: noqa: PTH103, PTH104, PTH116, PTH123, SIM115 (the functions of `os` are under test)
from __future__ import annotations

import errno
import io
import mmap
import os
import random
import shutil
import stat
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from defiance_zoo.scenario.replicas.replica import Disk, Replica, Running
from defiance_zoo.scenario.replicas.virtual_library import install

NAMES = ("a", "b", "d", "d/a", "d/e", "d/e/x")
MODES = (
    *("r", "w", "a", "x", "r+", "w+", "a+", "x+", "rb", "wb", "ab", "xb", "rb+", "wb+", "ab+"),
    *("rw", "b", "rt", "wt", "rr", "bt"),
)
FLAGS = (0, os.O_TRUNC, os.O_APPEND, os.O_EXCL, os.O_APPEND | os.O_TRUNC)
TEXTS = ("x", "yy\n", "z" * 15, "line\nline", "w" * 300)
Draws = Sequence[float]


def draw(values: Sequence[Any], number: float) -> Any:
    return values[int(number * len(values))]


class Program:
    """The open files of a program in a folder, and its steps by name, each with five draws."""

    def __init__(self, folder: str) -> None:
        self.folder, self.files, self.numbers = folder, list[Any](), list[int]()
        self.steps: dict[str, Callable[[Draws], Any]] = {
            "open": self._open,
            "os.open": self._open_number,
            "mmap": self._map,
            "close": lambda d: self.files.pop(self.files.index(draw(self.files, d[0]))).close(),
            "write": self._write,
            "read": lambda d: draw(self.files, d[0]).read(int(20 * d[1]) - 1),
            "readline": lambda d: draw(self.files, d[0]).readline(),
            "tell": lambda d: draw(self.files, d[0]).tell(),
            "flush": lambda d: draw(self.files, d[0]).flush(),
            "truncate": lambda d: draw(self.files, d[0]).truncate(draw([None, 0, 5, 30], d[1])),
            "seek": self._seek,
            "os.write": lambda d: os.write(draw(self.numbers, d[0]), b"q" * int(1 + 9 * d[1])),
            "os.read": lambda d: os.read(draw(self.numbers, d[0]), int(30 * d[1])),
            "lseek": self._seek_number,
            "pread": lambda d: os.pread(draw(self.numbers, d[0]), 9, int(30 * d[2]) - 3),
            "pwrite": lambda d: os.pwrite(draw(self.numbers, d[0]), b"pp", int(30 * d[2]) - 3),
            "ftruncate": lambda d: os.ftruncate(draw(self.numbers, d[0]), int(30 * d[1]) - 2),
            "fstat": lambda d: self._stat(os.fstat(draw(self.numbers, d[0]))),
            "fsync": lambda d: os.fsync(draw(self.numbers, d[0])),
            "rename": lambda d: os.rename(self._path(d[0]), self._path(d[1])),
            "os.truncate": lambda d: os.truncate(self._path(d[0]), int(30 * d[1]) - 2),
            "stat": lambda d: self._stat(os.stat(self._path(d[0]))),
            "rmtree": lambda d: shutil.rmtree(self._path(d[0])),
            "makedirs": lambda d: os.makedirs(self._path(d[0]), exist_ok=d[1] < 0.5),
        }
        for name in ("remove", "mkdir", "rmdir", "listdir"):
            self.steps[name] = lambda d, name=name: getattr(os, name)(self._path(d[0]))

    def play(self, step: str, draws: Draws) -> Any:
        """Return the result of a step, or its error."""
        try:
            found = self.steps[step](draws)
        except OSError as error:  # io.UnsupportedOperation has no number
            return f"OSError {errno.errorcode[error.errno or errno.EBADF]}"
        except (ValueError, TypeError, IndexError) as error:
            return type(error).__name__
        return sorted(found) if isinstance(found, list) else found

    def content(self) -> list[Any]:
        """Return the folders, and the files with their bytes."""
        found = []
        for folder, _, names in os.walk(self.folder):
            inner = folder.removeprefix(self.folder)
            found.append((inner, {name: Path(folder, name).read_bytes() for name in names}))
        return sorted(found, key=str)

    def _path(self, number: float) -> str:
        return f"{self.folder}/{draw(NAMES, number)}"

    def _open(self, draws: Draws) -> None:
        mode, size = draw(MODES, draws[1]), draw([-1, -1, 0, 1, 7, 100], draws[2])
        size = -1 if size == 1 and "b" in mode else size
        self.files.append(open(self._path(draws[0]), mode, size))

    def _open_number(self, draws: Draws) -> None:
        flags = draw([os.O_RDONLY, os.O_WRONLY, os.O_RDWR], draws[1]) | draw(FLAGS, draws[3])
        excludes = flags & os.O_EXCL
        flags |= os.O_CREAT if draws[2] < 0.7 or excludes else 0
        self.numbers.append(os.open(self._path(draws[0]), flags, 0o644))

    def _write(self, draws: Draws) -> Any:
        file, text = draw(self.files, draws[0]), draw(TEXTS, draws[1])
        return file.write(text if isinstance(file, io.TextIOBase) else text.encode())

    def _seek(self, draws: Draws) -> Any:
        file, whence = draw(self.files, draws[0]), int(3 * draws[2])
        offset = 0 if isinstance(file, io.TextIOBase) else int(40 * draws[1]) - 10
        return file.seek(offset, whence)

    def _seek_number(self, draws: Draws) -> Any:
        number = draw(self.numbers, draws[0])
        if stat.S_ISDIR(os.fstat(number).st_mode):
            return None  # which a replica cannot do
        return os.lseek(number, int(40 * draws[1]) - 10, int(3 * draws[2]))

    def _map(self, draws: Draws) -> Any:
        access = draw([mmap.ACCESS_DEFAULT, mmap.ACCESS_READ, mmap.ACCESS_WRITE], draws[1])
        number, length = draw(self.numbers, draws[0]), draw([0, 0, 100], draws[2])
        if stat.S_ISDIR(os.fstat(number).st_mode):
            return None  # which a replica cannot do
        mapped: Any = mmap.mmap(number, length, access=access)
        before = len(mapped), mapped[0], mapped[:5]
        mapped[:1] = b"M"
        return before, mapped[:]

    def _stat(self, found: os.stat_result) -> Any:
        kind = stat.S_IFMT(found.st_mode)
        return kind, found.st_size if kind == stat.S_IFREG else 0


def compare(seed: int, folder: str) -> str:
    """Return the first difference between both worlds; empty if there is none."""
    rng = random.Random(seed)
    real, virtual, replica = Program(folder), Program("/disk"), Replica()
    vars(replica).update(id=1, size=3, others=(2, 3), disk=Disk())
    for _ in range(rng.randrange(2, 30)):
        name, draws = rng.choice(list(real.steps)), [rng.random() for _ in range(5)]
        expected = real.play(name, draws), real.content()
        Running.process = replica
        try:
            found = virtual.play(name, draws), virtual.content()
        finally:
            Running.process = None
        if found != expected:
            return f"{seed}: {name} {draws}\n  Linux {expected}\n  disk  {found}"
    return ""


if __name__ == "__main__":
    install()
    first, count = map(int, sys.argv[1:3])
    for each in range(first, first + count):
        inner = Path(sys.argv[3], str(each))
        inner.mkdir()
        if difference := compare(each, str(inner)):
            print(difference)
