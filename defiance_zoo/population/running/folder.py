# SPDX-License-Identifier: GPL-2.0-only
"""The folder of a population; one process at a time writes to it."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from defiance_zoo.bridge.system.reading import naming, parse_json, read_bytes, read_json
from defiance_zoo.bridge.system.whole_files import (
    append,
    remove_incomplete,
    to_json,
    write_json,
)
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.workbench.descriptions import (
    build_dataclass,
    build_model,
    model_to_yaml,
)
from defiance_zoo.experiments.workbench.locked_folder import LockedFolder
from defiance_zoo.experiments.workbench.origin import read_description, write_description
from defiance_zoo.population.configuration import PopulationConfig
from defiance_zoo.population.games.game import Profile
from defiance_zoo.population.members import PolicyRecord, PolicyStore, Population
from defiance_zoo.population.payoff_table import Cell, PayoffTable, read_cell

CONFIG = "population.yaml"
_CELLS, _PENDING = "cells.jsonl", "pending.json"
_GENERATIONS = "generations"


class PopulationFolder(LockedFolder):
    """A population's folder; see `LockedFolder`.

    A generation is one file, which is written last and as a whole; without this file, the
    generation is incomplete. Other files keep the next generation's finished cells and policies,
    for a resumed run.
    """

    kind: ClassVar[str] = "population"
    described_by: ClassVar[str] = CONFIG

    def __init__(
        self, path: Path, *, new: bool = False, overwrite: bool = False, trust: bool = False
    ) -> None:
        super().__init__(path, new=new, overwrite=overwrite)
        self.store = PolicyStore(path / "policies", trust=trust)

    def begin(self, config: PopulationConfig, versions: dict[str, Any]) -> None:
        """Delete the old population, and write the description of the new one."""
        self.clear()
        self.write_config(config)  # first, because this file marks the folder
        (self.path / _GENERATIONS).mkdir()
        write_json(self.path / "versions.json", versions, 2)

    def write_config(self, config: PopulationConfig) -> None:
        """Write the description of the population, defaults included."""
        write_description(self.path / CONFIG, model_to_yaml(config))

    def remove_unfinished(self) -> None:
        """Delete incomplete files of a killed process."""
        remove_incomplete(self.path)
        self.store.remove_incomplete()

    # ------------------------------------------------------- finished parts

    def write_generation(self, generation: int, values: dict[str, Any]) -> None:
        """Write a generation's file, which completes the generation."""
        path = self.path / _GENERATIONS / f"{generation:04}.json"
        write_json(path, {**values, "generation": generation})
        (self.path / _PENDING).unlink(missing_ok=True)

    def write_pending(self, generation: int, records: list[PolicyRecord]) -> None:
        """Write the trained policies of an incomplete generation."""
        values = {"generation": generation, "records": [each.to_json() for each in records]}
        write_json(self.path / _PENDING, values)

    def read_pending(self, generation: int) -> list[PolicyRecord]:
        """Return the trained policies of an incomplete generation."""
        path = self.path / _PENDING
        if not path.is_file():
            return []
        with _naming(path):
            pending = build_dataclass(_Pending, read_json(path))
            if pending.generation != generation:
                return []
            return [build_dataclass(PolicyRecord, each) for each in pending.records]

    def add_cell(self, profile: Profile, cell: Cell) -> None:
        """Append a finished cell to the file of cells, and flush the file to the disk."""
        line = to_json({"profile": list(profile), **cell.to_json()}) + "\n"
        append(self.path / _CELLS, line, to_disk=True)


def read_config(path: Path, *, trust: bool | None = None) -> PopulationConfig:
    """Return the description of the population in a folder."""
    if not (path / CONFIG).is_file():
        raise ParameterError(f"{path} is not a population: it has no {CONFIG}")
    return build_model(PopulationConfig, read_description(path / CONFIG, trust=trust))


def read_generations(path: Path) -> list[dict[str, Any]]:
    """Return the records of the complete generations in a folder."""
    found = []
    for file in sorted((path / _GENERATIONS).glob("[0-9]*.json")):
        with _naming(file):
            values = read_json(file)
            generation = build_dataclass(_Generation, values, more=True)
            for role, records in generation.populations.items():
                Population(role, (build_dataclass(PolicyRecord, each) for each in records))
                if len(generation.mixtures.get(role, ())) != len(records):
                    raise ValueError(f"the mixture of {role} must have a share for each policy")
            found.append(values)
    return found


def read_cells(path: Path, table: PayoffTable) -> None:
    """Read all cells of a folder into a table."""
    file = path / _CELLS
    if file.is_file():
        with naming(file):
            content = read_bytes(file)
        # A killed process may have left an incomplete last line.
        lines = content[: content.rfind(b"\n") + 1].splitlines()
        for number, line in enumerate(lines, 1):
            with _naming(file, f"is damaged: line {number}"):
                read_cell(parse_json(line), table)


def _naming(path: Path, damage: str = "is damaged") -> contextlib.AbstractContextManager[None]:
    """Add the file to errors of reading and decoding; see `naming()`."""
    return naming(path, damage, also=(AttributeError, KeyError, TypeError))


@dataclass
class _Pending:
    """The contents of `write_pending()`'s file."""

    generation: int
    records: list[dict[str, Any]]


@dataclass
class _Generation:
    """The required keys of a generation's file."""

    generation: int
    populations: dict[str, list[dict[str, Any]]]
    mixtures: dict[str, list[float]]
    figures: dict[str, float | None]
    cells: dict[str, int]
    seconds: dict[str, float]
    actions: dict[str, Any]
