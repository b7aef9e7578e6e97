# SPDX-License-Identifier: GPL-2.0-only
"""The payoff table of a population: its cells, their statistics, and its files.

Files are JSON for this package, and Parquet for other programs.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, TypeVar

import numpy as np
from pydantic import Field, FiniteFloat, NonNegativeInt

from defiance_zoo.bridge.system.reading import naming, read_json
from defiance_zoo.bridge.system.whole_files import write_json
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.workbench import table_files
from defiance_zoo.experiments.workbench.descriptions import build_dataclass
from defiance_zoo.experiments.workbench.table_files import Row
from defiance_zoo.population.games.game import Profile, Seats
from defiance_zoo.population.games.normal_form import Floats, Mixtures, NormalForm, expect


@dataclass(frozen=True)
class Statistics:
    """Mean and variance of some numbers.

    Attributes:
        n: Number of values.
        mean: Mean of the numbers; 0 without numbers.
        squares: Sum of the squares of their differences from the mean.
    """

    n: NonNegativeInt
    mean: FiniteFloat
    squares: Annotated[FiniteFloat, Field(ge=0)]

    @classmethod
    def of(cls, values: Iterable[float]) -> Statistics:
        """Return the statistics of some numbers."""
        numbers = np.fromiter(values, np.float64)
        mean = numbers.mean() if len(numbers) else 0.0
        return cls(len(numbers), float(mean), float(np.sum((numbers - mean) ** 2)))

    @property
    def standard_error(self) -> float | None:
        """Standard error of the mean; None for fewer than two numbers."""
        return math.sqrt(self.squares / (self.n - 1) / self.n) if self.n > 1 else None

    def to_json(self) -> dict[str, Any]:
        """Return the statistics for a file."""
        error = self.standard_error
        return {"mean": self.mean, "n": self.n, "standard_error": error, "squares": self.squares}


_Value = TypeVar("_Value")
_MOST_SHOWN = 5
"""Maximum number of unknown cells in a message."""

Members = Mapping[str, Sequence[str]]
"""Names of the policies of each role."""


@dataclass(frozen=True)
class Outcome:
    """The outcome of an episode.

    Attributes:
        payoffs: Each policy's payoff, as a mean over its seats.
        scores: Each policy's score, as a mean over its and the others' seats: 1 if it earned more,
            0.5 if equally.
        actions: Each policy's count of each action; empty if actions are not discrete.
        measures: Further numbers of the episode, by name; None if nothing could be measured.
    """

    payoffs: Mapping[str, float]
    scores: Mapping[str, float]
    actions: Mapping[str, Sequence[int]] = field(default_factory=dict)
    measures: Mapping[str, float | None] = field(default_factory=dict)


@dataclass(frozen=True)
class Cell:
    """The statistics of a profile.

    Attributes:
        payoffs: Payoffs of each policy of the profile.
        scores: Scores as in `Outcome`.
        actions: Actions as in `Outcome`, over all episodes.
        measures: Measures as in `Outcome`.
    """

    payoffs: Mapping[str, Statistics]
    scores: Mapping[str, Statistics]
    actions: Mapping[str, Sequence[int]]
    measures: Mapping[str, Statistics] = field(default_factory=dict)

    @classmethod
    def of(cls, outcomes: Sequence[Outcome]) -> Cell:
        """Return the statistics of at least one episode."""
        policies = list(outcomes[0].payoffs)
        counts = {
            name: np.sum([each.actions[name] for each in outcomes], axis=0).tolist()
            for name in outcomes[0].actions
        }
        return cls(
            {name: Statistics.of(each.payoffs[name] for each in outcomes) for name in policies},
            {name: Statistics.of(each.scores[name] for each in outcomes) for name in policies},
            counts,
            {
                name: Statistics.of(
                    value for each in outcomes if (value := each.measures[name]) is not None
                )
                for name in outcomes[0].measures
            },
        )

    @property
    def episodes(self) -> int:
        """Number of episodes."""
        return max(each.n for each in self.payoffs.values())

    def to_json(self) -> dict[str, Any]:
        """Return the cell for a file; `from_json()` reads it."""
        return {
            "payoffs": {name: each.to_json() for name, each in self.payoffs.items()},
            "scores": {name: each.to_json() for name, each in self.scores.items()},
            "actions": {name: list(each) for name, each in self.actions.items()},
            "measures": {name: each.to_json() for name, each in self.measures.items()},
        }

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Cell:
        """Return the cell that `to_json()` wrote."""
        cell = build_dataclass(cls, values, more=True)
        if not cell.payoffs or cell.payoffs.keys() != cell.scores.keys():
            raise ParameterError("payoffs and scores are of different policies")
        return cell


class PayoffTable:
    """Payoffs of policies against each other; profiles that were not played are unknown.

    A cell is a profile: a policy in each seat. Profiles that differ only by exchanged seats are one
        cell; its episodes rotate the policies over the seats.

    Attributes:
        seats: Seats of the game.
    """

    def __init__(self, seats: Seats) -> None:
        self.seats = seats
        self._cells: dict[Profile, Cell] = {}

    def __len__(self) -> int:
        return len(self._cells)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PayoffTable):
            return NotImplemented
        return self.seats == other.seats and self._cells == other._cells

    def cells(self) -> Iterator[tuple[Profile, Cell]]:
        """Yield all known cells, by the names of their policies, whenever they were played."""
        yield from sorted(self._cells.items(), key=lambda each: each[0])

    def get(self, profile: Profile) -> Cell | None:
        """Return the statistics of a profile, in any order of exchangeable seats."""
        return self._cells.get(self.seats.sort(profile))

    def put(self, profile: Profile, cell: Cell) -> None:
        """Set the statistics of a profile."""
        self._cells[self.seats.sort(profile)] = cell

    def missing(self, profiles: Iterable[Profile]) -> list[Profile]:
        """Return the profiles without episodes, each once."""
        wanted = dict.fromkeys(map(self.seats.sort, profiles))
        return [profile for profile in wanted if profile not in self._cells]

    def normal_form(self, members: Members) -> NormalForm:
        """Return the game whose strategies are policies.

        Raises:
            ParameterError: A payoff is unknown.
        """
        count = range(len(self.seats.agents))
        payoffs = [self._array(seat, members, None, _mean_payoff) for seat in count]
        scores = [
            self._array(seat, members, None, lambda c, name: c.scores[name].mean) for seat in count
        ]
        return NormalForm(tuple(payoffs), self.seats.numbers, tuple(scores))

    def matrix(self, rows: Sequence[str], columns: Sequence[str]) -> Floats:
        """Return the payoffs of rows against columns, in a game of two seats.

        Args:
            rows: Policies of the first seat's role.
            columns: Policies of the second seat's role.

        Returns:
            Means, shape (rows, columns); NaN for unknown payoffs.
        """
        if len(self.seats.agents) != 2:
            raise ParameterError(f"a game of {len(self.seats.agents)} seats has no matrix")
        means = self.grid(rows, columns, _mean_payoff)
        return np.array(means, np.float64).reshape(len(rows), len(columns))

    def grid(
        self, rows: Sequence[str], columns: Sequence[str], read: Callable[[Cell, str], _Value]
    ) -> list[list[_Value | None]]:
        """Return a value for each row against each column, in a game of two seats.

        Args:
            rows: Policies of the first seat's role.
            columns: Policies of the second seat's role.
            read: Returns the value of a cell and its row.

        Returns:
            A list for each row; None for unknown cells.
        """
        cells = [[self.get((row, column)) for column in columns] for row in rows]
        return [
            [None if cell is None else read(cell, row) for cell in line]
            for row, line in zip(rows, cells, strict=True)
        ]

    def deviations(self, members: Members, others: Members, mixtures: Mixtures) -> Mixtures:
        """Return the payoffs of further policies while all other seats play mixtures of members.

        `others`: the further policies of each role; may be empty.
        """
        found = []
        by_seat = [mixtures[number] for number in self.seats.numbers]
        for role in self.seats.names:
            seat = self.seats.of_role(role)[0]
            array = self._array(seat, members, others.get(role, ()), _mean_payoff)
            found.append(expect(array, seat, by_seat))
        return tuple(found)

    def expect_measure(self, name: str, members: Members, mixtures: Mixtures) -> float | None:
        """Return the mean of a measure under mixtures; None if a sampled cell does not have it."""
        array = self._array(0, members, None, lambda cell, _: _mean_measure(cell, name))
        by_seat = [mixtures[number] for number in self.seats.numbers]
        reachable = functools.reduce(np.multiply.outer, by_seat) > 0
        if np.isnan(array[reachable]).any():
            return None
        return float(by_seat[0] @ expect(np.where(reachable, array, 0.0), 0, by_seat))

    def action_shares(self, policy: str) -> Floats | None:
        """Return the frequency of each action of a policy, over all its matches.

        Returns:
            A distribution, shape (actions,); None if actions are unknown or not discrete.
        """
        counts = [cell.actions[policy] for cell in self._cells.values() if policy in cell.actions]
        total = np.sum(counts, axis=0, dtype=np.float64) if counts else np.zeros(0)
        return total / total.sum() if total.sum() > 0 else None

    def _array(
        self,
        seat: int,
        members: Members,
        own: Sequence[str] | None,
        read: Callable[[Cell, str], float],
    ) -> Floats:
        """Return a number of each profile; the policies `own`, if given, take the seat."""
        lists = [list(members[role]) for role in self.seats.roles]
        if own is not None:
            lists[seat] = list(own)
        array = np.empty([len(each) for each in lists])
        unknown = []
        for index in itertools.product(*(range(len(each)) for each in lists)):
            profile = tuple(names[place] for names, place in zip(lists, index, strict=True))
            cell = self.get(profile)
            if cell is None:
                unknown.append(profile)
            else:
                array[index] = read(cell, profile[seat])
        if unknown:
            shown = ", ".join(map(str, unknown[:_MOST_SHOWN]))
            raise ParameterError(f"{len(unknown)} payoffs are unknown, such as {shown}")
        return array


def _mean_payoff(cell: Cell, policy: str) -> float:
    return cell.payoffs[policy].mean


def _mean_measure(cell: Cell, name: str) -> float:
    known = cell.measures.get(name)
    return known.mean if known is not None and known.n else math.nan


@dataclass
class _Table:
    """The contents of `write_table()`'s file."""

    agents: tuple[str, ...]
    roles: tuple[str, ...]
    cells: list[dict[str, Any]]


@dataclass
class _Seated:
    """The additional contents of a cell in a file."""

    profile: tuple[str, ...]


def read_cell(values: dict[str, Any], table: PayoffTable) -> None:
    """Add a cell to a table from a file, where it stands beside its `profile`."""
    cell, profile = Cell.from_json(values), build_dataclass(_Seated, values, more=True).profile
    if len(profile) != len(table.seats.agents):
        count = len(table.seats.agents)
        raise ParameterError(f"a profile has {len(profile)} policies for {count} seats")
    if set(profile) != set(cell.payoffs):
        raise ParameterError(f"the profile {list(profile)} has payoffs of different policies")
    table.put(profile, cell)


def write_table(table: PayoffTable, path: Path) -> None:
    """Write a table as JSON; `read_table()` reads it."""
    cells = [{"profile": list(profile), **cell.to_json()} for profile, cell in table.cells()]
    agents, roles = list(table.seats.agents), list(table.seats.roles)
    write_json(path, {"agents": agents, "roles": roles, "cells": cells})


def read_table(path: Path) -> PayoffTable:
    """Return the table of a file."""
    with naming(path, "holds no payoff table"):
        read = build_dataclass(_Table, read_json(path))
        if len(read.agents) != len(read.roles) or not read.agents:
            raise ParameterError(f"there are {len(read.agents)} agents, {len(read.roles)} roles")
        table = PayoffTable(Seats(read.agents, read.roles))
        for each in read.cells:
            read_cell(each, table)
        return table


def write_parquet(table: PayoffTable, path: Path) -> None:
    """Write a row for each policy of each known cell.

    Columns: for each agent, the policy of its seat. `policy` and `role` of the row. `mean` and
        `standard_error` of its payoff (null for a single episode), `episodes` and `score`.
        `measure/NAME`: the cell's mean of each measure.
    """
    measures = dict.fromkeys(
        f"measure/{name}" for _, cell in table.cells() for name in cell.measures
    )
    rows: list[Row] = [
        {
            **dict(zip(table.seats.agents, profile, strict=True)),
            "policy": policy,
            "role": table.seats.roles[profile.index(policy)],
            "mean": payoff.mean,
            "standard_error": payoff.standard_error,
            "score": cell.scores[policy].mean,
            **measures,
            **{f"measure/{k}": each.mean if each.n else None for k, each in cell.measures.items()},
            "episodes": payoff.n,
        }
        for profile, cell in table.cells()
        for policy, payoff in cell.payoffs.items()
    ]
    table_files.write_parquet(path, rows)
