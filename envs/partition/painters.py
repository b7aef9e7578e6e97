# SPDX-License-Identifier: GPL-2.0-only
"""Painters: the observed part of a replica. Replicas of one colour are not distinguished.

    painter = Painter.compose(color("state"), bounded("term", 6), log(6))
    env = partition_v0.env(painter=painter.description)
    painter.paint(read_replicas(info)[0]).hash

The simulation paints with fields (`description`); a painter with Python functions paints states
from infos, for coverage and predicates.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces

from defiance_zoo.envs.partition.states import RaftState, ReplicaState, TendermintState
from defiance_zoo.errors import ParameterError

Value = int | list[int]
"""A part of a colour: a value that JSON holds without loss."""

FIELDS = {kind: kind.field_names() for kind in (RaftState, TendermintState)}
"""Arguments of `color()`, by kind of state."""

_LARGEST_BOUND, _LONGEST_LOG = 1000, 32


@dataclass(frozen=True)
class Color:
    """The observed part of a replica.

    Attributes:
        text: Colour as JSON, with sorted keys and without spaces.
        features: Colour in numbers from 0 to 1, float32.
    """

    text: str
    features: tuple[float, ...]

    @property
    def hash(self) -> str:
        """SHA-256 of the text, in hexadecimal digits, equal on all machines and in all versions."""
        return hashlib.sha256(self.text.encode()).hexdigest()


@dataclass(frozen=True)
class Part:
    """A part of colours.

    Attributes:
        name: Key in the JSON text.
        see: Returns the observed part of a replica's state.
        encode: Returns features from 0 to 1 for the observed part and the number of replicas.
        features: Number of features.
        description: Description for the simulation; empty for a Python function.
    """

    name: str
    see: Callable[[Any], Value]
    encode: Callable[[Any, int], tuple[float, ...]]
    features: int
    description: str = ""


def _check_field(field: str, kind: type[ReplicaState]) -> None:
    if field not in kind.field_names():
        raise ParameterError(
            f"a {kind.__name__} has no field {field!r}; its fields are {list(kind.field_names())}"
        )


def _check_bound(bound: int, largest: int) -> None:
    if bound not in range(1, largest + 1):
        raise ParameterError(f"a bound must be a number from 1 to {largest}, not {bound!r}")


def color(field: str, kind: type[ReplicaState] = RaftState) -> Part:
    """Return the part that shows a field.

    Args:
        field: One of `FIELDS`.
        kind: Kind of the replicas.

    Raises:
        ParameterError: There is no such field.
    """
    _check_field(field, kind)

    def encode(value: int, replicas: int) -> tuple[float, ...]:
        if field in kind.replicas:
            return (value / replicas,)
        if field in kind.choices:
            return (value / kind.choices[field],)
        return (value / (value + 1),)

    return Part(field, lambda state: int(getattr(state, field)), encode, 1, field)


def bounded(field: str, bound: int, kind: type[ReplicaState] = RaftState) -> Part:
    """Return the part that shows the minimum of a number and a bound.

    Args:
        field: A member of `FIELDS` whose value is a number that grows.
        bound: 1 to 1000.
        kind: Kind of the replicas.

    Raises:
        ParameterError: There is no such field, or the bound is out of range.
    """
    _check_field(field, kind)
    if field in kind.replicas or field in kind.choices:
        raise ParameterError(f"{field} is not a number that grows, so it has no bound: use color()")
    _check_bound(bound, _LARGEST_BOUND)
    return Part(
        field,
        lambda state: min(int(getattr(state, field)), bound),
        lambda value, _replicas: (value / bound,),
        1,
        f"{field}:{bound}",
    )


def log(bound: int) -> Part:
    """Return the part that shows the terms of the first entries of the log.

    Args:
        bound: Number of entries, 1 to 32.

    Raises:
        ParameterError: The bound is out of range.
    """
    _check_bound(bound, _LONGEST_LOG)

    def encode(terms: list[int], _replicas: int) -> tuple[float, ...]:
        return tuple(term / (term + 1) for term in terms) + (0.0,) * (bound - len(terms))

    return Part(
        "log",
        lambda state: [entry.term for entry in state.log[:bound]],
        encode,
        bound,
        f"log:{bound}",
    )


def function(name: str, see: Callable[[Any], int], largest: int) -> Part:
    """Return a part by a Python function.

    Args:
        name: Key of the part; not one of `FIELDS`.
        see: Returns a number from 0 to `largest` for the state of a replica.
        largest: The maximum number.

    Raises:
        ParameterError: The name is a field's.
    """
    if name == "log" or any(name in names for names in FIELDS.values()):
        raise ParameterError(f"{name!r} is a field of the replicas: give the function another name")
    return Part(name, see, lambda value, _replicas: (value / largest,), 1)


class Painter:
    """Makes colours of replicas."""

    def __init__(self, *parts: Part) -> None:
        """Paint these parts.

        Raises:
            ParameterError: There are no parts, or two with the same name.
        """
        names = [part.name for part in parts]
        if not parts or len(set(names)) < len(names):
            raise ParameterError(f"a painter needs parts of different names, not {names}")
        self.parts = tuple(sorted(parts, key=lambda part: part.name))

    @classmethod
    def compose(cls, *parts: Part) -> Painter:
        """Return a painter of these parts; see `__init__`."""
        return cls(*parts)

    @property
    def description(self) -> str:
        """The equivalent parameter `painter` of the simulation.

        Raises:
            ParameterError: A part is a Python function.
        """
        for part in self.parts:
            if not part.description:
                raise ParameterError(
                    f"{part.name!r} is a Python function, which the simulation cannot run: paint "
                    "states of infos with it"
                )
        return ",".join(part.description for part in self.parts)

    @property
    def space(self) -> spaces.Box:
        """The features of a colour."""
        size = sum(part.features for part in self.parts)
        return spaces.Box(0, 1, (size,), np.float32)

    def paint(self, state: ReplicaState, replicas: int = 3) -> Color:
        """Return the colour of a replica.

        Args:
            state: State of the replica.
            replicas: Number of replicas, the divisor of replicas' numbers in features.
        """
        seen = {part.name: part.see(state) for part in self.parts}
        features: tuple[float, ...] = ()
        for part in self.parts:
            features += part.encode(seen[part.name], replicas)
        value: dict[str, Any] = {"byzantine": seen} if state.byzantine else seen
        value = {"delayed": value} if state.delayed else value
        if state.clock_error_ns:
            value = {"ahead" if state.clock_error_ns > 0 else "back": value}
        value = value if state.active else {"inactive": value}
        return Color(json.dumps(value, sort_keys=True, separators=(",", ":")), features)


COVERAGE = Painter(
    color("state"),
    color("commit"),
    color("leader"),
    color("vote"),
    color("index"),
    bounded("term", 6),
    log(6),
)
"""The default painter of Raft."""

TENDERMINT_COVERAGE = Painter(
    *(
        color(field, TendermintState)
        for field in ("height", "round", "step", "have_proposal", "prevotes", "precommits")
    )
)
"""The default painter of Tendermint."""
