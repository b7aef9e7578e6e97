# SPDX-License-Identifier: GPL-2.0-only
"""TorchRL: simulations of several agents, side by side in one process, as one environment."""

from __future__ import annotations

import time
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray
from tensordict import TensorDict, TensorDictBase
from torchrl.data import Bounded, Categorical, Composite, Unbounded
from torchrl.envs import EnvBase

from defiance_zoo.bridge.codec.masks import MASK, observes_mask, read_mask
from defiance_zoo.environments import MultiAgentVectorEnv
from defiance_zoo.environments.shared_methods import join_batch, joint_space
from defiance_zoo.environments.vector.batches import take_rows, to_rows
from defiance_zoo.errors import ParameterError
from defiance_zoo.wrappers.features import FeatureView

GROUP = "agents"
"""The name of the group of all agents."""

Observer = Callable[[NDArray[np.bool_], NDArray[Any], NDArray[np.bool_], dict[str, Any]], None]
"""Called after each step with the rows that decided, rewards, simulations that are over, infos."""


class TorchRLVecEnv(EnvBase):
    """The agents of all simulations as one TorchRL environment, of batch size (simulations,).

    Agents are one group, `agents`, with `observation` (flat, float32), `action` and `reward`. A
    step is a round of decisions in each simulation; `state` is the global state. An episode is done
    with its last agent, and terminated unless its last agents were truncated.

    Elements of a `Box` action are scaled to [-1, 1]: with other limits, `TanhDelta` of TorchRL 0.11
    shifts means by the limits before it squashes them, so DDPG would only take the largest action.
    For `Discrete` actions, counted from 0, there is an `action_mask`: the scenario's mask for an
    agent that decides, and only action 0 for any other, so that learners have no choice to learn.

    Attributes:
        venv: The simulations.
        discrete: Whether actions are choices.
        observer: See `Observer`; None: nothing is called.
        waited_s: Seconds of waiting for simulations.
        simulated_ns: Simulated time of the running episodes together, in nanoseconds.
    """

    def __init__(self, venv: MultiAgentVectorEnv, view: FeatureView | None = None) -> None:
        """Take over simulations.

        Args:
            venv: The simulations, with `autoreset_mode="Disabled"`.
            view: Features that replace observations; None: none.

        Raises:
            ParameterError: The simulations have another `autoreset_mode`, or `copy=False`; or the
                actions are neither `Discrete` nor a bounded `Box` of floats.
        """
        if venv.autoreset_mode is not AutoresetMode.DISABLED or not venv.copies:
            raise ParameterError(
                "TorchRL begins episodes by itself, and keeps arrays: it needs "
                "autoreset_mode='Disabled' and copy=True"
            )
        super().__init__(device="cpu", batch_size=[venv.num_envs])
        self.venv, self._view = venv, view
        self.observer: Observer | None = None
        self.waited_s, self.simulated_ns = 0.0, 0
        self._rows = venv.num_envs, venv.max_agents
        self._seed: int | None = None
        self._deciding = np.zeros(self._rows, np.bool_)
        space = venv.single_observation_space if view is None else view.space
        self._width = joint_space([space]).shape[0]
        self._states = None if view is None else view.states(self._deciding.size)
        self._shown = np.zeros((self._deciding.size, self._width), np.float32)
        self._make_specs(venv.single_action_space)

    def _make_specs(self, actions: spaces.Space[Any]) -> None:
        rows = self._rows
        group = {"observation": Unbounded((*rows, self._width))}
        action: Any
        if isinstance(actions, spaces.Discrete):
            action = Categorical(int(actions.n), shape=rows)
            shape = (*rows, int(actions.n))
            group[MASK] = Categorical(2, shape=shape, dtype=torch.bool)
        elif (
            isinstance(actions, spaces.Box)
            and actions.is_bounded()
            and np.issubdtype(actions.dtype, np.floating)
        ):
            action = Bounded(-1.0, 1.0, shape=(*rows, int(np.prod(actions.shape))))
        else:
            raise ParameterError(
                f"BenchMARL's algorithms need Discrete actions, or a bounded Box of floats, not "
                f"{actions}"
            )
        self._origin, self.discrete = actions, isinstance(actions, spaces.Discrete)
        count = rows[0]
        state = Unbounded((count, self.venv.state_space.shape[0]))
        self.observation_spec = Composite(
            {GROUP: Composite(group, shape=rows), "state": state}, shape=(count,)
        )
        self.action_spec = _grouped("action", action, rows)
        self.reward_spec = _grouped("reward", Unbounded((*rows, 1)), rows)
        flag = Categorical(2, shape=(count, 1), dtype=torch.bool)
        self.done_spec = Composite(
            {"done": flag, "terminated": flag.clone(), "truncated": flag.clone()}, shape=(count,)
        )

    def state_dict(self, *_args: Any, **_kwargs: Any) -> dict[str, Any]:
        """Return the state of the simulations and features; see `VectorInterface.state_dict`."""
        return {
            "venv": self.venv.state_dict(),
            "deciding": self._deciding.copy(),
            "states": None if self._states is None else self._states.copy(),
            "shown": self._shown.copy(),
        }

    def load_state_dict(self, state: Any, *_args: Any, **_kwargs: Any) -> None:
        """Restore the result of `state_dict()`; see `VectorInterface.load_state_dict`."""
        self.venv.load_state_dict(state["venv"])
        kept = deepcopy({name: state[name] for name in ("deciding", "states", "shown")})
        self._deciding, self._states, self._shown = kept.values()

    def close(self, *_args: Any, **_kwargs: Any) -> None:
        """End all simulations and release everything."""
        super().close(raise_if_closed=False)
        self.venv.close()

    # ------------------------------------------------------------------ TorchRL's hooks

    def _set_seed(self, seed: int | None) -> None:
        self._seed = seed

    def _reset(self, tensordict: TensorDictBase | None = None, **_kwargs: Any) -> TensorDictBase:
        chosen = None if tensordict is None else tensordict.get("_reset", None)
        begun, began = time.perf_counter(), np.ones(self._rows[0], np.bool_)
        if chosen is None:
            observations, infos = self.venv.reset(seed=self._seed)
            self._seed = None
        else:
            began = chosen.reshape(-1).numpy()
            observations, infos = self.venv.reset(options={"reset_mask": began})
        self.waited_s += time.perf_counter() - begun
        if self._states is not None:
            self._states[np.repeat(began, self._rows[1])] = 0
        return self._observe(observations, infos, infos["deciding"] & began[:, None])

    def _step(self, tensordict: TensorDictBase) -> TensorDictBase:
        actions = tensordict[GROUP, "action"].numpy()
        if isinstance(self._origin, spaces.Discrete):
            actions = actions + self._origin.start
        else:
            low, high = self._origin.low, self._origin.high
            scaled = actions.reshape(*self._rows, *low.shape).clip(-1, 1)
            actions = (low + (scaled + 1) / 2 * (high - low)).clip(low, high).astype(low.dtype)
        begun, acted = time.perf_counter(), self._deciding
        observations, rewards, terminations, truncations, infos = self.venv.step(actions)
        self.waited_s += time.perf_counter() - begun
        over = ~infos["alive"].any(axis=1)
        self.simulated_ns = int(infos["sim_time_ns"][~over].sum())
        found = self._observe(observations, infos, infos["deciding"] | terminations | truncations)
        cut = truncations.any(axis=1)
        for name, flags in (("terminated", over & ~cut), ("truncated", over & cut), ("done", over)):
            found[name] = torch.from_numpy(flags[:, None])
        reward = torch.from_numpy(rewards.astype(np.float32)[..., None])
        found[GROUP, "reward"] = reward
        if self.observer is not None:
            self.observer(acted, rewards, over, infos)
        return found

    # ------------------------------------------------------------------ inside

    def _observe(
        self, observations: Any, infos: dict[str, Any], fresh: NDArray[np.bool_]
    ) -> TensorDict:
        """Return observations, masks and the state; `fresh` rows have new observations."""
        self._deciding = infos["deciding"]
        space, rows = self.venv.single_observation_space, to_rows(observations)
        if self._view is None:
            self._shown = join_batch(space, rows, self._deciding.size, 1).astype(np.float32)
        elif fresh.any() and self._states is not None:
            places = np.flatnonzero(fresh)
            seen = take_rows(rows, places)
            shown, self._states[places] = self._view.observe(seen, self._states[places])
            self._shown[places] = join_batch(self._view.space, shown, len(places), 1)
        found = {"observation": torch.tensor(self._shown.reshape(*self._rows, -1))}
        if isinstance(self._origin, spaces.Discrete):
            found[MASK] = torch.from_numpy(self._masks(observations, infos))
        elif (infos["alive"].any(axis=1, keepdims=True) & ~self._deciding).any():
            raise ParameterError(
                "BenchMARL cannot learn Box actions here: its losses use every agent at every "
                "step, and some agents do not decide at some steps"
            )
        state = torch.from_numpy(self.venv.state().astype(np.float32))
        groups = TensorDict(found, batch_size=self._rows)
        return TensorDict({GROUP: groups, "state": state}, batch_size=self.batch_size)

    def _masks(self, observations: Any, infos: dict[str, Any]) -> NDArray[np.bool_]:
        """Return masks, shape (simulations, agents, choices)."""
        assert isinstance(self._origin, spaces.Discrete)
        masks = np.repeat(self._deciding[..., None], int(self._origin.n), axis=2)
        masks[..., 0] = True
        observed = observes_mask(self.venv.single_observation_space)
        if observed or MASK in infos:
            names = self.venv.possible_agents
            for place in zip(*self._deciding.nonzero(), strict=True):
                observation = {MASK: observations[MASK][place]} if observed else None
                info = {MASK: infos[MASK][place]} if MASK in infos else {}
                mask = read_mask(names[place[1]], self._origin, observation, info)
                if mask is not None:
                    masks[place] = mask
        return masks


def _grouped(name: str, spec: Any, rows: tuple[int, int]) -> Composite:
    return Composite({GROUP: Composite({name: spec}, shape=rows)}, shape=rows[:1])
