# SPDX-License-Identifier: GPL-2.0-only
"""A game: agents in seats, the roles that they play, and their payoffs."""

from __future__ import annotations

import contextlib
import fnmatch
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from defiance_zoo.environments import EnvironmentSpec, SimulationAECEnv, lookup
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.evaluation import Spaces, open_env, spaces_of
from defiance_zoo.experiments.study.measures import InfoMeasure

Profile = tuple[str, ...]
"""The policy of each seat, by name."""

Patterns = Mapping[str, str | Sequence[str]]
"""One or several shell patterns of agents for each role."""


@dataclass(frozen=True)
class Seats:
    """The seats of a game.

    Seats of a role are exchangeable: the role's policies play all of them, and form one population.

    Attributes:
        agents: Name of each seat's agent, in the environment's order.
        roles: Role of each seat.
    """

    agents: tuple[str, ...]
    roles: tuple[str, ...]

    @classmethod
    def of(cls, agents: Sequence[str], patterns: Patterns) -> Seats:
        """Return the seats of agents.

        Args:
            agents: Agents of the environment.
            patterns: Patterns of each role.

        Raises:
            ParameterError: There are fewer than two agents, an agent does not have exactly one
                role, or a role has no agent.
        """
        if len(agents) < 2:
            raise ParameterError(f"a game needs two agents or more, not {list(agents)}")
        found = []
        for agent in agents:
            roles = [role for role, each in patterns.items() if _matches(agent, each)]
            if len(roles) != 1:
                matched = f"the roles {roles}" if roles else "no role"
                raise ParameterError(f"{agent} has {matched} of {dict(patterns)}; it needs one")
            found.append(roles[0])
        idle = [role for role in patterns if role not in found]
        if idle:
            raise ParameterError(f"no agent of {list(agents)} has a role of {idle}")
        return cls(tuple(agents), tuple(found))

    @property
    def names(self) -> list[str]:
        """The roles, in the order of their first seats."""
        return list(dict.fromkeys(self.roles))

    @property
    def numbers(self) -> tuple[int, ...]:
        """Number of the role of each seat."""
        return tuple(self.names.index(role) for role in self.roles)

    def of_role(self, role: str) -> list[int]:
        """Return the seats of a role."""
        return [seat for seat, each in enumerate(self.roles) if each == role]

    def sort(self, profile: Profile) -> Profile:
        """Return the representative of the profiles that differ only by exchanged seats."""
        sorted_profile = list(profile)
        for role in self.names:
            seats = self.of_role(role)
            names = sorted(profile[seat] for seat in seats)
            for seat, name in zip(seats, names, strict=True):
                sorted_profile[seat] = name
        return tuple(sorted_profile)

    def rotate(self, profile: Profile, turns: int) -> Profile:
        """Return a profile whose policies are rotated by some seats within their roles."""
        rotated = list(profile)
        for role in self.names:
            seats = self.of_role(role)
            for place, seat in enumerate(seats):
                rotated[seat] = profile[seats[(place + turns) % len(seats)]]
        return tuple(rotated)

    def profiles(self, members: Mapping[str, Sequence[str]]) -> Iterator[Profile]:
        """Yield one representative of the profiles that differ only by exchanged seats.

        Args:
            members: Policies of each role.
        """
        chosen = (
            itertools.combinations_with_replacement(members[role], len(self.of_role(role)))
            for role in self.names
        )
        for parts in itertools.product(*chosen):
            profile = [""] * len(self.agents)
            for role, names in zip(self.names, parts, strict=True):
                for seat, name in zip(self.of_role(role), names, strict=True):
                    profile[seat] = name
            yield self.sort(tuple(profile))


def _matches(agent: str, patterns: str | Sequence[str]) -> bool:
    several = [patterns] if isinstance(patterns, str) else patterns
    return any(fnmatch.fnmatchcase(agent, each) for each in several)


Payoff = Literal["return", "per_decision"]
"""A seat's payoff in an episode: the sum of its rewards, or their mean over its decisions."""


@dataclass(frozen=True)
class Game:
    """The game of an environment, and its seats.

    Attributes:
        env: Name of the environment.
        seats: Agents and their roles.
        parameters: Parameters of the environment.
        payoff: The payoff of an episode.
        one_shot: Whether each decision is a separate game: agents observe zeros, and an episode's
            payoff is the mean over its decisions. It needs an environment in which all agents
            decide at the same times, and rewards depend only on the last actions.
        measures: Further numbers of each episode, from infos, by name.
    """

    env: str
    seats: Seats
    parameters: Mapping[str, Any] = field(default_factory=dict)
    payoff: Payoff = "return"
    one_shot: bool = False
    measures: Mapping[str, InfoMeasure] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        env: str,
        parameters: Mapping[str, Any] | None = None,
        roles: Mapping[str, Any] | None = None,
        payoff: Payoff = "return",
        one_shot: bool = False,
    ) -> Game:
        """Return the game of an environment; a simulation reports its agents.

        Args:
            env: Name of the environment.
            parameters: Parameters of the environment.
            roles: Patterns of agents for each role; by default one role for all, `player`.
            payoff: The payoff of an episode.
            one_shot: Whether each decision is a separate game.

        Raises:
            UnknownEnvironment: There is no environment of this name.
            ParameterError: A parameter is not allowed, roles do not fit the agents, or agents of
                one role have different spaces.
            SimulationError: The simulation failed.
        """
        with contextlib.closing(open_env(lookup(env), dict(parameters or {}))) as opened:
            seats = Seats.of(list(opened.possible_agents), roles or {"player": "*"})
            spaces = spaces_of(opened)
            for role in seats.names:
                agents = [seats.agents[seat] for seat in seats.of_role(role)]
                _require_one_kind(role, {agent: spaces[agent] for agent in agents})
        return cls(env, seats, dict(parameters or {}), payoff, one_shot)

    @property
    def spec(self) -> EnvironmentSpec:
        """The environment's specification."""
        return lookup(self.env)

    def open(self) -> SimulationAECEnv:
        """Return an environment of the game."""
        return open_env(self.spec, dict(self.parameters))

    def pay(self, earned: float, decisions: int) -> float:
        """Return a seat's payoff in an episode."""
        mean = self.one_shot or self.payoff == "per_decision"
        return earned / max(1, decisions) if mean else earned


def score(payoffs: Mapping[str, float], agent: str) -> float:
    """Return an agent's rank among the others: the mean of 1, 0.5 and 0.

    Each other agent counts 1 if it earned less, 0.5 if equally, and 0 if more.
    """
    own = payoffs[agent]
    others = [value for name, value in payoffs.items() if name != agent]
    return sum(1.0 if own > each else 0.5 if own == each else 0.0 for each in others) / len(others)


def _require_one_kind(role: str, spaces: Mapping[str, Spaces]) -> None:
    (first, known), *others = spaces.items()
    for agent, each in others:
        if each != known:
            raise ParameterError(
                f"{first} and {agent} cannot both play {role!r}: their spaces are {known} and "
                f"{each}"
            )
