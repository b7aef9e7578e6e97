# SPDX-License-Identifier: GPL-2.0-only
"""Hand-written policies of an environment, and the functions that make them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, Protocol

from defiance_zoo.bridge.codec.spaces import Space
from defiance_zoo.bridge.system.plain_values import plain_value
from defiance_zoo.bridge.system.spelling import near_word
from defiance_zoo.environments.aec import SimulationAECEnv
from defiance_zoo.errors import ParameterError


class Policy(Protocol):
    """Decides for all agents of an environment, without exploration."""

    def reset(self) -> None:
        """Forget the last episode."""

    def act(self, agent: str, observation: Any, info: dict[str, Any]) -> Any:
        """Return an action in the agent's action space; `info` may hold an `action_mask`."""


Baseline = Callable[[Space], Callable[[Any], Any]]
"""Makes a hand-written policy (from observation to action) for the action space of an agent, or of
each unit of an agent that `EnvironmentSpec.divide` divides."""


PolicyKind = Literal["trained", "hand-written", "reference"]
"""Kind of a policy. A `reference` knows the future, as `lookahead` does from copies of the
simulation, so no deployed policy can be compared with it."""


@dataclass(frozen=True)
class NoOptions:
    """The options of a policy that has none."""


@dataclass(frozen=True)
class PolicyMaker:
    """Makes a policy that may need the environment in which it plays, and options.

    Attributes:
        make: Returns a policy for an environment, a seed and an object of the class `options`.
            Equal arguments make policies that decide equally.
        module: Name of the module whose code decides.
        options: A frozen dataclass of the options. Each option has a default; making an object with
            an invalid option raises `ParameterError`.
        costly: Whether it takes so long that it plays only when it is named.
        kind: What the policy is. Leaderboards compare trained policies with hand-written ones.
        check: Raises `ParameterError` for options that this environment does not allow.
    """

    make: Callable[[SimulationAECEnv, int, Any], Policy]
    module: str
    options: type = NoOptions
    costly: bool = False
    kind: PolicyKind = "hand-written"
    check: Callable[[Any], None] = lambda _options: None

    def read_options(self, values: Mapping[str, Any]) -> Any:
        """Return options from their names and values; other options have their defaults.

        Raises:
            ParameterError: There is no option of a name, or its value is not allowed.
        """
        known = [each.name for each in fields(self.options)]
        for name in values:
            if name not in known:
                there = f"there are {known}" if known else "this policy has none"
                raise ParameterError(f"no option {name!r}{near_word(name, known)}; {there}")
        options = self.options(**plain_value(dict(values)))
        self.check(options)
        return options
