# SPDX-License-Identifier: GPL-2.0-only
"""Episodes of one scenario, which every interface (AEC, parallel, Gymnasium, RLlib) plays."""

from __future__ import annotations

import contextlib
import copy
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from defiance_zoo.bridge.codec import Buffer
from defiance_zoo.bridge.codec.generators import read_generators, set_generators
from defiance_zoo.bridge.codec.masks import require_maskable
from defiance_zoo.bridge.simulation import (
    Agent,
    CommunicationReport,
    Fragment,
    FrozenSimulation,
    Launcher,
    LaunchSettings,
    RngState,
    Round,
    Rounds,
    Scenario,
    StepLink,
    Transfer,
)
from defiance_zoo.bridge.simulation.distributions import random_stream
from defiance_zoo.bridge.system.exclusive import exclusive
from defiance_zoo.bridge.system.plain_values import plain_seed, whole_number
from defiance_zoo.environments.arguments import require_free_agent, require_free_parameters
from defiance_zoo.environments.episodes.communication_ledger import CommunicationLedger
from defiance_zoo.environments.episodes.observer import (
    EpisodeObserver,
    MakeObserver,
    RoundWatcher,
)
from defiance_zoo.environments.episodes.progress import EpisodeProgress, merge
from defiance_zoo.environments.episodes.reset_options import (
    Options,
    OptionsToParameters,
    read_options,
)
from defiance_zoo.environments.episodes.simulation_slot import SimulationSlot
from defiance_zoo.environments.episodes.snapshot_point import SnapshotPoint
from defiance_zoo.environments.episodes.transfer_ledger import TransferLedger
from defiance_zoo.environments.placeholder import placeholder_observation
from defiance_zoo.errors import (
    NotCounted,
    ParameterError,
    RecordingNotWritten,
    ResetNeeded,
    SimulationError,
    SnapshotError,
)


class Episodes:
    """Plays one episode after the other, and keeps their agents.

    Attributes:
        episode: Number of episodes begun so far.
        progress: Progress of the current episode.
        transfers: Transfers of this episode.
        communication: Traffic of the episode.
        watcher: Watches the rounds, if they are drawn.
        slot: The holder of its simulation.
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
        link: StepLink | None = None,
        observer: MakeObserver | None = None,
        watcher: RoundWatcher | None = None,
    ) -> None:
        """Check everything that can be checked without a simulation; start nothing.

        Args:
            scenario: The scenario to simulate.
            parameters: Parameters of the scenario; they hold for every episode.
            rounds: `sequential` asks one agent at a time; `simultaneous` asks all agents of one
                instant of simulated time together.
            max_cycles: Truncate an episode when an agent has decided this often.
            settings: Settings of the start of simulations.
            translate_options: Turns other options of `reset()` into scenario parameters.
            link: Link shared with other episodes; None for a new one.
            observer: Makes the observer of the episodes; None for no observer.
            watcher: Watches the rounds; None for no watcher.

        Raises:
            ScenarioNotFound: The program is missing.
            ParameterError: A parameter or setting is not allowed.
            DependencyMissing: The observer needs a library that is not installed.
        """
        if max_cycles is not None:
            max_cycles = whole_number("max_cycles", max_cycles)
        self._translate_options = translate_options
        launcher = Launcher(scenario, parameters, rounds, settings or LaunchSettings(), link)
        require_free_parameters(scenario.name, launcher.declared)
        self.episode = 0
        self._agents: dict[str, Agent] = {}
        self._scenario = scenario
        heeds = scenario.heeds_masks(parameters)
        self.progress = EpisodeProgress(self._agents, max_cycles, heeds_masks=heeds)
        self.transfers = TransferLedger()
        self.communication = CommunicationLedger()
        self.slot = SimulationSlot(launcher)
        self.watcher = watcher
        self._observer: EpisodeObserver | None = None
        if observer is not None:
            self._observer = observer(scenario, rounds, max_cycles, self._agents)

    # ------------------------------------------------------------------ state

    @property
    def agents(self) -> dict[str, Agent]:
        """All agents so far by name; before the first episode, the agents of a short-lived one."""
        if not self._agents:
            self.slot.require_open()
            self._probe()
        return self._agents

    @exclusive
    def _probe(self) -> None:
        probed = self.slot.launcher.probe()
        _require_usable(probed)
        self._agents.update(probed)

    def placeholder(self, agent: str) -> Any:
        """Return the observation of an agent before its first one: zeros, or close to zeros."""
        return placeholder_observation(self.agents[agent].observation_space)

    @property
    def live(self) -> list[str]:
        """Agents that have not ended, in the order in which they joined."""
        return self.progress.live

    @property
    def round(self) -> Round | None:
        """The last round of the episode."""
        return self.progress.round

    @property
    def time_ns(self) -> int:
        """Simulated time of the current round in nanoseconds; 0 before the first one."""
        current = self.progress.round
        return current.time_ns if current is not None else 0

    @property
    def watches_rounds(self) -> bool:
        """Whether every next round has to use `submit()` and `collect()`."""
        watched = self._observer is not None or self.watcher is not None
        return watched or self.progress.watches_decisions

    # ------------------------------------------------------------------ playing

    def begin(self, seed: int | None, options: Options | None) -> Round:
        """Start the next episode and play it to its first round.

        If it fails, the previous episode is over as well.

        Raises:
            ClosedEnvironment: After `close()`.
            ParameterError: An option is not allowed, or the scenario refuses it.
            SimulationError: The simulation failed; a further `begin()` starts a new one.
            InvalidMask: The mask of an agent does not fit its actions.
        """
        self.launch(seed, options)
        return self.collect()

    def repeat(self, rng: RngState) -> Round:
        """Start an earlier episode again, and play it to its first round.

        Args:
            rng: The episode's seed and run of ns-3.

        Raises:
            DefianceZooError: As in `begin()`.
        """
        self.slot.return_to(rng, again=True)
        return self.begin(None, {})

    def launch(self, seed: int | None, options: Options | None) -> None:
        """Start the next episode; `collect()` then returns its first round.

        Raises:
            DefianceZooError: As in `begin()`.
        """
        self.slot.require_open()
        self._leave_unfinished()
        self.slot.clear()  # if anything fails from here on, that episode is over
        self.progress.clear()
        seed = plain_seed(seed)
        self.episode += 1
        self.transfers.begin()
        self.communication = CommunicationLedger()
        if self.watcher is not None:
            self.watcher.begin()
        observer, declared = self._observer, self.slot.launcher.declared
        changes = read_options(options, declared, self._translate_options)
        if observer is None:
            self.slot.start(seed, changes)
            return
        launcher = self.slot.launcher
        try:
            self.slot.start(seed, changes, lambda: observer.begin(seed, launcher))
        except BaseException:
            observer.not_begun()
            raise
        observer.begun()

    def collect(self, since: float | None = None) -> Round:
        """Wait for the next round, after `launch()` or `submit()`.

        Args:
            since: Begin of the wait by `running_time()`; None: now.

        Raises:
            SimulationError: The simulation failed; `begin()` starts a new one.
        """
        try:
            if self.slot.starting is not None:
                return self._take_first(since)
            return self._take(self.slot.receive(since))
        except BaseException:
            self._break_off()
            raise

    def decide(self, agent: str, action: Any) -> None:
        """Set the action of an agent of the current round, for `advance()`; it may be replaced.

        Raises:
            InvalidAction: The agent does not decide now, or the action is not in its space.
            IllegalAction: Its mask forbids the action, and the scenario refuses such actions.
            ResetNeeded: No episode is running.
        """
        if self.slot.simulation is None:
            self.slot.require()  # raises the reason
        self.progress.decide(agent, action)
        self._note_action(agent, action)

    def advance(self) -> Round:
        """Answer the current round with the agents' actions, and play to the next one.

        Raises:
            InvalidAction: An agent has not decided; nothing was sent.
            ResetNeeded: No episode is running.
            SimulationError: The simulation failed; `begin()` starts a new one.
        """
        if self._observer is not None:
            self._observer.answered()
        simulation = self.slot.simulation or self.slot.require()
        actions = self.progress.answer()
        try:
            return self._take(simulation.play(actions, self.transfers.take_orders()))
        except BaseException:
            self._break_off()
            raise

    def submit(self, actions: list[Buffer]) -> None:
        """Answer the current round; `collect()` then returns the next one.

        Args:
            actions: Buffers of a stack of checked actions for each deciding group, one group after
                the other.

        Raises:
            ResetNeeded: No episode is running.
            SimulationError: The simulation failed; `begin()` starts a new one.
        """
        simulation, progress = self.slot.simulation or self.slot.require(), self.progress
        if self._observer is not None or self.watcher is not None:
            self._note_answer(actions)
        if progress.undecided or progress.max_cycles:
            progress.count(progress.deciding)
        try:
            simulation.step(actions, self.transfers.take_orders())
        except BaseException:
            self._break_off()
            raise

    def submit_fragment(self, fragment: Fragment) -> None:
        """Let a policy decide inside the simulation; `collect()` returns the round after it.

        That round has a trajectory. The fragment is shorter than ordered if an agent joins or ends,
        a transfer finishes, or `max_cycles` may end the episode.

        Args:
            fragment: Noise for the agents of the simulation.

        Raises:
            ParameterError: Actions that a mask forbids are to be refused, which only Python does;
                or the episodes are recorded or drawn, for which a trajectory lacks infos.
            ResetNeeded: No episode is running.
            SimulationError: The simulation failed; `begin()` starts a new one.
        """
        if self._observer is not None or self.watcher is not None:
            raise ParameterError(
                "no policy can play inside simulations that are recorded or drawn, because their "
                "steps are reported without infos: leave out record= and render_mode=, or let "
                "Python decide"
            )
        if self.progress.heeds_masks:
            raise ParameterError(
                "no policy can play inside simulations that refuse actions that a mask forbids"
            )
        simulation = self.slot.require()
        most = self.progress.rounds_before_cut
        try:
            simulation.play_fragment(replace(fragment, noise=fragment.noise[:most]))
        except BaseException:
            self._break_off()
            raise

    # ------------------------------------------------------------------ network

    def order(self, sender: str, receiver: str, size_bytes: int, kind: str) -> Transfer:
        """Note a transfer, which begins with the next answer to the simulation.

        Raises:
            InvalidTransfer: The transfer is invalid.
            ResetNeeded: No episode is running.
        """
        self.slot.require()
        return self.transfers.order(sender, receiver, size_bytes, kind, self.time_ns)

    def communication_report(self) -> CommunicationReport:
        """Return the communication report of a waiting simulation, or the last one received.

        Raises:
            NotCounted: Communication is not counted.
            ResetNeeded: No episode was begun, or it broke off before the first report.
            SimulationError: The simulation failed; a further `begin()` starts a new one.
        """
        if not self.slot.launcher.counts_communication:
            raise NotCounted(
                "communication is not counted: make the environment with communication_report=True"
            )
        with self._breaking_off():
            self.communication.ask(self.slot.simulation)
        if self.communication.report is None:
            self.slot.require_open()
            raise ResetNeeded("there is nothing to report: call reset() first")
        return self.communication.report

    # ------------------------------------------------------------------ snapshots

    def freeze(self) -> tuple[FrozenSimulation, SnapshotPoint]:
        """Copy the simulation at the current round; return the arguments of `restore()`.

        Raises:
            ResetNeeded: No episode is running.
            SnapshotError: The simulation cannot be copied, and continues.
            SimulationError: The simulation failed; `begin()` starts a new one.
        """
        if self._observer is not None:
            self._observer.require_copyable()
        self.slot.require()
        with self._breaking_off():
            frozen = self.slot.freeze()
        return frozen, self._point()

    def restore(self, frozen: FrozenSimulation, point: SnapshotPoint) -> None:
        """End the current simulation, and return to a round.

        Args:
            frozen: A copy of the simulation, made at that round.
            point: State of the episode at the snapshot.

        Raises:
            InvalidSnapshot: The copy was released, or is of other episodes; nothing has changed.
            SnapshotLost: The copy has ended.
            TooFewDescriptors: Nothing has changed.
            SimulationError: The restored simulation failed; `begin()` starts a new one.
        """
        self.slot.require_restorable(frozen)
        observer = self._observer
        if observer is not None:
            observer.returning(point.past)
        try:
            simulation = self.slot.restore(frozen)
        except BaseException:
            self._break_off()  # the simulation has ended, even if the copy is lost now
            if observer is not None:
                observer.not_returned()
            raise
        self._agents.update(simulation.agents)
        for name, agent in self._agents.items():
            if name in point.generators:
                set_generators(point.generators[name], *agent.spaces)
            else:
                self._seed_actions(agent, simulation.rng)
        self._stand_at(point)
        if observer is not None:
            observer.returned(point.past)

    def branch(self, *, record: bool = True) -> Episodes:
        """Return other episodes at the same round, with a copy of the simulation.

        Args:
            record: Whether the copies are observed, too, if these episodes are.

        Raises:
            ResetNeeded: No episode is running.
            SnapshotRefused: The simulation cannot be copied, and continues.
            SimulationError: A simulation failed; `begin()` starts a new one.
        """
        if self._observer is not None:
            self._observer.require_copyable()
        self.slot.require()
        point, other = self._point(), copy.copy(self)
        memo: dict[int, Any] = {}
        with self._breaking_off():
            other.slot = self.slot.branch(memo)
        other._agents = copy.deepcopy(self._agents, memo)
        other._stand_at(point)
        if self._observer is not None:
            other._observer = self._observer.branch(other._agents) if record else None
        return other

    def _point(self) -> SnapshotPoint:
        past = self._observer.past() if self._observer is not None else None
        generators = {name: read_generators(*each.spaces) for name, each in self._agents.items()}
        ledgers = self.transfers, self.communication
        here = SnapshotPoint(self.episode, self.progress, *ledgers, generators, past, self.watcher)
        return here.copy(self._agents)

    def _stand_at(self, point: SnapshotPoint) -> None:
        """Return to a point of an episode; the point may be used again."""
        here = point.copy(self._agents)
        self.episode, self.progress = here.episode, here.progress
        self.transfers, self.communication = here.transfers, here.communication
        self.watcher = here.watcher

    def leave(self) -> None:
        """Ask the simulation to end, without waiting; the episode is over."""
        try:
            self._leave_unfinished()
        finally:
            self.slot.leave()
            self.slot.clear()
            self.progress.clear()

    def close(self) -> None:
        """End the simulation and release everything; may be called again."""
        try:
            self._leave_unfinished()
        finally:
            self.slot.close()
            if self._observer is not None:
                self._observer.close()

    # ------------------------------------------------------------------ inside

    def _take_first(self, since: float | None) -> Round:
        simulation = self.slot.greet(since)
        _require_usable(simulation.agents)
        self._agents.update(simulation.agents)
        self.progress.heeds_masks = self._scenario.refuses(
            simulation.parameters, self.slot.launcher.declared
        )
        self.progress.begin(simulation.agents)
        first = self._take(self.slot.receive(since, 2))
        if not simulation.agents:
            raise SimulationError("the scenario ended without ever having had an agent")
        return first

    def _take(self, received: Round) -> Round:
        """Process a round, and end the episode if `max_cycles` has been reached."""
        if received.trajectory is not None:
            self.progress.note_played(received.trajectory)
        self.progress.check_infos(received)
        if self.progress.take(received):
            received = self._take_news(received)
        self.progress.check_masks()
        if self._observer is not None:
            self._observer.take(received)
            if received.over:
                self._observer.finish("ended", communication=self._report())
        if self.watcher is not None:
            self.watcher.take(self, received)
        return received

    def _take_news(self, received: Round) -> Round:
        simulation, progress = self.slot.require(), self.progress
        for name in received.joined:
            if name not in self._agents:
                self._seed_actions(simulation.agents[name], simulation.rng)
        progress.add_joined(received, simulation.agents)
        progress.set_initial_rewards_aside(received)
        if progress.is_due_to_be_cut:
            end = simulation.truncate()
            progress.add_joined(end, simulation.agents)
            received = merge(received, end)
        self.transfers.note(received)
        self.communication.note(received)
        progress.settle(received)
        if received.over:
            self.slot.clear()
        return received

    @staticmethod
    def _seed_actions(agent: Agent, rng: RngState) -> None:
        """Seed the action space of an agent that joins: its user could not do so before."""
        agent.action_space.seed(int(random_stream(rng, agent.name).integers(2**31)))

    def _break_off(self) -> None:
        """End the simulation; only `begin()` continues from here."""
        error = sys.exc_info()[1]
        try:
            self.progress.clear()
            self.slot.stop()
        finally:
            if self._observer is not None:
                # Other subclasses of BaseException are interruptions by a user.
                failed = isinstance(error, Exception)
                with contextlib.suppress(RecordingNotWritten):  # the error says why it ends here
                    self._observer.finish(
                        "failed" if failed else "unfinished",
                        str(error) if failed else "",
                        self._report(),
                    )
            if isinstance(error, SimulationError):  # a recording has the seed
                error.add_episode(self.slot.launcher.describe_seed())

    def _leave_unfinished(self) -> None:
        """Report an unfinished episode, with its communication report, to the observer."""
        if self._observer is not None and self._observer.is_observing:
            if self.slot.launcher.counts_communication:
                with contextlib.suppress(SimulationError):
                    self.communication.ask(self.slot.simulation)
            self._observer.finish("unfinished", communication=self._report())

    def _report(self) -> dict[str, Any] | None:
        report = self.communication.report
        return report.to_dict() if report is not None else None

    def _note_action(self, agent: str, action: Any) -> None:
        if self._observer is not None:
            self._observer.decide(agent, action)
        if self.watcher is not None:
            self.watcher.decide(agent, action)

    def _note_answer(self, actions: list[Buffer]) -> None:
        buffers = iter(actions)
        for group in self.progress.groups:
            for agent, action in zip(group.names, group.read_actions(buffers), strict=True):
                self._note_action(agent, action)
        if self._observer is not None:
            self._observer.answered()

    @contextlib.contextmanager
    def _breaking_off(self) -> Iterator[None]:
        """End the simulation, unless it has refused something."""
        try:
            yield
        except SnapshotError:
            raise
        except BaseException:
            self._break_off()
            raise


def _require_usable(agents: Mapping[str, Agent]) -> None:
    for name, agent in agents.items():
        require_free_agent(name)
        require_maskable(name, agent.observation_space, agent.action_space)
