# SPDX-License-Identifier: GPL-2.0-only
"""Episodes of one scenario, which every interface (AEC, parallel, Gymnasium, RLlib) plays."""

from __future__ import annotations

import contextlib
import sys
import weakref
from collections.abc import Iterator, Mapping
from dataclasses import replace
from os import PathLike
from typing import Any

from defiance_zoo.bridge.codec import Buffer
from defiance_zoo.bridge.codec.spaces import placeholder_observation
from defiance_zoo.bridge.simulation import (
    Agent,
    CommunicationReport,
    Fragment,
    Launcher,
    LaunchSettings,
    RngState,
    Round,
    Rounds,
    Scenario,
    StepLink,
)
from defiance_zoo.bridge.simulation.seeding import rng_seed
from defiance_zoo.bridge.system.fork_safety import exclusive
from defiance_zoo.bridge.system.plain_values import plain_seed, whole_number
from defiance_zoo.environments.arguments import (
    Options,
    OptionsToParameters,
    read_options,
    require_free_parameters,
)
from defiance_zoo.environments.episodes.observer import RecordOptions, open_recorder
from defiance_zoo.environments.episodes.progress import EpisodeProgress, require_usable
from defiance_zoo.errors import (
    InvalidAction,
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
        seeded: The parameter that got the seed of the current episode, if there is one.
        progress: Progress of the current episode.
        watcher: The `EpisodePictures`, if rounds are drawn.
        observer: The `EpisodeRecorder`, if rounds are recorded; its package may be missing.
        launcher: Starts the simulations, and holds the one that plays.
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
        record: RecordOptions | str | PathLike[str] | None = None,
        render_mode: str | None = None,
        watcher: Any = None,
    ) -> None:
        """Check everything that can be checked without a simulation; start nothing.

        `rounds`: `sequential` asks one agent at a time; `simultaneous` asks all agents of one
        instant of simulated time together. `translate_options`: turns other options of `reset()`
        into scenario parameters. `link`: link shared with other episodes; None for a new one.
        `record`: A folder, or all options of recording; None: nothing is recorded.
        """
        if max_cycles is not None:
            max_cycles = whole_number("max_cycles", max_cycles)
        self._translate_options = translate_options
        if record is not None:
            parameters = {**scenario.when_recorded, **parameters}
        settings = settings or LaunchSettings()
        launcher = Launcher(scenario, parameters, rounds, settings, link)
        require_free_parameters(scenario.name, launcher.declared)
        self.adopt(launcher, {})
        self.episode = 0
        self.seeded: dict[str, Any] = {}
        self._scenario = scenario
        fixed = scenario.seed_parameter in parameters
        self._seed_parameter = "" if fixed else scenario.seed_parameter
        heeds = scenario.heeds_masks(parameters)
        self.progress = EpisodeProgress(self._agents, max_cycles, heeds_masks=heeds)
        self.watcher = watcher
        self.observer: Any = None
        if record is not None:
            about = (render_mode, scenario, rounds, max_cycles, self._agents)
            self.observer = open_recorder(record, *about)

    def adopt(self, launcher: Launcher, agents: dict[str, Agent]) -> None:
        """Use these objects from now on; the launcher is closed at garbage collection, too."""
        self.launcher, self._agents = launcher, agents
        # Also at interpreter exit: no simulation outlives its owner.
        self._finalizer = weakref.finalize(self, Launcher.close, launcher)

    @property
    def agents(self) -> dict[str, Agent]:
        """All agents so far by name; before the first episode, the agents of a short-lived one."""
        if not self._agents:
            self.launcher.require_open()
            self._probe()
        return self._agents

    @exclusive
    def _probe(self) -> None:
        self._add(self.launcher.probe())

    def _add(self, agents: Mapping[str, Agent]) -> None:
        for agent in agents.values():
            require_usable(agent)
        self._agents.update(agents)

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
        return self.progress.round.time_ns if self.progress.round is not None else 0

    @property
    def watches_rounds(self) -> bool:
        """Whether every next round has to use `submit()` and `collect()`."""
        watched = self.observer is not None or self.watcher is not None
        return watched or self.progress.watches_decisions or self.progress.heeds_masks

    def begin(self, seed: int | None, options: Options | None) -> Round:
        """Start the next episode and play it to its first round.

        Raises:
            ClosedEnvironment: After `close()`.
            ParameterError: An option is not allowed, or the scenario refuses it.
            SimulationError: The simulation failed; a further `begin()` starts a new one.
            InvalidMask: The mask of an agent does not fit its actions.
        """
        self.launch(seed, options)
        return self.collect()

    def repeat(self, rng: RngState) -> Round:
        """Start the episode with this seed and run again; see `begin()`."""
        self.launcher.seeding.return_to(rng, again=True)
        return self.begin(None, {})

    def launch(self, seed: int | None, options: Options | None) -> None:
        """Start the next episode; `collect()` returns its first round. See `begin()`."""
        self.launcher.require_open()
        self._leave_unfinished()
        self.launcher.clear()  # if anything fails from here on, that episode is over
        self.progress.clear()
        seed = plain_seed(seed)
        self.episode += 1
        self.progress.forget_traffic()
        if self.watcher is not None:
            self.watcher.begin()
        observer, launcher = self.observer, self.launcher
        changes = read_options(options, launcher.declared, self._translate_options)
        self.seeded = {}
        if self._seed_parameter and seed is not None:  # parameters have 64 bits
            self.seeded = {self._seed_parameter: seed if seed < 2**63 else rng_seed(seed)}
        changes = {**self.seeded, **changes}
        if observer is None:
            launcher.start(seed, changes)
            return
        try:
            launcher.start(seed, changes, lambda: observer.begin(seed, launcher))
        except BaseException:
            observer.not_begun()
            raise
        observer.begun()

    def collect(self, since: float | None = None) -> Round:
        """Wait for the round after `launch()` or `submit()`; `since` as in `Launcher.receive()`."""
        try:
            if self.launcher.starting is not None:
                return self._take_first(since)
            return self._take(self.launcher.receive(since))
        except BaseException:
            self.break_off()
            raise

    def decide(self, agent: str, action: Any) -> None:
        """Set the action of an agent of the current round, for `advance()`; it may be replaced.

        Raises:
            InvalidAction: The agent does not decide now, or the action is not in its space.
            IllegalAction: Its mask forbids the action, and the scenario refuses such actions.
            ResetNeeded: No episode is running.
        """
        if self.launcher.simulation is None:
            self.launcher.require()  # raises the reason
        progress = self.progress
        for group in progress.groups:
            if agent in group.members:
                break
        else:
            deciding = list(progress.deciding)
            raise InvalidAction(f"an action of {agent!r}, but {deciding} decide")
        try:
            checked = group.actions.check(action)
        except (ValueError, TypeError, OverflowError) as error:
            space = self._agents[agent].action_space
            raise InvalidAction(f"the action of {agent} is not in {space}: {error}") from error
        if progress.heeds_masks:
            progress.require_allowed(agent, action)
        progress.actions[agent] = checked
        if self.observer is not None or self.watcher is not None:
            self._note_action(agent, action)

    def advance(self) -> Round:
        """Answer the current round with the agents' actions, and play to the next one.

        Raises:
            InvalidAction: An agent has not decided; nothing was sent, and it still can.
            ResetNeeded: No episode is running.
            SimulationError: The simulation failed; `begin()` starts a new one.
        """
        if self.observer is not None:
            self.observer.answered()
        simulation = self.launcher.simulation or self.launcher.require()
        progress, decided = self.progress, self.progress.actions
        actions: list[Buffer] = []
        try:
            for group in progress.groups:
                actions += group.actions.flatten([*map(decided.__getitem__, group.names)])
        except KeyError:
            deciding = list(progress.deciding)
            missing = [agent for agent in deciding if agent not in decided]
            raise InvalidAction(f"no action for {missing}: each of {deciding} must act") from None
        if progress.undecided or progress.max_cycles:
            progress.count(decided)
        orders = progress.transfers.take_orders() if progress.transfers.orders else ()
        try:
            return self._take(simulation.play(actions, orders))
        except BaseException:
            self.break_off()
            raise

    def submit(self, actions: list[Buffer]) -> None:
        """Answer the current round; `collect()` then returns the next one.

        Args:
            actions: Buffers of a stack of checked actions for each deciding group, one group after
                the other.
        """
        simulation, progress = self.launcher.simulation or self.launcher.require(), self.progress
        if self.observer is not None or self.watcher is not None:
            self._note_answer(actions)
        if progress.undecided or progress.max_cycles:
            progress.count(progress.deciding)
        try:
            simulation.step(actions, progress.transfers.take_orders())
        except BaseException:
            self.break_off()
            raise

    def submit_fragment(self, fragment: Fragment) -> None:
        """Let a policy decide inside the simulation; `collect()` returns the round after it.

        That round has a trajectory. The fragment is shorter than ordered if an agent joins or ends,
        a transfer finishes, or `max_cycles` may end the episode.

        Raises:
            ParameterError: The episodes are recorded or drawn, or only Python refuses actions that
                a mask forbids, or checks histories.
            SimulationError: The simulation failed; `begin()` starts a new one.
        """
        if self.observer is not None or self.watcher is not None:
            raise ParameterError(
                "no policy can play inside simulations that are recorded or drawn, because their "
                "steps are reported without infos: leave out record= and render_mode=, or let "
                "Python decide"
            )
        if self.progress.heeds_masks:
            raise ParameterError(
                "no policy can play inside simulations that refuse actions that a mask forbids"
            )
        if self.progress.judge is not None:
            raise ParameterError(
                "no policy can play inside simulations with histories=True, because Python checks "
                "the history of each step"
            )
        simulation = self.launcher.require()
        most = self.progress.rounds_before_cut
        with self.breaking_off():
            simulation.play_fragment(replace(fragment, noise=fragment.noise[:most]))

    def communication_report(self) -> CommunicationReport:
        """Return the report of a waiting simulation, or the last one; see `Simulated`."""
        if not self.launcher.counts_communication:
            raise NotCounted(
                "communication is not counted: make the environment with communication_report=True"
            )
        with self.breaking_off():
            self._ask_for_report()
        if (report := self.progress.report) is None:
            self.launcher.require_open()
            raise ResetNeeded("there is nothing to report: call reset() first")
        return report

    def _ask_for_report(self) -> None:
        """Get a newer report from the simulation, if it waits for an answer."""
        simulation = self.launcher.simulation
        if simulation is not None and simulation.awaits_reply:
            self.progress.report = simulation.communication_report()

    def leave(self) -> None:
        """Ask the simulation to end, without waiting; the episode is over."""
        try:
            self._leave_unfinished()
        finally:
            self.launcher.leave()
            self.launcher.clear()
            self.progress.clear()

    def close(self) -> None:
        """End the simulation and release everything; may be called again."""
        try:
            self._leave_unfinished()
        finally:
            self._finalizer()  # closes the launcher, once
            for follower in (self.observer, self.watcher):
                if follower is not None:
                    follower.close()

    # ------------------------------------------------------------------ inside

    def _take_first(self, since: float | None) -> Round:
        simulation = self.launcher.greet(since)
        self._add(simulation.agents)
        self.progress.heeds_masks = self._scenario.refuses(
            simulation.parameters, self.launcher.declared
        )
        self.progress.begin(simulation.agents, simulation.parameters)
        first = self._take(self.launcher.receive(since, 2))
        if not simulation.agents:
            raise SimulationError("the scenario ended without ever having had an agent")
        return first

    def _take(self, received: Round) -> Round:
        """Process a round, and end the episode if `max_cycles` has been reached."""
        progress = self.progress
        if received.trajectory is not None:
            progress.note_played(received.trajectory)
        for steps in received.asked:
            for row, info in steps.infos.items():
                progress.check_names(steps.group.names[row], info)
        progress.round, progress.groups = received, received.groups
        progress.actions, progress.masks = {}, {}
        news = received.joined or received.ended or received.transfers or received.over
        if news or progress.undecided or progress.max_cycles or progress.judge:
            received = progress.take_news(received, self.launcher.require())
            if received.over:
                if received.communication is None and self.launcher.counts_communication:
                    progress.report = CommunicationReport(received.time_ns)  # without channels
                self.launcher.clear()
        for steps in received.asked:
            if steps.infos or steps.group.observes_mask:
                progress.check_masks(steps)
        if self.observer is not None:
            self.observer.take(received)
            if received.over:
                self.observer.finish("ended", communication=self._report())
        if self.watcher is not None:
            self.watcher.take(self, received)
        return received

    def break_off(self) -> None:
        """End the simulation; only `begin()` continues from here."""
        error = sys.exc_info()[1]
        try:
            self.progress.clear()
            self.launcher.stop()
        finally:
            if self.observer is not None:
                # Other subclasses of BaseException are interruptions by a user.
                failed = isinstance(error, Exception)
                with contextlib.suppress(RecordingNotWritten):  # the error says why it ends here
                    self.observer.finish(
                        "failed" if failed else "unfinished",
                        str(error) if failed else "",
                        self._report(),
                    )
            if isinstance(error, SimulationError):  # a recording has the seed
                error.add_episode(self.launcher.seeding.describe())

    def _leave_unfinished(self) -> None:
        """Report an unfinished episode, with its communication report, to the observer."""
        if self.observer is not None and self.observer.is_observing:
            if self.launcher.counts_communication:
                with contextlib.suppress(SimulationError):
                    self._ask_for_report()
            self.observer.finish("unfinished", communication=self._report())

    def _report(self) -> dict[str, Any] | None:
        report = self.progress.report
        return report.to_dict() if report is not None else None

    def _note_action(self, agent: str, action: Any) -> None:
        if self.observer is not None:
            self.observer.decide(agent, action)
        if self.watcher is not None:
            self.watcher.decide(agent, action)

    def _note_answer(self, actions: list[Buffer]) -> None:
        buffers = iter(actions)
        for group in self.progress.groups:
            for agent, action in zip(group.names, group.read_actions(buffers), strict=True):
                self._note_action(agent, action)
        if self.observer is not None:
            self.observer.answered()

    @contextlib.contextmanager
    def breaking_off(self) -> Iterator[None]:
        """End the simulation, unless it has refused something."""
        try:
            yield
        except SnapshotError:
            raise
        except BaseException:
            self.break_off()
            raise
