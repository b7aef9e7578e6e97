# SPDX-License-Identifier: GPL-2.0-only
"""The common part of SB3's vectors of simulations: masks, counters, states, refusals."""

from __future__ import annotations

import functools
import time
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, NoReturn

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv

from defiance_zoo.bridge.codec.masks import MASK, count_choices, observes_mask, read_mask
from defiance_zoo.bridge.system.plain_values import plain_seed, require_type
from defiance_zoo.environments import MultiAgentVectorEnv, SimulationVectorEnv
from defiance_zoo.environments.arguments import require_mapping
from defiance_zoo.errors import ParameterError
from defiance_zoo.wrappers.sb3.zero_based_actions import origin_of, zero_based

VecStep = tuple[Any, Any, Any, list[dict[str, Any]]]
"""Observations, rewards, dones and infos of a step, as SB3 expects them."""


class PlayedStep(NamedTuple):
    """A step that a policy played inside the simulations.

    `acted`: whether each row decided.
    """

    acted: NDArray[np.bool_]
    result: VecStep


class SB3VecEnvBase(VecEnv):
    """Simulations side by side, in one process, as SB3's vector.

    If the scenario has an `action_mask`, as an info or in a Dict observation, the vector has
    `action_masks` for MaskablePPO.

    Actions count from 0, as SB3 requires: action 0 of a row is the first one of an agent whose
    actions are `Discrete(n, start=k)` or `MultiDiscrete(..., start=...)`.

    Attributes:
        rows: Number of rows of each simulation.
        agents: Name of the agent of each row.
        episodes: Number of complete episodes of simulations.
        waited_s: Seconds of waiting for simulations.
        simulated_s: Simulated seconds of all simulations since the vector was made.
        compute_reward: Returns the rewards of achieved goals, desired goals and infos, for
            HerReplayBuffer; None: there are no goals.
    """

    agents: list[str]
    compute_reward: Callable[..., Any] | None = None
    _venv: SimulationVectorEnv | MultiAgentVectorEnv

    def __init__(self, venv: SimulationVectorEnv | MultiAgentVectorEnv, rows: int) -> None:
        """Take over a vector with `autoreset_mode="SameStep"`, and the rows of each simulation."""
        if venv.autoreset_mode is not AutoresetMode.SAME_STEP:
            raise ParameterError("SB3 needs autoreset_mode='SameStep'")
        if not venv.copies:
            raise ParameterError(
                "SB3 needs copy=True: it stores an observation after the next step, which "
                "overwrites the arrays of copy=False"
            )
        self._venv = venv
        self.rows = rows
        self._masks: NDArray[np.bool_] | None = None
        self._replay: Iterator[PlayedStep] = iter(())
        self._replayed: PlayedStep | None = None
        self.episodes = 0
        self.waited_s = 0.0
        self._ended_ns = 0
        self._times = np.zeros(venv.num_envs, np.int64)
        space = venv.single_observation_space
        self._observes_masks = observes_mask(space)
        super().__init__(venv.num_envs * rows, space, zero_based(venv.single_action_space))
        self.metadata = {**self.metadata, "render_fps": venv.metadata["render_fps"]}

    @property
    def failures(self) -> int:
        """Number of simulations that were lost and replaced, with `restart_on_failure=True`."""
        return self._venv.failures

    def take_losses(self) -> list[str]:
        """Return the messages of the lost simulations since the last call."""
        return self._venv.losses.take()

    @property
    def heeds_masks(self) -> bool:
        """Whether the scenario refuses actions that an `action_mask` forbids."""
        return self._venv.heeds_masks

    def expect_fragments(self, runtime: str) -> None:
        self._venv.expect_fragments(runtime)

    @property
    def simulated_s(self) -> float:
        """Simulated seconds of all simulations since the vector was made."""
        return (self._ended_ns + int(self._times.sum())) / 1e9

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Set the seeds of the next episodes: `seed`, and its successors.

        Raises:
            ParameterError: The seed is no integer from 0 on.
        """
        return super().seed(plain_seed(seed))

    def set_options(self, options: Any = None) -> None:
        """Set the options of the next episodes: a dict, or a list of equal ones, one for each row.

        Raises:
            ParameterError: The options are of another type.
        """
        rows = options if isinstance(options, list) else [options]
        for each in rows or [0]:
            require_type("options", each, dict, optional=True)
        super().set_options(options)

    def reset(self) -> Any:
        """Start new episodes with the previously set seeds and options.

        Raises:
            ParameterError: The options of the simulations differ.
            SimulationError: A simulation failed.
        """
        options = self._options[0]
        if any(each != options for each in self._options):
            raise ParameterError("simulations that are reset together must have the same options")
        seeds = self._seeds[: self._venv.num_envs]
        self._ended_ns += int(self._times.sum())
        begun = time.perf_counter()
        observations, infos = self._venv.reset(seed=seeds, options=options)
        self.waited_s += time.perf_counter() - begun
        self._times = infos["sim_time_ns"]
        self._reset_seeds()
        self._reset_options()
        return self._begin(observations, infos)

    def step_async(self, actions: Any) -> None:
        """Let every simulation act, without waiting; replayed steps ignore actions."""
        self._replayed = next(self._replay, None)
        self._act(actions, self._replayed)

    def replay(self, steps: Iterator[PlayedStep]) -> None:
        """Let the next steps return steps that have been played inside the simulations."""
        self._replay = steps

    def step_wait(self) -> VecStep:
        if self._replayed is not None:
            return self._replayed.result
        begun = time.perf_counter()
        reported = self._venv.step_wait()
        self.waited_s += time.perf_counter() - begun
        self._times = reported[-1]["sim_time_ns"]
        return self._convert(*reported)

    def close(self) -> None:
        self._venv.close()

    def __reduce__(self) -> NoReturn:
        raise ParameterError("SB3's vectors cannot be copied or pickled: make another one")

    # ------------------------------------------------------------------ state

    def state_dict(self) -> dict[str, Any]:
        """Return the state of the simulations; see `VectorInterface.state_dict`."""
        return {
            "venv": self._venv.state_dict(),
            "episodes": self.episodes,
            "times": self._times.copy(),
            "masks": None if self._masks is None else self._masks.copy(),
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore the result of `state_dict()`; see `VectorInterface.load_state_dict`."""
        inner: Any = require_mapping("state", state).get("venv")
        self._venv.load_state_dict(inner)
        self.episodes = state["episodes"]
        self._times = np.array(state.get("times", self._times))
        self._masks = None if state["masks"] is None else state["masks"].copy()

    # ------------------------------------------------------------------ attributes and methods

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return an attribute of the vector for each row, including `action_masks` if any.

        Raises:
            AttributeError: The vector has no such attribute.
        """
        rows = list(self._get_indices(indices))
        if attr_name == "action_masks" and self._gives_masks:
            return [functools.partial(self._mask, row) for row in rows]
        return [getattr(self._venv, attr_name)] * len(rows)

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Raise an error, because simulations have no attributes.

        Raises:
            AttributeError: Always.
        """
        raise AttributeError(f"{attr_name} cannot be set: the environments are ns-3 processes")

    def env_method(
        self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any
    ) -> list[Any]:
        """Return the results of `action_masks`, `render` or `compute_reward`.

        Raises:
            AttributeError: The method is another one, or the scenario has no masks.
        """
        if method_name == "action_masks":
            if not self._gives_masks:
                raise AttributeError(
                    f"the scenario has sent no {MASK!r}, neither as an info nor in an observation"
                )
            return [self._mask(row) for row in self._get_indices(indices)]
        if method_name == "render":
            return list(self._venv.render() or ())
        if method_name == "compute_reward":
            if self.compute_reward is None:
                raise AttributeError(
                    "the vector cannot compute rewards of other goals: pass compute_reward= to "
                    "make_vec_env(), a function of achieved goals, desired goals and infos"
                )
            rewards = self.compute_reward(*method_args, **method_kwargs)
            return [rewards for _ in self._get_indices(indices)]
        raise AttributeError(f"{method_name} cannot be called: the environments are ns-3 processes")

    def get_images(self) -> Sequence[Any]:
        return self.env_method("render")

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Any = None) -> list[bool]:
        """Return False for each environment, because none is wrapped."""
        return [False] * len(list(self._get_indices(indices)))

    # ------------------------------------------------------------------ subclasses

    @abstractmethod
    def _begin(self, observations: Any, infos: dict[str, Any]) -> Any:
        """Return the first observations, and keep their infos."""

    @abstractmethod
    def _convert(
        self, observations: Any, rewards: Any, terminations: Any, truncations: Any, infos: Any
    ) -> VecStep:
        """Return a step as SB3 expects it."""

    @abstractmethod
    def _act(self, actions: Any, replayed: PlayedStep | None) -> None:
        """Let every simulation act, unless the step is a replayed one."""

    @abstractmethod
    def deciding(self) -> NDArray[np.bool_]:
        """Return whether each row decides next, bool of shape (rows,)."""

    # ------------------------------------------------------------------ masks

    @property
    def _gives_masks(self) -> bool:
        return self._observes_masks or self._masks is not None

    def _mask(self, row: int) -> NDArray[np.bool_]:
        assert self._masks is not None  # masks exist after the first reset
        mask: NDArray[np.bool_] = self._masks[row].copy()
        return mask

    def _note_masks(
        self, observations: Any, infos: list[dict[str, Any]], deciding: NDArray[np.bool_]
    ) -> None:
        """Update the masks of deciding agents; other agents may take any action."""
        if self._masks is None:
            if not self._observes_masks and not any(MASK in info for info in infos):
                return
            size = sum(count_choices(self.action_space) or ())
            self._masks = np.ones((self.num_envs, size), np.bool_)
        self._masks[:] = True
        space, agents = origin_of(self.action_space), self.agents
        for row in np.flatnonzero(deciding):
            observation = {MASK: observations[MASK][row]} if self._observes_masks else None
            mask = read_mask(agents[row], space, observation, infos[row])
            if mask is not None:
                self._masks[row] = mask
