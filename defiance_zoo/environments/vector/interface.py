# SPDX-License-Identifier: GPL-2.0-only
"""The methods that both vector environments share."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from defiance_zoo.bridge.codec.spaces import Space, read_generators, set_generators
from defiance_zoo.bridge.process.simulation_process import Losses
from defiance_zoo.bridge.simulation import CommunicationReport
from defiance_zoo.bridge.system.fork_safety import exclusive
from defiance_zoo.bridge.system.plain_values import require_flag, require_type, whole_number
from defiance_zoo.bridge.system.spelling import require_choice
from defiance_zoo.environments.rendering.renderer import picture_metadata, render, warn_without_mode
from defiance_zoo.environments.shared_methods import JsonSpec
from defiance_zoo.environments.vector.engine import VectorEngine
from defiance_zoo.environments.vector.forms import Step, VectorForm
from defiance_zoo.environments.vector.fragments import PlayedFragment, play_fragments
from defiance_zoo.environments.vector.members import BatchedMembers, Members
from defiance_zoo.environments.vector.pool import SimulationPool
from defiance_zoo.environments.vector.saved_state import load_state, save_state
from defiance_zoo.errors import ParameterError, ResetNeeded


@contextlib.contextmanager
def closed_on_failure(pool: SimulationPool) -> Iterator[None]:
    """Close simulations if making their environment fails."""
    try:
        yield
    except BaseException:
        pool.close()
        raise


@dataclass(frozen=True)
class VectorOptions:
    """Options of a vector environment.

    Attributes:
        autoreset_mode: Start of the next episode: `NEXT_STEP` with the next step, whose action is
            ignored; `SAME_STEP` at once, with the last observation and info as `final_obs` and
            `final_info`; `DISABLED` by `reset(options={"reset_mask": ...})`.
        batch_size: Number of simulations that `recv()` waits for; None for all.
        copy: Return copies of the batches; otherwise read-only views, which change with the next
            step.
        restart_on_failure: Treat a failed simulation as a truncated episode, with the reason in its
            info `failure`, unless users must mend the scenario; otherwise the error is raised.
        resumable: Keep the actions of the running episodes, for `state_dict()`.
    """

    autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP
    batch_size: int | None = None
    copy: bool = True
    restart_on_failure: bool = False
    resumable: bool = False

    def __post_init__(self) -> None:
        for name in ("copy", "restart_on_failure", "resumable"):
            require_flag(name, getattr(self, name))

    def mode(self) -> AutoresetMode:
        """Return the step that follows the end of an episode."""
        given = getattr(self.autoreset_mode, "value", self.autoreset_mode)
        require_choice("autoreset_mode", given, [each.value for each in AutoresetMode])
        return AutoresetMode(given)

    def size(self, count: int) -> int:
        """Return the number of simulations that `recv()` waits for, of `count`."""
        given = self.batch_size
        size = count if given is None else whole_number("batch_size", given)
        if not 1 <= size <= count:
            raise ParameterError(f"batch_size={given} must be from 1 to {count}")
        return size


class VectorInterface(JsonSpec):
    """The methods of a vector environment, implemented by a `VectorEngine`.

    Copies and pickles keep the environment's arguments, not the running episodes.

    Attributes:
        num_envs: Number of simulations.
        render_mode: The render mode, or None.
    """

    num_envs: int
    single_observation_space: Space
    single_action_space: Space
    observation_space: Space
    action_space: Space
    render_mode: str | None

    def _note(self, pool: SimulationPool, options: Mapping[str, Any], **others: Any) -> None:
        """Check and store the arguments of the environment."""
        require_type("pool", pool, SimulationPool)
        count = len(pool.episodes)
        with closed_on_failure(pool):
            self._options = VectorOptions(**options)
            mode = self._options.mode()
            self._options.size(count)
        self._pool, self.num_envs = pool, count
        self.render_mode = pool.render_mode
        self.metadata = {"autoreset_mode": mode, **picture_metadata(pool.renderer)}
        self._note_arguments(pool, **options, **others)

    def _start_engine(self, form: VectorForm) -> None:
        """Make the engine."""
        options = self._options
        self._engine = VectorEngine(
            Members(self._pool, restart=options.restart_on_failure, resumable=options.resumable),
            form,
            BatchedMembers(self._pool, form),
            autoreset_mode=options.mode(),
            batch_size=options.size(self.num_envs),
            copy=options.copy,
        )

    @property
    def autoreset_mode(self) -> AutoresetMode:
        """Gymnasium's mode of the step that follows the end of an episode."""
        return self._engine.mode

    @property
    def _spaces(self) -> tuple[Space, ...]:
        single = self.single_observation_space, self.single_action_space
        return *single, self.observation_space, self.action_space

    @property
    def copies(self) -> bool:
        """Whether steps return copies of arrays, which do not change with the next step."""
        return self._options.copy

    @property
    def failures(self) -> int:
        """Number of simulations that were lost and replaced, with `restart_on_failure`."""
        return self.losses.count

    @property
    def losses(self) -> Losses:
        """The lost simulations, with their messages."""
        return self._engine.members.losses

    @property
    def over_at_reset(self) -> frozenset[int]:
        """Numbers of the simulations whose next step is known: no agent decides in it."""
        return frozenset(self._engine.members.states.pending)

    @exclusive
    def render(self) -> tuple[Any, ...] | None:
        """Return a frame of each simulation, or its frames since the last call; see `Pictures`."""
        if self.render_mode is None:
            warn_without_mode()
            return None
        return tuple(map(render, self._pool.episodes))

    @property
    def drawn_parameters(self) -> list[dict[str, Any]]:
        """Parameters that were drawn for the episode of each simulation; see `Simulated`."""
        return [episodes.launcher.drawn for episodes in self._pool.episodes]

    @property
    def heeds_masks(self) -> bool:
        """Whether the scenario refuses actions that a mask forbids: no fragment is played then."""
        return self._pool.episodes[0].progress.heeds_masks

    # ------------------------------------------------------------------ all together

    @exclusive
    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Start new episodes, and play them to the first decision.

        Args:
            seed: Seed of the first simulation, whose successors are the others' seeds; or one for
                each.
            options: `reset_mask` (bool, shape (num_envs,)) selects the simulations to reset; other
                keys are as for a single environment.

        Raises:
            ParameterError: A seed or an option is not allowed, or there are too many agents.
            SimulationError: A simulation failed.
        """
        observations, _, _, _, infos = self._engine.reset(seed, options)
        return observations, infos

    @exclusive
    def step(self, actions: Any) -> Step:
        """Let every simulation act, and play each to its next decision or its end.

        Args:
            actions: A batch of `action_space`; actions of agents that do not decide are ignored.

        Raises:
            InvalidAction: An action is not in its space; nothing was sent.
            IllegalAction: A mask forbids an action, and the scenario refuses such actions; nothing
                was sent.
            ResetNeeded: An episode is over, and there is no autoreset; or it broke off.
            SimulationError: A simulation failed, and needs a reset. The other simulations were
                stepped, and `step_wait()` returns their results.
        """
        self._engine.send(actions, None)
        return self._engine.receive_all()

    @exclusive
    def step_async(self, actions: Any) -> None:
        """Let every simulation act, without waiting; `step_wait()` returns the result of `step()`.

        Raises:
            InvalidAction: An action is not in its space; nothing was sent.
            IllegalAction: A mask forbids an action, and the scenario refuses such actions; nothing
                was sent.
            ResetNeeded: An episode is over, and there is no autoreset; or it broke off.
        """
        self._engine.send(actions, None)

    @exclusive
    def step_wait(self) -> Step:
        """Wait for every simulation, after `step_async()`; call it again after an error.

        Raises:
            SimulationError: As from `step()`.
        """
        return self._engine.receive_all()

    # ------------------------------------------------------------------ each when it is ready

    @exclusive
    def send(self, actions: Any, env_ids: Sequence[int] | None = None) -> None:
        """Let some simulations act, without waiting for them.

        Args:
            actions: One action for each simulation, in Gymnasium's batched form.
            env_ids: Numbers of the simulations; None for all.

        Raises:
            InvalidAction: An action is not in its space; nothing was sent.
            IllegalAction: A mask forbids an action, and the scenario refuses such actions; nothing
                was sent.
            ParameterError: A numbered simulation does not wait for an action.
            ResetNeeded: An episode is over, and there is no autoreset; or it broke off.
        """
        self._engine.send(actions, env_ids)

    @exclusive
    def recv(self) -> Step:
        """Wait until `batch_size` simulations have reached their next decision, or their end.

        Returns:
            The result of `step()` for these simulations, whose numbers are `infos["env_id"]`; infos
            are batched over all simulations, with masks, as in Gymnasium.

        Raises:
            ResetNeeded: Fewer simulations were sent an action.
            SimulationError: A simulation failed, or none answered in time; it needs a reset. Steps
                of the others are returned once there are `batch_size` steps.
        """
        return self._engine.receive_some()

    @exclusive
    def async_reset(self, seed: int | Sequence[int | None] | None = None) -> None:
        """Start new episodes of all simulations; `recv()` returns their first observations.

        Raises:
            ParameterError: A seed is not allowed.
            SimulationError: A simulation did not start.
        """
        self._engine.launch_everybody(seed)

    # ------------------------------------------------------------------ state and reports

    @exclusive
    def state_dict(self) -> dict[str, Any]:
        """Return the state of the simulations, in plain values that can be pickled.

        The state grows with the decisions of the running episodes.

        Raises:
            ParameterError: The environment was not made with `resumable=True`, was never reset, or
                has actions that are not answered yet.
        """
        return {**save_state(self._engine), "generators": read_generators(*self._spaces)}

    @exclusive
    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restore the result of `state_dict()` of an environment with the same arguments.

        Args:
            state: Result of `state_dict()`.

        Raises:
            ParameterError: The state has another number of simulations or agents; nothing changed.
            ReplayDiverged: A replayed simulation differs from the saved one; call `reset()`.
            SimulationError: A simulation failed; call `reset()`.
        """
        load_state(self._engine, state)
        if "generators" in state:
            set_generators(state["generators"], *self._spaces)

    @exclusive
    def communication_reports(self) -> list[CommunicationReport | None]:
        """Return the communication report of each simulation.

        A running simulation has its last report; None if there is none.

        Raises:
            NotCounted: The environment was made without `communication_report=True` and
                `communication_infos=True`.
            ClosedEnvironment: The environment was closed.
            SimulationError: A simulation failed.
        """
        self._pool.require_open()
        reports: list[CommunicationReport | None] = []
        for episodes in self._pool.episodes:
            try:
                reports.append(episodes.communication_report())
            except ResetNeeded:
                reports.append(None)
        return reports

    # ------------------------------------------------------------------ policies in simulations

    def expect_fragments(self, runtime: str) -> None:
        """Prepare ONNX Runtime for the simulations that start from now on.

        Otherwise each simulation loads and prepares ONNX Runtime for its first fragment.

        Args:
            runtime: See `Fragment`.
        """
        for episodes in self._pool.episodes:
            episodes.launcher.starter.expect_fragments(runtime)

    def play_fragments(
        self, policy: bytes, noise: NDArray[np.float32], runtime: str = ""
    ) -> Iterator[PlayedFragment]:
        """Play the same number of steps in each simulation, and yield them as they arrive.

        Each simulation takes the steps that `step()` would have returned, without the infos of
        steps in which nothing ends.

        Args:
            policy: See `Fragment`.
            noise: Noise of the policy's samples, shape (steps, num_envs, agents, numbers).
            runtime: See `Fragment`.

        Raises:
            ParameterError: The environment was not made with `autoreset_mode="SameStep"`.
            ResetNeeded: An episode has not begun, or broke off.
            SimulationError: A simulation failed; call `reset()`.
        """
        return play_fragments(self._engine, bytes(policy), np.array(noise), runtime)
