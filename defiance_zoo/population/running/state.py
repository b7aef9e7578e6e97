# SPDX-License-Identifier: GPL-2.0-only
"""The state of a population."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from defiance_zoo.errors import ParameterError
from defiance_zoo.population.configuration import KnownPolicy, PopulationConfig
from defiance_zoo.population.games.game import Game, Profile
from defiance_zoo.population.games.normal_form import (
    Exploitability,
    Floats,
    Mixtures,
    NormalForm,
    exploitability,
)
from defiance_zoo.population.members import PolicyRecord, Population
from defiance_zoo.population.payoff_table import PayoffTable


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

    def require_complete(self, folder: Path) -> None:
        """Refuse a population without a complete generation."""
        if self.generation < 0:
            raise ParameterError(f"{folder} has no complete generation; resume it")

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
