# SPDX-License-Identifier: GPL-2.0-only
"""Folders of results, with a record for each finished or failed cell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from defiance_zoo.bridge.system.reading import naming, read_json
from defiance_zoo.bridge.system.whole_files import remove_incomplete, write_json, write_whole
from defiance_zoo.experiments.workbench.descriptions import build_dataclass
from defiance_zoo.experiments.workbench.locked_folder import LockedFolder

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
    """A cell with its record.

    Attributes:
        cell: The cell.
        record: Its record; empty if it has not been run.
    """

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
    """A folder of results; see `LockedFolder`.

    Attributes:
        folders: The subfolders that `begin()` makes.
        results: Dataclass of the record of a finished cell.
    """

    folders: ClassVar[tuple[str, ...]]
    results: ClassVar[type]

    def __init__(self, path: Path) -> None:
        super().__init__(path, new=True, overwrite=True)

    def begin(self, text: str, versions: Mapping[str, Any]) -> None:
        """Write the description, and delete incomplete files of a killed process."""
        remove_incomplete(self.path)
        write_whole(self.path / self.described_by, text)  # first: this file marks the folder
        for name in self.folders:
            (self.path / name).mkdir(exist_ok=True)
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
