# SPDX-License-Identifier: GPL-2.0-only
"""Rewards of steps, for any learner."""

from __future__ import annotations

import abc
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

from defiance_zoo.environments.arguments import require_mapping
from defiance_zoo.errors import ParameterError
from defiance_zoo.protocols.explorers.explorer import read_situation
from defiance_zoo.protocols.explorers.q_learning import ADVANCE, Holds, level

Info = Mapping[str, Any]


class Bonus(abc.ABC):
    """A reward for each step that depends on earlier steps.

    Attributes:
        name: Name of the kind.
        scale: Factor of the reward.
    """

    name: ClassVar[str]

    def __init__(self, scale: float = 1.0) -> None:
        self.scale = float(scale)

    def begin(self, agent: str, info: Info) -> None:
        """Process the beginning of an episode.

        Args:
            agent: The agent.
            info: Info of the agent.
        """

    @abc.abstractmethod
    def of_step(self, agent: str, before: Info, action: int, after: Info) -> float:
        """Return the reward of a step, without the scale.

        Args:
            agent: Agent that took the step.
            before: The agent's previous info.
            action: The action.
            after: The agent's new info.
        """

    def get_state(self) -> dict[str, Any]:
        """Return the state of the bonus, for JSON."""
        return {"bonus": self.name}

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Restore the result of `get_state()`.

        Raises:
            ParameterError: The state is of another kind.
        """
        state = require_mapping("state", state)
        if state.get("bonus") != self.name:
            raise ParameterError(f"this is the state of {state.get('bonus')!r}, not {self.name}")


class _Counting(Bonus):
    """A bonus that counts keys."""

    def __init__(self, scale: float = 1.0) -> None:
        super().__init__(scale)
        self._counts: dict[str, int] = {}

    def _count(self, what: str) -> int:
        count = self._counts[what] = self._counts.get(what, 0) + 1
        return count

    def get_state(self) -> dict[str, Any]:
        return {**super().get_state(), "counts": dict(self._counts)}

    def set_state(self, state: Mapping[str, Any]) -> None:
        super().set_state(state)
        self._counts = dict(state["counts"])


class CountBonus(_Counting):
    """1 / t, where t counts an action in a state, or a reached state."""

    name = "count_bonus"

    def __init__(self, key: Literal["action", "state"] = "action", scale: float = 1.0) -> None:
        """Begin without counts.

        Args:
            key: `action`: an action in a state; `state`: the state that it leads to.
            scale: Factor of the reward.

        Raises:
            ParameterError: `key` has another value.
        """
        super().__init__(scale)
        if key not in ("action", "state"):
            raise ParameterError(f"key must be 'action' or 'state', not {key!r}")
        self._key = key

    def of_step(self, agent: str, before: Info, action: int, after: Info) -> float:
        if self._key == "state":
            return 1 / self._count(after["state_hash"])
        situation = read_situation(before)
        taken = int(action)
        known = taken in situation.actions
        key = situation.keys[situation.actions.index(taken)] if known else str(taken)
        return 1 / self._count(f"{situation.state} {key}")


class NegVisits(_Counting):
    """The negative number of visits to the reached state."""

    name = "neg_visits"

    def of_step(self, agent: str, before: Info, action: int, after: Info) -> float:
        return -float(self._count(after["state_hash"]))


class WaypointBonus(Bonus):
    """2 for a step that leads to a later predicate, until the last one of the hierarchy holds."""

    name = "waypoint_bonus"

    def __init__(self, predicates: Sequence[Holds], scale: float = 1.0) -> None:
        """Begin without reached predicates.

        Args:
            predicates: Hierarchy of predicates on infos.
            scale: Factor of the reward.

        Raises:
            ParameterError: There is no predicate.
        """
        super().__init__(scale)
        if not predicates:
            raise ParameterError("a hierarchy needs at least one predicate")
        self._predicates = tuple(predicates)
        self._levels: dict[str, int] = {}
        self._advanced = [0] * len(self._predicates)

    def begin(self, agent: str, info: Info) -> None:
        self._levels[agent] = level(self._predicates, info)

    def of_step(self, agent: str, before: Info, action: int, after: Info) -> float:
        was = self._levels.get(agent, 0)
        if was == len(self._predicates):
            return 0.0
        now = self._levels[agent] = level(self._predicates, after)
        if now <= was:
            return 0.0
        self._advanced[now - 1] += 1
        return ADVANCE

    def get_state(self) -> dict[str, Any]:
        """See `Bonus`; the number of advances to each predicate."""
        return {**super().get_state(), "advanced": list(self._advanced)}

    def set_state(self, state: Mapping[str, Any]) -> None:
        super().set_state(state)
        self._advanced = list(state["advanced"])


class ViolationReward(_Counting):
    """1 for a step in which a guarantee is violated; counts them by property."""

    name = "violation_reward"

    def of_step(self, agent: str, before: Info, action: int, after: Info) -> float:
        found = properties(after)
        for each in found:
            self._count(each)
        return 1.0 if found else 0.0


def properties(info: Info) -> list[str]:
    """Return the properties that a step has violated, once each and in alphabetical order."""
    lines = filter(None, info.get("violations", "").split("\n"))
    return sorted({line.partition(":")[0] for line in lines})
