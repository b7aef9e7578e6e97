# SPDX-License-Identifier: GPL-2.0-only
"""PPO and A2C whose current policy plays rollouts inside the simulations."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from gymnasium import spaces
from gymnasium.spaces import Box
from gymnasium.spaces.utils import flatdim
from numpy.typing import NDArray
from stable_baselines3 import A2C, PPO
from stable_baselines3.common.buffers import RolloutBuffer
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.on_policy_algorithm import OnPolicyAlgorithm
from stable_baselines3.common.policies import ActorCriticPolicy
from stable_baselines3.common.preprocessing import is_image_space
from stable_baselines3.common.vec_env import VecEnv, VecMonitor

from defiance_zoo.bridge.simulation import Trajectory
from defiance_zoo.bridge.system.extras import onnxruntime_library
from defiance_zoo.environments.vector.fragments import PlayedFragment
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.training.export.network import split
from defiance_zoo.experiments.training.export.policy_file import make_model
from defiance_zoo.experiments.training.sb3.policy import SB3Network
from defiance_zoo.wrappers.sb3.base import PlayedStep, SB3VecEnvBase
from defiance_zoo.wrappers.sb3.buffers import DecisionRolloutBuffer
from defiance_zoo.wrappers.sb3.vectors import SharedPolicyVecEnv
from defiance_zoo.wrappers.sb3.zero_based_actions import origin_of, start_of


def choices_of(space: spaces.Space[Any]) -> list[int]:
    """Return the number of choices for each part of an action."""
    if isinstance(space, spaces.Discrete):
        return [int(space.n)]
    if isinstance(space, spaces.MultiDiscrete) and space.nvec.ndim == 1:
        return [int(n) for n in space.nvec]
    raise ParameterError(
        f"actions of {space} cannot be sampled inside simulations: only samples of Discrete and "
        "MultiDiscrete are equal there to the last bit"
    )


def draw_noise(choices: list[int], steps: int, rows: int) -> NDArray[np.float32]:
    """Draw the numbers that PyTorch would draw for a policy's steps, in the same order.

    A categorical distribution's sample is the choice with the greatest p / q, where q is
    exponentially distributed: `torch.multinomial` draws a tensor of q for each call.

    The result has shape (steps, rows, sum(choices)); each step is a call of the policy.
    """
    noise = np.empty((steps, rows, sum(choices)), np.float32)
    ends = np.cumsum(choices).tolist()
    for step in range(steps):
        for end, count in zip(ends, choices, strict=True):
            drawn = torch.empty(rows, count).exponential_()
            noise[step, :, end - count : end] = drawn.numpy()
    return noise


def sample(
    probabilities: list[torch.Tensor], noise: torch.Tensor, choices: list[int]
) -> torch.Tensor:
    """Return the samples of `torch.multinomial` for some noise, shape (rows, numbers)."""
    parts = zip(probabilities, split(noise, choices), strict=True)
    return torch.stack([torch.argmax(p / q, dim=1) for p, q in parts], dim=1)


class SamplingNetwork(SB3Network):
    """The samples of `ActorCriticPolicy.forward()` for given noise, in the agents' space."""

    first: torch.Tensor | None

    def __init__(self, policy: ActorCriticPolicy) -> None:
        super().__init__(policy)
        self.choices = choices_of(policy.action_space)
        self._single = isinstance(policy.action_space, spaces.Discrete)
        start = np.array(start_of(policy.action_space), np.int64)
        self.register_buffer("first", torch.as_tensor(start) if start.any() else None)

    def forward(self, observation: torch.Tensor, noise: torch.Tensor) -> torch.Tensor:  # type: ignore[override]
        """Return actions for flat observations and their noise."""
        outputs = self.output(observation)
        groups = [outputs] if self._single else split(outputs, self.choices)
        normalized = [each - torch.logsumexp(each, dim=1, keepdim=True) for each in groups]
        probabilities = [each.softmax(dim=1) for each in normalized]
        if self._single:  # a smaller model: each episode's process prepares it
            actions = torch.argmax(probabilities[0] / noise, dim=1)
        else:
            actions = sample(probabilities, noise, self.choices)
        return actions if self.first is None else actions + self.first


class SamplingModel:
    """A sampling policy as an ONNX model with the policy's current weights."""

    def __init__(self, policy: ActorCriticPolicy) -> None:
        self._network = SamplingNetwork(policy)
        self.choices = self._network.choices
        self._space = policy.observation_space
        self._model = make_model(
            self._network,
            self._space,
            origin_of(policy.action_space),
            {},
            noise=sum(self.choices),
        )
        self._weights = self._find_weights()

    def serialize(self) -> bytes:
        """Return the model with the policy's current weights."""
        for initializer, tensor in self._weights:
            initializer.raw_data = tensor.detach().contiguous().numpy().tobytes()
        data: bytes = self._model.SerializeToString()
        return data

    def _find_weights(self) -> list[tuple[onnx.TensorProto, torch.Tensor]]:
        """Return the places of running statistics and of all weights on which actions depend."""
        places = {each.name: each for each in self._model.graph.initializer}
        known = dict(self._network.named_parameters())
        outputs = self._network.output(torch.ones(1, flatdim(self._space))).sum()
        gradients: tuple[torch.Tensor | None, ...] = torch.autograd.grad(
            outputs, list(known.values()), allow_unused=True
        )
        found: list[tuple[onnx.TensorProto, torch.Tensor]] = []
        for (name, tensor), gradient in zip(known.items(), gradients, strict=True):
            if gradient is None:
                continue  # weights of the critic
            if name not in places or list(places[name].dims) != list(tensor.shape):
                raise ParameterError(f"{name} is not found in the policy's ONNX model")
            found.append((places[name], tensor))
        buffers = self._network.named_buffers()
        return found + [(places[name], buffer) for name, buffer in buffers if name in places]


@dataclass(frozen=True)
class Rollout:
    """Steps of a vector, as from `step()`.

    Attributes:
        observations: Observations of each row before each step, shape (steps, rows, ...).
        actions: Actions of each row, counted as in SB3, shape (steps, rows, ...); 0 without a
            decision.
        acted: Whether each row decided, bool of shape (steps, rows).
        lost: Whether an action did not reach a simulation because the simulation failed or its
            episode ended before the first decision; bool of shape (steps, rows).
        rewards: Rewards of each step, float32 of shape (steps, rows).
        dones: Whether each step ended the row's episode, bool of shape (steps, rows).
        infos: Infos of each row by step, for steps in which an episode ended. Other steps have no
            infos.
        last: Each row's observation after the last step, shape (rows, ...).
    """

    observations: NDArray[Any]
    actions: NDArray[Any]
    acted: NDArray[np.bool_]
    lost: NDArray[np.bool_]
    rewards: NDArray[np.float32]
    dones: NDArray[np.bool_]
    infos: dict[tuple[int, int], dict[str, Any]]
    last: NDArray[Any]

    def steps(self) -> Iterator[PlayedStep]:
        """Yield the steps for `SB3VecEnvBase.replay()`."""
        rows = range(self.dones.shape[1])
        after = [*self.observations[1:], self.last]
        for step, observed in enumerate(after):
            infos = [self.infos.get((step, row), {"TimeLimit.truncated": False}) for row in rows]
            ends = self.dones[step].copy()
            result = observed.copy(), self.rewards[step].copy(), ends, infos
            yield PlayedStep(self.acted[step], result)


class _Writer:
    """Joins the fragments that a policy plays inside simulations; see `Rollout`.

    `noise` has shape (steps, rows, numbers).
    """

    def __init__(self, vec: SB3VecEnvBase, noise: NDArray[np.float32], observed: Any) -> None:
        self._vec = vec
        self._venv, self._count = vec._venv, vec.num_envs // vec._venv.num_envs
        self._noise = noise
        steps, rows = noise.shape[:2]
        space = vec.action_space
        self._start = start_of(space)
        self._observed = np.array(observed)
        self._acting = (
            vec.decisions.deciding.copy()
            if isinstance(vec, SharedPolicyVecEnv)
            else np.ones(rows, np.bool_)
        )
        self._rollout = Rollout(
            observations=np.zeros((steps, *self._observed.shape), self._observed.dtype),
            actions=np.zeros((steps, rows, *(space.shape or ())), np.int64),
            acted=np.zeros((steps, rows), np.bool_),
            lost=np.zeros((steps, rows), np.bool_),
            rewards=np.zeros((steps, rows), np.float32),
            dones=np.zeros((steps, rows), np.bool_),
            infos={},
            last=self._observed,
        )

    def play(self, policy: bytes, runtime: str) -> Rollout:
        shape = (len(self._noise), self._venv.num_envs, self._count, -1)
        began = time.perf_counter()
        for played in self._venv.play_fragments(policy, self._noise.reshape(shape), runtime):
            self._vec.waited_s += time.perf_counter() - began
            rows = slice(played.member * self._count, (played.member + 1) * self._count)
            if played.trajectory is None:
                self._write_lost(played, rows)
            else:
                self._write(played.trajectory, played, rows)
            self._write_last(played, rows)
            began = time.perf_counter()
        return self._rollout

    def _write_lost(self, played: PlayedFragment, rows: slice) -> None:
        rollout, step = self._rollout, played.first
        rollout.observations[step, rows] = self._observed[rows]
        rollout.acted[step, rows] = rollout.lost[step, rows] = self._acting[rows]

    def _write(self, trajectory: Trajectory, played: PlayedFragment, rows: slice) -> None:
        rollout, first = self._rollout, played.first
        row = rows.start + played.places
        number = np.repeat(np.arange(played.steps), trajectory.sizes)
        rollout.actions[first + number, row] = trajectory.actions - self._start
        rollout.acted[first + number, row] = True
        later = number > 0  # the first observation came with the previous step
        rollout.rewards[first + number[later] - 1, row[later]] = trajectory.rewards[later]
        if self._count == 1:
            rollout.observations[first : first + played.steps, rows.start] = trajectory.observations
            return
        ends = np.cumsum(trajectory.sizes)
        for step, (size, end) in enumerate(zip(trajectory.sizes, ends, strict=True), first):
            deciding = slice(end - size, end)
            self._observed[row[deciding]] = trajectory.observations[deciding]
            rollout.observations[step, rows] = self._observed[rows]

    def _write_last(self, played: PlayedFragment, rows: slice) -> None:
        rollout, step = self._rollout, played.first + played.steps - 1
        if isinstance(self._vec, SharedPolicyVecEnv):
            self._vec.decisions.acted[rows] = rollout.acted[step, rows]
        self._vec._times = played.last[-1]["sim_time_ns"]
        observations, rewards, dones, infos = self._vec._convert(*played.last)
        rollout.rewards[step, rows], rollout.dones[step, rows] = rewards[rows], dones[rows]
        for row in range(rows.start, rows.stop):
            rollout.infos[step, row] = infos[row]
        self._observed[rows] = observations[rows]
        if isinstance(self._vec, SharedPolicyVecEnv):
            self._acting[rows] = self._vec.decisions.deciding[rows]


class _StandIn:
    """Another object in SB3's loop, except for some attributes; as a policy, it returns `steps`.

    The other object does not change, so callbacks may copy the algorithm's policy.
    """

    def __init__(self, other: Any, **own: Any) -> None:
        vars(self).update(own, _other=other)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._other, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._other, name, value)

    def __call__(self, _observed: torch.Tensor) -> Any:
        return next(self.steps)


class InSimulation(OnPolicyAlgorithm):
    """Collects rollouts inside the simulations; all other methods are the algorithm's.

    An ONNX model of the policy plays a rollout with previously drawn noise, so decisions need no
    messages. The environment then replays the rollout step by step to SB3's loop, in which a
    stand-in for the policy returns the played actions. Callbacks, monitors and the rollout buffer
    receive each step as usual, except for infos of steps that do not end an episode. The policy
    computes the values and the logarithms of probabilities of a whole rollout at once, so they may
    differ from SB3's in the last bits.
    """

    _sampler: SamplingModel | None = None

    def collect_rollouts(
        self,
        env: VecEnv,
        callback: BaseCallback,
        rollout_buffer: RolloutBuffer,
        n_rollout_steps: int,
    ) -> bool:
        runtime = str(self.require_playable(env))
        simulations = env.unwrapped
        assert isinstance(simulations, SB3VecEnvBase)
        steps = self._play(simulations, n_rollout_steps, runtime)
        loop: Any = _StandIn(self, policy=_StandIn(self.policy, steps=steps))
        continues = False
        try:
            continues = OnPolicyAlgorithm.collect_rollouts(
                loop, env, callback, rollout_buffer, n_rollout_steps
            )
        finally:
            if not continues:  # the simulations are ahead of SB3
                self._last_obs = None
                simulations.replay(iter(()))
        return continues

    def _play(
        self, simulations: SB3VecEnvBase, steps: int, runtime: str
    ) -> Iterator[tuple[torch.Tensor, torch.Tensor, torch.Tensor]]:
        """Play a rollout inside the simulations; yield what SB3's loop needs of each step."""
        sampler = self._require_sampler()
        noise = draw_noise(sampler.choices, steps, simulations.num_envs)
        rollout = _Writer(simulations, noise, self._last_obs).play(sampler.serialize(), runtime)
        self._fill_lost(rollout, noise, sampler.choices)
        simulations.replay(rollout.steps())
        actions = torch.as_tensor(rollout.actions)
        yield from zip(actions, *self._evaluate(rollout), strict=True)

    def _evaluate(self, rollout: Rollout) -> tuple[torch.Tensor, torch.Tensor]:
        """Return values and logarithms of probabilities, shape (steps, rows, ...)."""
        observed, actions = torch.as_tensor(rollout.observations), torch.as_tensor(rollout.actions)
        with torch.no_grad():
            values, log_probs, _ = self.policy.evaluate_actions(
                observed.flatten(0, 1), actions.flatten(0, 1)
            )
        steps, rows = rollout.dones.shape
        return values.reshape(steps, rows, 1), log_probs.reshape(steps, rows)

    def require_playable(self, env: VecEnv | None = None) -> Path:
        """Return the path of ONNX Runtime; the policy must be able to play inside simulations.

        The first call makes the ONNX model of the policy, which takes some seconds.
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
            return "in this scenario, Python refuses actions that a mask forbids"
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
        """Fill in the policy's own actions for steps of lost simulations."""
        for step in np.flatnonzero(rollout.lost.any(axis=1)):
            with torch.no_grad():
                observed = torch.as_tensor(rollout.observations[step])
                distribution: Any = self.policy.get_distribution(observed).distribution
                parts = distribution if isinstance(distribution, list) else [distribution]
                drawn = torch.as_tensor(noise[step])
                actions = sample([each.probs for each in parts], drawn, choices).numpy()
            lost = rollout.lost[step]
            rollout.actions[step, lost] = actions.reshape(rollout.actions[step].shape)[lost]


class InSimulationPPO(InSimulation, PPO):
    """PPO; see `InSimulation`."""


class InSimulationA2C(InSimulation, A2C):
    """A2C; see `InSimulation`."""


def variant(name: str) -> type[InSimulation]:
    """Return the algorithm of a name such as `PPO` whose rollouts are played inside simulations."""
    variants: dict[str, type[InSimulation]] = {"A2C": InSimulationA2C, "PPO": InSimulationPPO}
    if name not in variants:
        raise ParameterError(
            f"{name} does not support rollouts inside simulations: {' and '.join(variants)} do"
        )
    return variants[name]


def _find_obstacle(policy: Any, env: VecEnv | None, *, use_sde: bool) -> str | None:
    if not isinstance(policy, ActorCriticPolicy) or hasattr(policy, "lstm_actor"):
        return f"{type(policy).__name__} is not an actor and critic without a memory"
    own = [name for name in _SAMPLING if not _is_of_sb3(policy, name)]
    if own:
        return f"{type(policy).__name__} has its own {' and '.join(own)}, which no simulation calls"
    if not isinstance(env, VecMonitor) or not isinstance(env.venv, SB3VecEnvBase):
        return (
            "wrappers in Python, such as VecNormalize, would not see each step; use the "
            "environment of make_vec_env() or make_shared_policy_vec_env()"
        )
    observed = env.observation_space
    if not isinstance(observed, Box) or is_image_space(observed):
        return f"observations of {observed} are not an array of numbers"
    if use_sde:
        return "use_sde=True draws noise that depends on observations"
    if policy.device.type != "cpu":
        return f"the policy is on {policy.device}, where random numbers differ from the CPU's"
    return None


_SAMPLING = (
    "forward",
    "extract_features",
    "get_distribution",
    "_get_action_dist_from_latent",
    "evaluate_actions",
)
"""Methods that SB3 calls to sample or to evaluate samples, and that must be SB3's."""


def _is_of_sb3(policy: ActorCriticPolicy, name: str) -> bool:
    method = getattr(getattr(policy, name), "__func__", None)
    return method is getattr(ActorCriticPolicy, name)
