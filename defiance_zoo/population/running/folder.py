# SPDX-License-Identifier: GPL-2.0-only
"""The folder of a population, which one process at a time writes to."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, ClassVar

from defiance_zoo.errors import ParameterError
from defiance_zoo.population.configuration import PopulationConfig
from defiance_zoo.population.games.seats import Profile
from defiance_zoo.population.members.records import PolicyRecord
from defiance_zoo.population.members.store import PolicyStore
from defiance_zoo.population.table.payoffs import Cell, PayoffTable
from defiance_zoo.training.files import remove_incomplete, to_json, write_whole
from defiance_zoo.training.folder import OVERWRITE
from defiance_zoo.training.locked_folder import LockedFolder
from defiance_zoo.training.run_config_file import build_model, model_to_yaml, read_yaml

CONFIG = "population.yaml"
_CELLS, _PENDING = "cells.jsonl", "pending.json"
_GENERATIONS = "generations"


class PopulationFolder(LockedFolder):
    """A population's folder; see `LockedFolder`.

    A generation is one file, which is written last and whole: what is not in it has not happened.
    Cells that have been played, and policies that have been trained, for the generation after it
    are kept beside it, and taken up by whoever goes on.

    Attributes:
        store: Its policies.
    """

    kind: ClassVar[str] = "population"
    described_by: ClassVar[str] = CONFIG

    def __init__(self, path: Path) -> None:
        """Lock a folder that exists.

        Raises:
            ParameterError: Another process has it locked.
        """
        super().__init__(path)
        self.store = PolicyStore(path / "policies")

    @classmethod
    def claim(cls, path: Path, *, overwrite: bool) -> PopulationFolder:
        """Return the folder of a new population.

        Raises:
            ParameterError: It holds something else, or is in use.
        """
        created = cls.prepare(path, holds_one=None if overwrite else OVERWRITE)
        folder = cls(path)
        folder.created = created
        return folder

    def begin(self, config: PopulationConfig, versions: dict[str, Any]) -> None:
        """Delete the population that was there, and say what the new one is."""
        self.clear()
        self.write_config(config)  # first: it says whose the folder is
        (self.path / _GENERATIONS).mkdir()
        write_whole(self.path / "versions.json", to_json(versions, 2) + "\n")

    def write_config(self, config: PopulationConfig) -> None:
        """Say what the population is, defaults included."""
        write_whole(self.path / CONFIG, model_to_yaml(config))

    def go_on(self) -> None:
        """Delete what a process that was killed left incomplete."""
        remove_incomplete(self.path)
        self.store.remove_incomplete()
        path = self.path / _CELLS
        if path.is_file():
            content = path.read_bytes()
            whole = _whole_lines(content)
            if whole != content:
                write_whole(path, whole)

    # ------------------------------------------------------- what has been done

    def write_generation(self, generation: int, values: dict[str, Any]) -> None:
        """Write down a generation: from here on it has happened."""
        path = self.path / _GENERATIONS / f"{generation:04}.json"
        write_whole(path, to_json({**values, "generation": generation}, 1) + "\n")
        (self.path / _PENDING).unlink(missing_ok=True)

    def write_pending(self, generation: int, records: list[PolicyRecord]) -> None:
        """Write down the policies that were trained for a generation that is not complete."""
        values = {"generation": generation, "records": [each.to_json() for each in records]}
        write_whole(self.path / _PENDING, to_json(values, 1) + "\n")

    def read_pending(self, generation: int) -> list[PolicyRecord]:
        """Return the policies that were trained for a generation."""
        path = self.path / _PENDING
        if not path.is_file():
            return []
        values = json.loads(path.read_text(encoding="utf-8"))
        if values["generation"] != generation:
            return []
        return [PolicyRecord(**each) for each in values["records"]]

    def add_cell(self, profile: Profile, cell: Cell) -> None:
        """Write down a cell that was played, on disk before anything else is done."""
        line = to_json({"profile": list(profile), **cell.to_json()}) + "\n"
        with (self.path / _CELLS).open("a", encoding="utf-8") as file:
            file.write(line)
            file.flush()
            os.fsync(file.fileno())


def read_config(path: Path) -> PopulationConfig:
    """Return what the population of a folder is.

    Raises:
        ParameterError: It has none.
    """
    if not (path / CONFIG).is_file():
        raise ParameterError(f"{path} is no population: it has no {CONFIG}")
    return build_model(PopulationConfig, read_yaml(path / CONFIG))


def read_generations(path: Path) -> list[dict[str, Any]]:
    """Return what a folder knows of each complete generation."""
    files = sorted((path / _GENERATIONS).glob("[0-9]*.json"))
    return [json.loads(file.read_text(encoding="utf-8")) for file in files]


def read_cells(path: Path, table: PayoffTable) -> None:
    """Put all cells that a folder knows into a table."""
    file = path / _CELLS
    if file.is_file():
        for line in _whole_lines(file.read_bytes()).splitlines():
            values = json.loads(line)
            table.put(tuple(values["profile"]), Cell.from_json(values))


def _whole_lines(content: bytes) -> bytes:
    """Return a file without the end of a line that a killed process has begun."""
    return content[: content.rfind(b"\n") + 1]
