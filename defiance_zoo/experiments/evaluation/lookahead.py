# SPDX-License-Identifier: GPL-2.0-only
"""A policy that tries its actions in copies of the simulation, and takes the best one."""

from __future__ import annotations

import contextlib
import copy
import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from gymnasium.spaces import Box, Discrete

from defiance_zoo.bridge.codec.masks import (
    Mask,
    allows,
    count_choices,
    list_allowed,
    read_mask,
    sample,
)
from defiance_zoo.bridge.codec.spaces import Space
from defiance_zoo.bridge.system.spelling import require_choice
from defiance_zoo.environments import Policy, SimulationAECEnv
from defiance_zoo.errors import ParameterError


def propose(space: Space, limit: int, mask: Mask | None = None) -> list[Any]:
    """Return representative actions of a space, always in the same order.

    These are all allowed actions of a `Discrete` space, and of a `MultiDiscrete` or `MultiBinary`
    space with at most `limit` of them. For a bounded `Box` of one number, they are `limit` numbers
    at equal distances, both bounds included. For other spaces, they are `limit` samples from the
    space's generator.
    """
    counts = count_choices(space)
    if counts is not None:
        every = np.ones(sum(counts), np.bool_)
        values = list_allowed(space, every if mask is None else mask)
        if isinstance(space, Discrete):
            return list(values[0])
        if math.prod(map(len, values)) <= limit:
            actions = itertools.product(*values)
            return [np.array(each, space.dtype).reshape(space.shape or ()) for each in actions]
    if isinstance(space, Box) and space.shape in ((), (1,)) and space.is_bounded():
        numbers = np.linspace(float(space.low.min()), float(space.high.max()), limit)
        if np.issubdtype(space.dtype, np.integer):
            numbers = np.unique(np.rint(numbers))
        return [np.full(space.shape, number, space.dtype) for number in numbers]
    return [sample(space, mask) for _ in range(limit)]


def is_allowed(space: Space, action: Any, mask: Mask | None = None) -> bool:
    """Return whether an action is in a space and allowed by a checked mask."""
    return bool(space.contains(action)) and (mask is None or allows(space, mask, action))


def find(action: Any, actions: Sequence[Any]) -> int | None:
    """Return the index of an action among others; None if it is missing."""
    return next((n for n, each in enumerate(actions) if np.array_equal(each, action)), None)


_Choice = TypeVar("_Choice")
_Value = TypeVar("_Value")


def try_each(
    env: Any, choices: Iterable[_Choice], play: Callable[[Any, _Choice], _Value]
) -> list[_Value]:
    """Play each choice in a copy of the simulation, from this instant; return the results.

    All trials begin in the same state and use the simulation's random numbers, so they differ only
    in the choice. The environment does not change, and the copy's processes always end. Trials are
    not recorded.

    Args:
        env: An AEC, parallel or Gymnasium environment in a running episode.
        choices: Values to try, such as actions or sequences of actions.
        play: Called with the copy in the current state, and a choice.

    Raises:
        ResetNeeded: No episode is running.
        SnapshotError: The simulation cannot be copied.
        SimulationError: A simulation failed.
    """
    values = []
    with contextlib.closing(env.branch(record=False)) as trial, trial.snapshot() as now:
        for number, choice in enumerate(choices):
            if number:
                trial.restore(now)
            values.append(play(trial, choice))
    return values


REPEAT = "repeat"
"""The value of the option `then` that repeats each agent's last action."""

MakePolicy = Callable[[SimulationAECEnv], Policy]

_CHOICES = {"rewards": ("all", "own"), "agents": ("each", "same")}
_RANGES = {"horizon": (1, 100_000), "actions": (2, 10_000), "keep": (1, 100_000)}


@dataclass(frozen=True)
class LookaheadOptions:
    """The search of a lookahead: its actions, its depth and its episodes.

    Attributes:
        horizon: Number of the agent's decisions, the tried one included, whose rewards are summed.
        time_s: Simulated seconds after which a trial ends, instead of `horizon`.
        actions: Maximum number of actions to try in a space that is not `Discrete`; see `propose`.
        rewards: `all` sums the rewards of all agents, `own` only the agent's.
        then: Policy after the tried action, and for other agents: `repeat` (each agent repeats its
            last action), or the name of a policy.
        agents: `each`: each agent decides separately. `same`: all agents take one action, also in
            trials; the first agent that decides chooses for the others, until its next decision.
        keep: Number of the agent's decisions with the found action, before it searches again. An
            action that is no longer allowed ends them.
    """

    horizon: int = 20
    time_s: float | None = None
    actions: int = 16
    rewards: str = "all"
    then: str = REPEAT
    agents: str = "each"
    keep: int = 1

    def __post_init__(self) -> None:
        for name, (least, most) in _RANGES.items():
            value = getattr(self, name)
            if type(value) is not int or not least <= value <= most:
                raise ParameterError(
                    f"{name}={value!r} is not a whole number from {least} to {most}"
                )
        for name, choices in _CHOICES.items():
            require_choice(name, getattr(self, name), choices)
        time_s: object = self.time_s
        if time_s is not None and not (
            type(time_s) in (int, float) and 0 < float(str(time_s)) < math.inf
        ):
            raise ParameterError(f"time_s={time_s!r} is not a number of seconds above 0")
        if not isinstance(self.then, str):
            raise ParameterError(f"then={self.then!r} is not a name of a policy")


@dataclass(frozen=True)
class Trials:
    """The actions that were tried at a decision.

    Attributes:
        actions: Actions of the agent's space; among equal values, the first action is preferred.
        values: The sum of rewards for each action.
    """

    actions: list[Any]
    values: list[float]

    @property
    def best(self) -> Any:
        """The first action with the largest value."""
        return self.actions[self.values.index(max(self.values))]


class Lookahead:
    """Decides for each agent by the rewards of its actions in copies of the simulation.

    The copies use the same random numbers as the simulation. So the policy knows random events
    within its horizon, which no deployed policy can. Among equal actions, it takes the action of
    `then`, or else the first one.

    Attributes:
        options: Options of the search.
    """

    def __init__(
        self,
        env: SimulationAECEnv,
        seed: int,
        options: LookaheadOptions | None = None,
        make_base: MakePolicy | None = None,
    ) -> None:
        """Decide for the agents of an environment.

        `options`: options of the search. `make_base`: makes the policy `then`, for this environment
        and for the copy of each trial; None to repeat actions.
        """
        self._env, self._seed = env, seed
        self.options = options or LookaheadOptions()
        self._make_base = make_base
        self.reset()

    def reset(self) -> None:
        """Forget the last episode; each episode begins with the same generators."""
        self._base = self._make_base(self._env) if self._make_base else None
        self._spaces: dict[str, Space] = {}
        self._taken: dict[str, Any] = {}
        self._leader: str | None = None
        self._kept: Counter[str] = Counter()

    def act(self, agent: str, observation: Any, info: dict[str, Any]) -> Any:
        """See `Policy`.

        Raises:
            SnapshotError: The simulation cannot be copied.
            SimulationError: A simulation failed.
        """
        if self._keeps(agent, observation, info):
            if self._base:  # its memory needs each observation
                self._base.act(agent, observation, info)
            self._kept[agent] += 1
            return copy.deepcopy(self._taken[agent])
        action = self.weigh(agent, observation, info).best
        self._kept[agent] = 1
        self.note(agent, action)
        return action

    def _keeps(self, agent: str, observation: Any, info: dict[str, Any]) -> bool:
        follows = self.options.agents == "same" and agent != self._leader
        if follows or self._kept[agent] % self.options.keep == 0:
            return False
        space = self._env.action_space(agent)
        mask = read_mask(agent, space, observation, info)
        return is_allowed(space, self._taken[agent], mask)

    def note(self, agent: str, action: Any) -> None:
        """Store the action that an agent takes; another policy may have chosen the action."""
        self._taken[agent] = copy.deepcopy(action)

    def weigh(self, agent: str, observation: Any, info: dict[str, Any]) -> Trials:
        """Try the actions of an agent at this decision in copies of the simulation.

        A single allowed action is not tried, and has the value 0.

        Raises:
            SnapshotError: The simulation cannot be copied.
            SimulationError: A simulation failed.
        """
        mask = read_mask(agent, self._env.action_space(agent), observation, info)
        preferred = self._base.act(agent, observation, info) if self._base else None
        preferred = copy.deepcopy(preferred)  # the policies of trials may share its array
        followed = self._follow_leader(agent, mask)
        if followed is not None:
            return Trials([followed], [0.0])
        actions = self._propose(agent, mask, preferred)
        if len(actions) == 1:
            return Trials(actions, [0.0])
        return Trials(
            actions,
            try_each(self._env, actions, lambda env, action: self._try(env, agent, action)),
        )

    def _follow_leader(self, agent: str, mask: Mask | None) -> Any:
        """Return the common action of all agents if it is allowed for this agent."""
        if self.options.agents == "each":
            return None
        if self._leader not in self._env.agents:
            self._leader = agent
        if agent == self._leader:
            return None
        shared = copy.deepcopy(self._taken[self._leader])
        return shared if is_allowed(self._env.action_space(agent), shared, mask) else None

    def _propose(self, agent: str, mask: Mask | None, preferred: Any) -> list[Any]:
        """Return the actions to try; among equal values, the earlier action is preferred."""
        if agent not in self._spaces:
            space = copy.deepcopy(self._env.action_space(agent))  # others draw from the original
            space.seed(self._seed + len(self._spaces))
            self._spaces[agent] = space
        actions = propose(self._spaces[agent], self.options.actions, mask)
        space = self._spaces[agent]
        if preferred is not None and (mask is None or is_allowed(space, preferred, mask)):
            place = find(preferred, actions)
            if place is not None:
                actions.pop(place)
            actions.insert(0, preferred)
        elif agent in self._taken and find(self._taken[agent], actions) is None:
            taken = copy.deepcopy(self._taken[agent])  # samples rarely contain this action
            actions += [taken] if mask is None or is_allowed(space, taken, mask) else []
        return actions

    def _try(self, env: SimulationAECEnv, agent: str, action: Any) -> float:
        """Return the return of an action in a copy of the environment."""
        options = self.options
        base = self._make_base(env) if self._make_base else self._repeat(env, agent, action)
        until_ns = math.inf if options.time_s is None else env.sim_time_ns + options.time_s * 1e9
        decision_counts: Counter[str] = Counter()
        earned = 0.0
        env.step(action)
        while env.agents:
            deciding = env.agent_selection
            observation, reward, terminated, truncated, info = env.last()
            if info["sim_time_ns"] > until_ns:
                break
            if options.rewards == "all" or deciding == agent:
                earned += float(reward)
            if terminated or truncated:
                env.step(None)
                continue
            decision_counts[deciding] += 1
            last = options.time_s is None and decision_counts[deciding] >= options.horizon
            if last and (deciding == agent or agent not in env.agents):
                break
            if options.agents == "same" and not decision_counts[agent]:
                space = env.action_space(deciding)
                mask = read_mask(deciding, space, observation, info)
                shares = is_allowed(space, action, mask)
                env.step(action if shares else base.act(deciding, observation, info))
            else:
                env.step(base.act(deciding, observation, info))
        return earned

    def _repeat(self, env: SimulationAECEnv, agent: str, action: Any) -> Policy:
        taken = {} if self.options.agents == "same" else {**self._taken, agent: action}
        return _Repetition(env, taken, action)


class _Repetition:
    """Lets each agent repeat its action; agents without an action take the default action.

    An agent for which this action is forbidden takes its first allowed action.
    """

    def __init__(self, env: SimulationAECEnv, taken: Mapping[str, Any], otherwise: Any) -> None:
        self._env, self._taken, self._otherwise = env, taken, otherwise

    def reset(self) -> None:
        """Continue; nothing is reset."""

    def act(self, agent: str, observation: Any, info: dict[str, Any]) -> Any:
        space = self._env.action_space(agent)
        mask = read_mask(agent, space, observation, info)
        action = self._taken.get(agent, self._otherwise)
        if is_allowed(space, action, mask):
            return action
        space = copy.deepcopy(space)
        space.seed(0)
        return propose(space, 2, mask)[0]
