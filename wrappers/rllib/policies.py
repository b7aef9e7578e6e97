# SPDX-License-Identifier: GPL-2.0-only
"""The mapping of agents to policies."""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from gymnasium import spaces

from defiance_zoo.errors import ParameterError

Policies = Literal["shared", "individual"] | Mapping[str, str]
"""One policy for all agents, one for each agent, or policy names by patterns of agents."""


@dataclass(frozen=True)
class PolicyMapping:
    """RLlib's `policy_mapping_fn`: the policy of an agent.

    The first matching pattern applies, with `*`, `?` and `[...]` as in a shell.
    """

    policies: Policies

    def __post_init__(self) -> None:
        if isinstance(self.policies, str) and self.policies not in ("shared", "individual"):
            raise ParameterError(f"policies={self.policies!r} is not 'shared' or 'individual'")

    def __call__(self, agent: str, episode: Any = None, **_: Any) -> str:
        if self.policies == "shared":
            return "shared"
        if isinstance(self.policies, str):
            return agent
        for pattern, policy in self.policies.items():
            if fnmatch.fnmatchcase(agent, pattern):
                return policy
        raise ParameterError(f"{agent} matches none of the patterns {list(self.policies)}")

    def spaces_of(
        self, agents: Mapping[str, tuple[spaces.Space[Any], spaces.Space[Any]]]
    ) -> dict[str, tuple[spaces.Space[Any], spaces.Space[Any]]]:
        """Return each policy's spaces from the agents' spaces."""
        found: dict[str, tuple[spaces.Space[Any], spaces.Space[Any]]] = {}
        first: dict[str, str] = {}
        for agent, both in agents.items():
            policy = self(agent)
            if found.setdefault(policy, both) != both:
                raise ParameterError(
                    f"{first[policy]} and {agent} cannot share the policy {policy!r}: their spaces "
                    f"are {found[policy]} and {both}"
                )
            first.setdefault(policy, agent)
        if isinstance(self.policies, Mapping):
            idle = set(self.policies.values()) - found.keys()
            if idle:
                raise ParameterError(f"no agent of {list(agents)} uses {sorted(idle)}")
        return found
