# SPDX-License-Identifier: GPL-2.0-only
"""Episodes of one scenario: what every interface (AEC, parallel, Gymnasium, RLlib) is a view of."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from gymnasium import spaces

from defiance_zoo.codec.spaces import Space
from defiance_zoo.environments.arguments import RESERVED
from defiance_zoo.environments.resumable import Resumable
from defiance_zoo.errors import (
    ClosedEnvironment,
    InvalidAction,
    ParameterError,
    ResetNeeded,
    SimulationError,
)
from defiance_zoo.simulation import (
    Agent,
    AgentStep,
    Launcher,
    LaunchSettings,
    Round,
    Rounds,
    Scenario,
    Simulation,
)

Options = Mapping[str, Any]
OptionsToParameters = Callable[[Options], dict[str, Any]]


class Episodes(Resumable):
    """Plays one episode after the other and knows their agents.

    Attributes:
        live: Agents that have not ended, in the order in which they came.
        round: The last round that the simulation told.
        deciding: Agents of that round.
    """

    def __init__(
        self,
        scenario: Scenario,
        parameters: Mapping[str, Any],
        *,
        rounds: Rounds = "sequential",
        max_cycles: int | None = None,
        settings: LaunchSettings | None = None,
        translate_options: OptionsToParameters | None = None,
    ) -> None:
        """Check everything that can be checked without a simulation; start nothing.

        Args:
            scenario: What to simulate.
            parameters: Of the scenario; they hold for every episode.
            rounds: `sequential` asks one agent at a time, `simultaneous` all that decide at one
                instant of simulated time together.
            max_cycles: Truncate an episode when an agent has decided this often.
            settings: How simulations are started.
            translate_options: Turns options of `reset()` that are not plain scenario parameters
                into such.

        Raises:
            ScenarioNotFound: The program is missing.
            ParameterError: A parameter or setting is not allowed.
        """
        if max_cycles is not None and max_cycles < 1:
            raise ParameterError(f"max_cycles={max_cycles} is not a positive number")
        self._max_cycles = max_cycles
        self._translate_options = translate_options
        self._launcher = Launcher(scenario, parameters, rounds, settings or LaunchSettings())
        hidden = self._launcher.declared & RESERVED
        if hidden:
            raise ParameterError(
                f"scenario {scenario.name!r} declares {sorted(hidden)}, which are arguments of "
                "every environment; give its parameters other names"
            )
        # Runs at garbage collection and at interpreter exit too: no simulation outlives its owner.
        self._finalizer = weakref.finalize(self, Launcher.close, self._launcher)
        self._agents: dict[str, Agent] = {}
        self._simulation: Simulation | None = None
        self._decisions: dict[str, int] = {}
        self._checked: dict[str, Any] = {}
        self.live: list[str] = []
        self.round: Round | None = None
        self.deciding: tuple[str, ...] = ()

    # ------------------------------------------------------------------ agents

    @property
    def agents(self) -> dict[str, Agent]:
        """Every agent seen so far by name; before the first episode, those of a short-lived one."""
        if not self._agents:
            self._require_open()
            self._agents = self._launcher.probe()
        return self._agents

    def blank(self, agent: str) -> Any:
        """Return the observation of an agent that has not had one yet: zeros, or close to them."""
        return blank_observation(self.agents[agent].observation_space)

    # ------------------------------------------------------------------ playing

    def begin(self, seed: int | None, options: Options | None) -> Round:
        """Start the next episode and play it to its first round.

        Whatever fails here, the episode before is over.

        Raises:
            ClosedEnvironment: After `close()`.
            ParameterError: An option is not allowed, or the scenario refuses it.
            SimulationError: The simulation failed; a further `begin()` starts a new one.
        """
        self._require_open()
        if seed is not None and seed < 0:
            raise ParameterError(f"seed={seed} is negative")
        self._simulation = self.round = None
        try:
            simulation = self._launcher.start(seed, self._changes(options or {}))
            self._agents.update(simulation.agents)
            self.live = list(simulation.agents)
            self._decisions = {}
            first = self._take(simulation, simulation.receive())
            if not simulation.agents:
                raise SimulationError("the scenario ended without ever having had an agent")
        except BaseException:
            self._launcher.stop()
            raise
        self._simulation = simulation
        return first

    def decide(self, agent: str, action: Any) -> None:
        """Note the action of an agent of the current round, for `advance()`; it may be replaced.

        Raises:
            InvalidAction: The agent does not decide now, or the action is not in its space.
            ResetNeeded: No episode is running.
        """
        simulation = self._running()
        if agent not in self.deciding:
            raise InvalidAction(f"an action of {agent!r}, where {list(self.deciding)} decide")
        self._checked[agent] = simulation.check(agent, action)

    def advance(self) -> Round:
        """Answer the current round with what was decided, and play to the next one.

        Raises:
            InvalidAction: An agent has not decided; nothing was sent.
            ResetNeeded: No episode is running.
            SimulationError: The simulation failed; `begin()` starts a new one.
        """
        simulation = self._running()
        missing = [agent for agent in self.deciding if agent not in self._checked]
        if missing:
            raise InvalidAction(f"no action of {missing}, where {list(self.deciding)} decide")
        for agent in self._checked:
            self._decisions[agent] = self._decisions.get(agent, 0) + 1
        try:
            simulation.step(self._checked)
            return self._take(simulation, simulation.receive())
        except BaseException:
            self._simulation = None
            self._launcher.stop()
            raise

    def close(self) -> None:
        """End the simulation and release everything; may be called again."""
        self._simulation = None
        self._finalizer()

    # ------------------------------------------------------------------ inside

    def _changes(self, options: Options) -> dict[str, Any]:
        declared = self._launcher.declared
        changes = {name: value for name, value in options.items() if name in declared}
        if self._translate_options is not None:
            changes.update(self._translate_options(options))
        return changes

    def _take(self, simulation: Simulation, told: Round) -> Round:
        """Note what a round says, and end the episode if `max_cycles` has been reached."""
        self._welcome(simulation, told)
        told = replace(told, steps=tuple(self._without_initial_reward(s) for s in told.steps))
        if any(self._decisions.get(step.agent, 0) == self._max_cycles for step in told.steps):
            end = simulation.truncate()
            self._welcome(simulation, end)
            told = _merge(told, end)
        for ended in told.ended:
            self.live.remove(ended.agent)
        self.round = told
        self.deciding = tuple(step.agent for step in told.steps)
        self._checked = {}
        return told

    def _without_initial_reward(self, step: AgentStep) -> AgentStep:
        """Make an info of what an agent earned before its first decision: it follows no action."""
        if step.agent in self._decisions or not step.reward:
            return step
        return replace(step, reward=0.0, info={**step.info, "initial_reward": step.reward})

    def _welcome(self, simulation: Simulation, told: Round) -> None:
        for name in told.joined:
            self._agents[name] = simulation.agents[name]
            self.live.append(name)

    def _running(self) -> Simulation:
        self._require_open()
        if self._simulation is None or self.round is None or self.round.over:
            raise ResetNeeded("no episode is running: call reset() first")
        return self._simulation

    def _require_open(self) -> None:
        if not self._finalizer.alive:
            raise ClosedEnvironment("this environment was closed")


def _merge(asked: Round, end: Round) -> Round:
    """Return the end of an episode that was truncated where `asked` was due."""
    told = {step.agent: step.reward for step in asked.steps}  # the end says what came after it
    ended = (replace(e, reward=e.reward + told.get(e.agent, 0.0)) for e in end.ended)
    return Round(
        time_ns=end.time_ns,
        joined=asked.joined + end.joined,
        ended=(*asked.ended, *ended),
        steps=(),
        over=True,
    )


def blank_observation(space: Space) -> Any:
    """Return the value of `space` that is closest to zero; texts are as short as they may be."""
    match space:
        case spaces.Box():
            return np.asarray(np.clip(np.zeros(space.shape, space.dtype), space.low, space.high))
        case spaces.Discrete():
            return np.int64(min(max(0, space.start), space.start + space.n - 1))
        case spaces.MultiDiscrete():
            return np.clip(0, space.start, space.start + space.nvec - 1).astype(np.int64)
        case spaces.MultiBinary():
            return np.zeros(space.shape, np.int8)
        case spaces.Text():
            return space.character_list[0] * space.min_length if space.min_length else ""
        case spaces.Tuple():
            return tuple(blank_observation(each) for each in space.spaces)
        case spaces.Dict():
            return {key: blank_observation(each) for key, each in space.spaces.items()}
    raise TypeError(f"{type(space).__name__} is not a space of the protocol")
