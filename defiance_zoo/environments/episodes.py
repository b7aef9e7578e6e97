# SPDX-License-Identifier: GPL-2.0-only
"""Episodes of one scenario: what every interface (AEC, parallel, Gymnasium, RLlib) is a view of."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NoReturn

from defiance_zoo.codec import Buffer
from defiance_zoo.environments.arguments import RESERVED
from defiance_zoo.environments.blank import blank_observation
from defiance_zoo.environments.communication import CommunicationBook
from defiance_zoo.errors import (
    ClosedEnvironment,
    InvalidAction,
    ParameterError,
    ResetNeeded,
    SimulationError,
)
from defiance_zoo.simulation import (
    Agent,
    AgentGroup,
    AnyLink,
    Launcher,
    LaunchSettings,
    Round,
    Rounds,
    Scenario,
    Simulation,
)

Options = Mapping[str, Any]
OptionsToParameters = Callable[[Options], dict[str, Any]]


class Episodes(CommunicationBook):
    """Plays one episode after the other and knows their agents.

    Attributes:
        episode: Number of episodes begun so far.
        live: Agents that have not ended, in the order in which they came.
        round: The last round that the simulation told.
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
        link: AnyLink | None = None,
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
            link: Shared with other episodes; None for one of their own.

        Raises:
            ScenarioNotFound: The program is missing.
            ParameterError: A parameter or setting is not allowed.
        """
        super().__init__()
        if max_cycles is not None and (type(max_cycles) is not int or max_cycles < 1):
            raise ParameterError(f"max_cycles={max_cycles!r} is not a positive integer")
        self._max_cycles = max_cycles
        self._translate_options = translate_options
        self._launcher = Launcher(scenario, parameters, rounds, settings or LaunchSettings(), link)
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
        self._starting: Simulation | None = None
        self._novices: set[str] = set()
        self._decisions: dict[str, int] = {}
        self._checked: dict[str, Any] = {}
        self.live: list[str] = []
        self.round: Round | None = None
        self._groups: tuple[AgentGroup, ...] = ()

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

    @property
    def deciding(self) -> tuple[str, ...]:
        """Agents of the current round."""
        return tuple(agent for group in self._groups for agent in group.names)

    @property
    def is_cut(self) -> bool:
        """Whether an agent has decided `max_cycles` times, which ends the episode."""
        return self._max_cycles in self._decisions.values()

    # ------------------------------------------------------------------ playing

    def begin(self, seed: int | None, options: Options | None) -> Round:
        """Start the next episode and play it to its first round.

        Whatever fails here, the episode before is over.

        Raises:
            ClosedEnvironment: After `close()`.
            ParameterError: An option is not allowed, or the scenario refuses it.
            SimulationError: The simulation failed; a further `begin()` starts a new one.
        """
        self.launch(seed, options)
        return self.collect()

    def launch(self, seed: int | None, options: Options | None) -> None:
        """Start the next episode; `collect()` then returns its first round.

        Raises:
            As `begin()`.
        """
        self._require_open()
        self._inherited = False
        if seed is not None and seed < 0:
            raise ParameterError(f"seed={seed} is negative")
        self._simulation = self._starting = self.round = None
        self._groups = ()
        self._begin_book()
        self._starting = self._launcher.start(seed, self._changes(options or {}))

    def collect(self, since: float | None = None) -> Round:
        """Wait for the next round, after `launch()` or `submit()`.

        Args:
            since: When it began to be awaited, as `time.monotonic()` says; None for now.

        Raises:
            SimulationError: The simulation failed; `begin()` starts a new one.
        """
        try:
            if self._starting is not None:
                return self._take_first(self._starting, since)
            assert self._simulation is not None
            left = self._launcher.left(since)
            return self._take(self._simulation, self._simulation.receive(left))
        except BaseException:
            self._break_off()
            raise

    def _take_first(self, simulation: Simulation, since: float | None) -> Round:
        self._launcher.greet(simulation, since)
        self._agents.update(simulation.agents)
        self.live = list(simulation.agents)
        self._novices = set(self.live)
        self._decisions = {}
        self._simulation, self._starting = simulation, None
        first = self._take(simulation, simulation.receive(self._launcher.left(since, 2)))
        if not simulation.agents:
            raise SimulationError("the scenario ended without ever having had an agent")
        return first

    def _break_off(self) -> None:
        self._simulation = self._starting = self.round = None
        self._groups = ()
        self._launcher.stop()

    @property
    def watches_decisions(self) -> bool:
        """Whether it matters who decides how often: at the beginning, and with `max_cycles`."""
        return bool(self._novices or self._max_cycles)

    @property
    def expects(self) -> Simulation | None:
        """The simulation whose next message `collect()` waits for."""
        return self._starting or self._simulation

    def decide(self, agent: str, action: Any) -> None:
        """Note the action of an agent of the current round, for `advance()`; it may be replaced.

        Raises:
            InvalidAction: The agent does not decide now, or the action is not in its space.
            ResetNeeded: No episode is running.
        """
        if self._simulation is None:
            self._refuse()
        for group in self._groups:
            if agent in group.members:
                try:
                    self._checked[agent] = group.actions.check(action)
                except (ValueError, TypeError, OverflowError) as error:
                    space = self._agents[agent].action_space
                    raise InvalidAction(
                        f"the action of {agent} is not in {space}: {error}"
                    ) from error
                return
        raise InvalidAction(f"an action of {agent!r}, where {list(self.deciding)} decide")

    def advance(self) -> Round:
        """Answer the current round with what was decided, and play to the next one.

        Raises:
            InvalidAction: An agent has not decided; nothing was sent.
            ResetNeeded: No episode is running.
            SimulationError: The simulation failed; `begin()` starts a new one.
        """
        simulation, checked = self._simulation, self._checked
        if simulation is None:
            self._refuse()
        actions: list[Buffer] = []
        try:
            for group in self._groups:
                actions += group.actions.flatten([checked[agent] for agent in group.names])
        except KeyError:
            missing = [agent for agent in self.deciding if agent not in checked]
            raise InvalidAction(
                f"no action of {missing}, where {list(self.deciding)} decide"
            ) from None
        if self._novices or self._max_cycles:
            self._count(checked)
        try:
            return self._take(simulation, simulation.play(actions, self._take_orders()))
        except BaseException:
            self._break_off()
            raise

    def submit(self, actions: list[Buffer]) -> None:
        """Answer the current round; `collect()` then returns the next one.

        Args:
            actions: Buffers of a stack of checked actions for each group that was asked, one group
                after the other.

        Raises:
            ResetNeeded: No episode is running.
            SimulationError: The simulation failed; `begin()` starts a new one.
        """
        simulation = self._simulation
        if simulation is None:
            self._refuse()
        if self._novices or self._max_cycles:
            self._count(self.deciding)
        try:
            simulation.step(actions, self._take_orders())
        except BaseException:
            self._break_off()
            raise

    def close(self) -> None:
        """End the simulation and release everything; may be called again."""
        self._simulation = self._starting = None
        self._finalizer()

    # ------------------------------------------------------------------ inside

    def _changes(self, options: Options) -> dict[str, Any]:
        declared = self._launcher.declared
        changes = {name: value for name, value in options.items() if name in declared}
        if self._translate_options is not None:
            changes.update(self._translate_options(options))
        return changes

    def _count(self, agents: Iterable[str]) -> None:
        """Note that agents have decided."""
        if self._novices:
            self._novices.difference_update(agents)
        if self._max_cycles is not None:
            for agent in agents:
                self._decisions[agent] = self._decisions.get(agent, 0) + 1

    def _take(self, simulation: Simulation, told: Round) -> Round:
        """Note what a round says, and end the episode if `max_cycles` has been reached."""
        self.round, self._groups, self._checked = told, told.groups, {}
        if not (
            told.joined
            or told.ended
            or told.transfers
            or told.over
            or self._novices
            or self._max_cycles
        ):
            return told
        return self._take_news(simulation, told)

    def _take_news(self, simulation: Simulation, told: Round) -> Round:
        self._welcome(simulation, told)
        if self._novices:
            told.asked = tuple(s.without_initial_rewards(self._novices) for s in told.asked)
        if self._max_cycles is not None and self._has_decided_enough(told):
            end = simulation.truncate()
            self._welcome(simulation, end)
            told = _merge(told, end)
        self._note_transfers(told)
        self._note_communication(told)
        for ended in told.ended:
            self.live.remove(ended.agent)
        self.round, self._groups = told, told.groups
        if told.over:
            self._simulation = None
        return told

    def _has_decided_enough(self, told: Round) -> bool:
        counts = self._decisions
        return any(
            counts.get(agent, 0) == self._max_cycles
            for group in told.groups
            for agent in group.names
        )

    def _welcome(self, simulation: Simulation, told: Round) -> None:
        for name in told.joined:
            self._agents[name] = simulation.agents[name]
            self._novices.add(name)
            self.live.append(name)

    def _running(self) -> Simulation:
        return self._simulation or self._refuse()

    def _refuse(self) -> NoReturn:
        self._require_open()
        self.require_own()
        raise ResetNeeded("no episode is running: call reset() first")

    def _require_open(self) -> None:
        if not self._finalizer.alive:
            raise ClosedEnvironment("this environment was closed")


def _merge(asked: Round, end: Round) -> Round:
    """Return the end of an episode that was truncated where `asked` was due."""
    told = {step.agent: step.reward for step in asked.steps}  # the end says what came after it
    ended = (e._replace(reward=e.reward + told.get(e.agent, 0.0)) for e in end.ended)
    joined, transfers = asked.joined + end.joined, asked.transfers + end.transfers
    told_ends = (*asked.ended, *ended)
    return Round(end.time_ns, (), joined, told_ends, transfers, end.communication, over=True)
