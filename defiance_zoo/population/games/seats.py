# SPDX-License-Identifier: GPL-2.0-only
"""The seats of a game: the agents of an environment, and their roles."""

from __future__ import annotations

import fnmatch
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from defiance_zoo.errors import ParameterError

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
