# SPDX-License-Identifier: GPL-2.0-only
"""The state of a population, and its folder, to which one process at a time writes."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

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
from defiance_zoo.experiments.workbench.origin import read_description, write_description
from defiance_zoo.experiments.workbench.results_folder import LockedFolder
from defiance_zoo.population.configuration import KnownPolicy, PopulationConfig
from defiance_zoo.population.games.game import Game, Profile
from defiance_zoo.population.games.normal_form import (
    Exploitability,
    Floats,
    Mixtures,
    NormalForm,
    exploitability,
)
from defiance_zoo.population.members import PolicyRecord, PolicyStore, Population
from defiance_zoo.population.payoff_table import Cell, PayoffTable, read_cell


@dataclass
class PopulationState:
    """Populations and their payoffs against each other.

    Attributes:
        game: The game that they play.
        populations: Populations by role.
        probes: Evaluation-only policies of each role; they are used only as deviations.
        table: Payoffs of all policies.
        generation: The last complete generation; -1 without one.
        mixtures: Mixtures of each role over its population, in that generation.
    """

    game: Game
    populations: dict[str, Population]
    probes: dict[str, Population]
    table: PayoffTable
    generation: int = -1
    mixtures: dict[str, Floats] = field(default_factory=dict)

    @classmethod
    def begin(cls, game: Game, config: PopulationConfig) -> PopulationState:
        """Return a new population; no initial policy is also a probe."""
        roles = game.seats.names
        begun = {role: _known(role, config.begin(role), roles) for role in roles}
        probes = {role: _known(role, config.probes.get(role, []), roles) for role in roles}
        others = {
            role: Population(role, (each for each in probes[role] if each.name not in begun[role]))
            for role in roles
        }
        return cls(game, begun, others, PayoffTable(game.seats))

    @property
    def members(self) -> dict[str, list[str]]:
        """Names of the policies of each role."""
        return {role: each.names for role, each in self.populations.items()}

    @property
    def records(self) -> dict[str, PolicyRecord]:
        """All policies by name, probes included."""
        several = (*self.populations.values(), *self.probes.values())
        return {record.name: record for population in several for record in population}

    @property
    def digests(self) -> list[str]:
        """The digests of the policies with files in the store."""
        return [each.digest for each in self.records.values() if each.digest]

    def profiles(self) -> list[Profile]:
        """Return the cells of the game among the policies and of all deviations."""
        seats, members = self.game.seats, self.members
        found = list(seats.profiles(members))
        for role, probes in self.probes.items():
            seat = seats.of_role(role)[0]
            lists = [members[each] for each in seats.roles]
            lists[seat] = probes.names
            found += map(seats.sort, itertools.product(*lists))
        return list(dict.fromkeys(found))

    def normal_form(self) -> NormalForm:
        """Return the game among the policies.

        Raises:
            ParameterError: A payoff is unknown.
        """
        return self.table.normal_form(self.members)

    def exploit(self, mixtures: Mapping[str, Floats]) -> Exploitability:
        """Return the gain of the best known policy over mixtures.

        Args:
            mixtures: Mixtures of each role over its population, or over the policies that joined
                first.
        """
        game = self.normal_form()
        padded = tuple(
            np.pad(mixtures[role], (0, len(self.populations[role]) - len(mixtures[role])))
            for role in self.game.seats.names
        )
        probes = {role: each.names for role, each in self.probes.items()}
        return exploitability(game, padded, self.table.deviations(self.members, probes, padded))

    def by_role(self, mixtures: Mixtures) -> dict[str, Floats]:
        """Return mixtures by the names of their roles."""
        return dict(zip(self.game.seats.names, mixtures, strict=True))


def _known(role: str, policies: Sequence[KnownPolicy], roles: Sequence[str]) -> Population:
    """Return the existing policies of a role; names are unique over all roles."""
    prefix = f"{role}-" if len(roles) > 1 else ""
    return Population(
        role,
        [
            PolicyRecord(
                f"{prefix}{each.name}",
                role,
                baseline=each.baseline or "",
                options=each.options,
                run=each.run or "",
                parameters=each.parameters,
            )
            for each in policies
        ],
    )


def state_to_json(state: PopulationState) -> dict[str, Any]:
    """Return a population's members and their probabilities, for a file without payoffs."""
    return {
        "generation": state.generation,
        "populations": {
            role: [record.to_json() for record in population]
            for role, population in state.populations.items()
        },
        "mixtures": {role: each.tolist() for role, each in state.mixtures.items()},
    }


def read_state(state: PopulationState, values: Mapping[str, Any], folder: Path) -> None:
    """Restore a population from the result of `state_to_json()`."""
    roles = state.game.seats.names
    if set(values["populations"]) != set(roles) or set(values["mixtures"]) != set(roles):
        raise ParameterError(f"{folder} has other roles than {list(roles)}")
    state.generation = values["generation"]
    state.populations = {
        role: Population(role, [PolicyRecord(**each) for each in records])
        for role, records in values["populations"].items()
    }
    state.mixtures = {
        role: np.asarray(each, np.float64) for role, each in values["mixtures"].items()
    }
    for role, mixture in state.mixtures.items():
        if len(mixture) != len(state.populations[role]) or not np.isclose(mixture.sum(), 1):
            raise ParameterError(f"{folder}: the mixture of {role} does not fit its policies")


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
