# SPDX-License-Identifier: GPL-2.0-only
"""PPO and A2C whose rollouts are played inside the simulations, by the policy as it is then."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3 import A2C, PPO
from stable_baselines3.common.buffers import RolloutBuffer
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.on_policy_algorithm import OnPolicyAlgorithm
from stable_baselines3.common.policies import ActorCriticPolicy
from stable_baselines3.common.preprocessing import is_image_space
from stable_baselines3.common.vec_env import VecEnv, VecMonitor

from defiance_zoo.bridge.system.onnxruntime import onnxruntime_library
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.training.sb3.sampling import (
    SamplingModel,
    choices_of,
    draw_noise,
    sample,
)
from defiance_zoo.wrappers.sb3.base import SB3VecEnvBase
from defiance_zoo.wrappers.sb3.buffers import DecisionRolloutBuffer
from defiance_zoo.wrappers.sb3.rollouts import Rollout, play_rollout
from defiance_zoo.wrappers.sb3.shared import SharedPolicyVecEnv


class InSimulation(OnPolicyAlgorithm):
    """Collects rollouts inside the simulations; everything else is the algorithm's.

    A rollout is played by an ONNX model of the policy with noise that was drawn beforehand, so no
    message is exchanged for a decision. SB3's own loop then sees it step by step: callbacks,
    monitors and the rollout buffer are told what they are told otherwise, except for the infos of
    steps that end nothing. Values and logarithms of probabilities are the policy's own.

    Attributes:
        batched_values: Whether they are computed for a rollout at once, rather than step by step.
            That is faster, and may differ from the other in the last bits.
    """

    batched_values = False
    _sampler: SamplingModel | None = None

    def collect_rollouts(
        self,
        env: VecEnv,
        callback: BaseCallback,
        rollout_buffer: RolloutBuffer,
        n_rollout_steps: int,
    ) -> bool:
        """See `OnPolicyAlgorithm.collect_rollouts`.

        Raises:
            ParameterError: Rollouts of this policy or environment cannot be played like this.
            InvalidPolicy: The simulation cannot run the policy.
            SimulationError: A simulation failed, and is not to be replaced.
        """
        runtime = str(self.require_playable(env))
        simulations = env.unwrapped
        assert isinstance(simulations, SB3VecEnvBase)

        def play() -> Rollout:
            assert self._last_obs is not None
            sampler = self._require_sampler()
            noise = draw_noise(sampler.choices, n_rollout_steps, env.num_envs)
            rollout = play_rollout(simulations, sampler.serialize(), noise, runtime, self._last_obs)
            self._fill_lost(rollout, noise, sampler.choices)
            return rollout

        played = _Played(play)
        again = _PolicyAgain(self.policy, played, batched=self.batched_values)
        went_on = False
        try:
            with _steps_again(env, simulations, played), _in_place_of(self, again):
                went_on = super().collect_rollouts(env, callback, rollout_buffer, n_rollout_steps)
        finally:
            if not went_on:
                self._last_obs = None  # the simulations have gone further than SB3 has seen
        return went_on

    def require_playable(self, env: VecEnv | None = None) -> Path:
        """Return where ONNX Runtime is, if the policy can play inside simulations.

        The ONNX model of the policy is made here, once, which takes some seconds.

        Args:
            env: The environment; None for the algorithm's own.

        Raises:
            ParameterError: It cannot, and why.
            DependencyMissing: ONNX Runtime is not installed.
        """
        env = env or self.env
        obstacle = _find_obstacle(self.policy, env, use_sde=self.use_sde)
        obstacle = obstacle or self._find_obstacle_in(env)
        if obstacle is not None:
            raise ParameterError(f"rollouts cannot be played inside the simulations: {obstacle}")
        choices_of(self.action_space)
        runtime = onnxruntime_library()
        self._require_sampler()
        return runtime

    def _setup_learn(self, *arguments: Any, **settings: Any) -> tuple[int, BaseCallback]:
        runtime = self.require_playable()  # before the first episodes begin
        simulations = self.env.unwrapped if self.env is not None else None
        assert isinstance(simulations, SB3VecEnvBase)
        simulations.expect_fragments(str(runtime))
        return super()._setup_learn(*arguments, **settings)

    def _find_obstacle_in(self, env: VecEnv | None) -> str | None:
        simulations = env.unwrapped if env is not None else None
        if isinstance(simulations, SB3VecEnvBase) and simulations.heeds_masks:
            return "it refuses actions that a mask forbids, which Python does"
        shared = isinstance(simulations, SharedPolicyVecEnv)
        if shared and not isinstance(self.rollout_buffer, DecisionRolloutBuffer):
            return (
                "rows of agents that do not decide have no actions to learn from; give the "
                f"algorithm **decisions_only({type(self).__name__}, env)"
            )
        return None

    def _require_sampler(self) -> SamplingModel:
        if self._sampler is None:
            self.policy.set_training_mode(False)
            self._sampler = SamplingModel(self.policy)
        return self._sampler

    def _excluded_save_params(self) -> list[str]:
        return [*super()._excluded_save_params(), "_sampler"]

    def _fill_lost(self, rollout: Rollout, noise: NDArray[np.float32], choices: list[int]) -> None:
        """Note what the policy would have done where no simulation could tell."""
        for step in np.flatnonzero(rollout.lost.any(axis=1)):
            with torch.no_grad():
                seen = torch.as_tensor(rollout.observations[step])
                distribution: Any = self.policy.get_distribution(seen).distribution
                parts = distribution if isinstance(distribution, list) else [distribution]
                drawn = torch.as_tensor(noise[step])
                actions = sample([each.probs for each in parts], drawn, choices).numpy()
            lost = rollout.lost[step]
            rollout.actions[step, lost] = actions.reshape(rollout.actions[step].shape)[lost]


class InSimulationPPO(InSimulation, PPO):
    """PPO; see `InSimulation`."""


class InSimulationA2C(InSimulation, A2C):
    """A2C; see `InSimulation`."""


class BatchedInSimulationPPO(InSimulationPPO):
    """PPO with `batched_values`."""

    batched_values = True


class BatchedInSimulationA2C(InSimulationA2C):
    """A2C with `batched_values`."""

    batched_values = True


def variant(name: str, *, batched: bool) -> type[InSimulation]:
    """Return the algorithm of a name whose rollouts are played inside the simulations.

    Args:
        name: Such as `PPO`.
        batched: See `InSimulation.batched_values`.

    Raises:
        ParameterError: There is none.
    """
    variants: dict[str, tuple[type[InSimulation], type[InSimulation]]] = {
        "A2C": (InSimulationA2C, BatchedInSimulationA2C),
        "PPO": (InSimulationPPO, BatchedInSimulationPPO),
    }
    if name not in variants:
        raise ParameterError(
            f"{name} cannot have its rollouts played inside simulations: "
            f"{' and '.join(variants)} can"
        )
    return variants[name][batched]


def _find_obstacle(policy: Any, env: VecEnv | None, *, use_sde: bool) -> str | None:
    if not isinstance(policy, ActorCriticPolicy) or hasattr(policy, "lstm_actor"):
        return f"{type(policy).__name__} is no actor and critic without a memory"
    own = [name for name in _SAMPLING if not _is_of_sb3(policy, name)]
    if own:
        return f"{type(policy).__name__} has its own {' and '.join(own)}, which no simulation calls"
    if not isinstance(env, VecMonitor) or not isinstance(env.venv, SB3VecEnvBase):
        return (
            "wrappers in Python, such as VecNormalize, would not see each step; the environment is "
            "to be what make_vec_env() or make_shared_policy_vec_env() returns"
        )
    seen = env.observation_space
    if not isinstance(seen, spaces.Box) or is_image_space(seen):
        return f"observations of {seen} are not an array of numbers"
    if use_sde:
        return "use_sde=True draws noise that depends on what is observed"
    if policy.device.type != "cpu":
        return f"the policy is on {policy.device}, where random numbers are others than on the CPU"
    return None


_SAMPLING = (
    "forward",
    "extract_features",
    "get_distribution",
    "_get_action_dist_from_latent",
    "evaluate_actions",
)
"""What a policy is asked where SB3 samples, and here is not, or for what is sampled here."""


def _is_of_sb3(policy: ActorCriticPolicy, name: str) -> bool:
    method = getattr(getattr(policy, name), "__func__", None)
    return method is getattr(ActorCriticPolicy, name)


@contextmanager
def _in_place_of(algorithm: OnPolicyAlgorithm, again: _PolicyAgain) -> Iterator[None]:
    policy = algorithm.policy
    algorithm.policy = again  # type: ignore[assignment] # SB3 asks it what it asks a policy
    try:
        yield
    finally:
        algorithm.policy = policy


class _Played:
    """A rollout, played when its first step is asked for: callbacks know then that it begins."""

    def __init__(self, play: Callable[[], Rollout]) -> None:
        self._play = play
        self._rollout: Rollout | None = None

    def take(self) -> Rollout:
        """Return it."""
        if self._rollout is None:
            self._rollout = self._play()
        return self._rollout


@contextmanager
def _steps_again(env: VecEnv, simulations: SB3VecEnvBase, played: _Played) -> Iterator[None]:
    assert isinstance(env, VecMonitor)
    env.venv = _StepsAgain(simulations, played)  # type: ignore[assignment]
    try:
        yield
    finally:
        env.venv = simulations


class _StepsAgain:
    """Tells the steps of a rollout as the simulations would have."""

    def __init__(self, simulations: SB3VecEnvBase, played: _Played) -> None:
        self._simulations, self._played, self._step = simulations, played, -1

    def __getattr__(self, name: str) -> Any:
        return getattr(self._simulations, name)

    def step_async(self, actions: Any) -> None:
        """Go on to the next step; its actions are known."""
        self._step += 1
        if isinstance(self._simulations, SharedPolicyVecEnv):
            self._simulations.decisions.acted[:] = self._played.take().acted[self._step]

    def step_wait(self) -> tuple[Any, Any, Any, list[dict[str, Any]]]:
        """Return the step."""
        rollout, step = self._played.take(), self._step
        after = rollout.observations_after(step).copy()
        return after, rollout.rewards[step].copy(), rollout.dones[step], rollout.infos_of(step)


class _PolicyAgain:
    """Tells what the policy does in a rollout, and what it thinks of it."""

    def __init__(self, policy: ActorCriticPolicy, played: _Played, *, batched: bool) -> None:
        self._policy, self._played, self._batched, self._step = policy, played, batched, -1
        self._known: tuple[torch.Tensor, torch.Tensor] | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._policy, name)

    def __reduce__(self) -> Any:
        return _itself, (self._policy,)  # copies are of the policy

    def __call__(self, seen: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Return actions, values and logarithms of probabilities of the next step."""
        rollout = self._played.take()
        self._step += 1
        actions = torch.as_tensor(rollout.actions[self._step])
        if not self._batched:
            values, log_probs, _ = self._policy.evaluate_actions(seen, actions)
            return actions, values, log_probs
        if self._known is None:
            self._known = self._evaluate(rollout)
        return actions, self._known[0][self._step], self._known[1][self._step]

    def _evaluate(self, rollout: Rollout) -> tuple[torch.Tensor, torch.Tensor]:
        steps, rows = rollout.dones.shape
        seen = torch.as_tensor(rollout.observations).flatten(0, 1)
        actions = torch.as_tensor(rollout.actions).flatten(0, 1)
        values, log_probs, _ = self._policy.evaluate_actions(seen, actions)
        return values.reshape(steps, rows, 1), log_probs.reshape(steps, rows)


def _itself(policy: ActorCriticPolicy) -> ActorCriticPolicy:
    return policy
