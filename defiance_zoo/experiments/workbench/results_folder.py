# SPDX-License-Identifier: GPL-2.0-only
"""Folders to which one process at a time writes, and folders with a record for each cell."""

from __future__ import annotations

import contextlib
import datetime
import fcntl
import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from defiance_zoo.bridge.system.reading import naming, read_json
from defiance_zoo.bridge.system.whole_files import (
    append,
    remove_incomplete,
    to_json,
    write_json,
    write_whole,
)
from defiance_zoo.errors import NotWritten, ParameterError
from defiance_zoo.experiments.workbench.descriptions import (
    build_dataclass,
    parse_yaml,
    read_yaml_text,
)
from defiance_zoo.experiments.workbench.origin import TEXT_SIGNATURES

EVENTS = "events.jsonl"
_LOCK = ".lock"
_LEFTOVERS = {_LOCK, TEXT_SIGNATURES}
"""Files that a killed process may leave in a folder without a description."""
_ELSEWHERE = "choose another folder"
_REMEDY = f"resume it, {_ELSEWHERE}, or overwrite it with --overwrite"


class LockedFolder:
    """A folder that is locked while this object is open."""

    kind: ClassVar[str]
    described_by: ClassVar[str]

    def __init__(
        self, path: Path, *, new: bool = False, overwrite: bool = False, wait: bool = False
    ) -> None:
        """Lock a folder.

        `new`: make the folder, unless it exists. `overwrite`: with `new`, the folder may hold
        contents of this kind.
        """
        self.path = path
        fault = self._find_fault(overwrite) if new else ""
        if fault and not (path / _LOCK).exists():
            raise ParameterError(fault)  # and nothing is left in a folder of somebody else
        self.created = _make(path) if new else False
        self._lock = _lock(path, wait)
        if fault and (fault := self._find_fault(overwrite)):  # no other process is at work now
            os.close(self._lock)
            raise ParameterError(fault)

    def _find_fault(self, overwrite: bool) -> str:
        """Return why nothing may be written to the folder; empty if it may."""
        path = self.path
        if path.exists() and not path.is_dir():
            return f"{path} is a file"
        if path.is_dir() and {entry.name for entry in path.iterdir()} - _LEFTOVERS:
            if not (path / self.described_by).is_file():
                return f"{path} is not empty, and not a {self.kind}: {_ELSEWHERE}"
            if not overwrite:
                return f"{path} holds a {self.kind}: {_REMEDY}"
        return ""

    def clear(self) -> None:
        """Delete the contents."""
        for entry in self.path.iterdir():
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry)
            elif entry.name != _LOCK:
                entry.unlink()

    def note(self, event: dict[str, Any]) -> None:
        """Add a line to `events.jsonl`, with the time."""
        now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
        append(self.path / EVENTS, to_json({"time": now, **event}) + "\n")

    @contextlib.contextmanager
    def noting_failures(self) -> Iterator[None]:
        """Add an error that ends the work, as the event `failed`."""
        try:
            yield
        except Exception as error:
            with contextlib.suppress(NotWritten):  # on a full disk, the error says so
                self.note({"event": "failed", "error": type(error).__name__, "message": str(error)})
            raise

    def close(self) -> None:
        """Unlock the folder; delete it if this object made it and no work has begun.

        The method may be called again.
        """
        if self._lock >= 0:
            if not (self.path / self.described_by).exists():
                for name in _LEFTOVERS:
                    (self.path / name).unlink(missing_ok=True)
                if self.created:
                    with contextlib.suppress(OSError):
                        self.path.rmdir()
            lock, self._lock = self._lock, -1  # first: a signal may arrive during the next line
            os.close(lock)


def _make(path: Path) -> bool:
    """Make a folder, unless it exists; return whether it was made."""
    exists = path.exists()
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ParameterError(f"{path} cannot be made: {error.strerror}") from error
    return not exists


def _lock(folder: Path, wait: bool) -> int:
    """Return a descriptor that locks a folder until it is closed."""
    try:
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(folder / _LOCK, flags, 0o666)
    except OSError as error:
        raise ParameterError(f"{folder / _LOCK} cannot be used: {error.strerror}") from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        os.close(descriptor)
        raise ParameterError(f"{folder} is in use: another process works there") from None
    return descriptor


Record = dict[str, Any]
"""The record of a cell: its results, or `error` and `message`."""


class Cell(Protocol):
    """A part of an experiment that has its own record."""

    @property
    def key(self) -> str:
        """A digest of all inputs of its results."""

    @property
    def place(self) -> Mapping[str, Any]:
        """The value of each axis, for tables."""


AnyCell = TypeVar("AnyCell", bound=Cell)


@dataclass(frozen=True)
class Result(Generic[AnyCell]):
    """A cell with its record."""

    cell: AnyCell
    record: Record

    @property
    def finished(self) -> bool:
        """Whether the cell has results."""
        return bool(self.record) and not self.failed

    @property
    def failed(self) -> bool:
        """Whether the record reports a failure."""
        return "error" in self.record


@dataclass
class Failure:
    """The record of a cell that failed."""

    error: str
    message: str


class ResultsFolder(LockedFolder):
    """A folder of results; see `LockedFolder`."""

    folders: ClassVar[tuple[str, ...]]
    results: ClassVar[type]

    def __init__(self, path: Path) -> None:
        super().__init__(path, new=True, overwrite=True)

    def require_same(self, text: str) -> None:
        """Refuse to replace the description of an experiment in another environment."""
        described = self.path / self.described_by
        known = new = ""
        with contextlib.suppress(OSError, ParameterError):  # it is new, or damaged
            known, new = (
                Path(str(parse_yaml(each, described).get("env"))).name
                for each in (read_yaml_text(described), text)
            )
        if known != new:
            raise ParameterError(f"{self.path} holds a {self.kind} in {known}: {_ELSEWHERE}")

    def begin(self, text: str, versions: Mapping[str, Any]) -> None:
        """Write the description; delete plots, and incomplete files of a killed process."""
        remove_incomplete(self.path)
        write_whole(self.path / self.described_by, text)  # first: this file marks the folder
        for name in self.folders:
            (self.path / name).mkdir(exist_ok=True)
        for plot in filter(Path.is_file, (self.path / "plots").glob("[0-9][0-9]-*")):
            plot.unlink()
        write_json(self.path / "versions.json", versions, 2)

    def record(self, cell: Cell) -> Record | None:
        """Return the record of a cell."""
        return read_record(self.path, cell, self.results)

    def write_record(self, cell: Cell, record: Record) -> None:
        """Write the record of a cell."""
        failed = self.path / "cells" / f"{cell.key}.failed.json"
        path = failed if "error" in record else failed.with_name(f"{cell.key}.json")
        write_json(path, {"cell": cell.place, **record})
        if path != failed:
            failed.unlink(missing_ok=True)


def read_record(folder: Path, cell: Cell, results: type) -> Record | None:
    """Return the record of a cell in a folder, which need not exist."""
    for name in (f"{cell.key}.json", f"{cell.key}.failed.json"):
        if (folder / "cells" / name).is_file():
            return _read_record(folder / "cells" / name, results)
    return None


def _read_record(path: Path, results: type) -> Record:
    damage = "is damaged; delete it to play its cell again"
    with naming(path, damage, also=(AttributeError, KeyError, TypeError)):
        known: Record = read_json(path)
        kind = Failure if "error" in known else results
        known.pop("cell")
        build_dataclass(kind, known, more=True)
        return known


def is_finished(folder: Path, cell: Cell) -> bool:
    """Return whether a folder, which need not exist, has the results of a cell."""
    return (folder / "cells" / f"{cell.key}.json").is_file()
