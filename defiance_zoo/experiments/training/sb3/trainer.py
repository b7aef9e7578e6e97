# SPDX-License-Identifier: GPL-2.0-only
"""Training with Stable-Baselines3: environments, normalisation, policy and loop."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import gymnasium
import torch
from gymnasium.spaces import Box, Dict, Discrete, MultiBinary, MultiDiscrete, Space
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.off_policy_algorithm import OffPolicyAlgorithm
from stable_baselines3.common.preprocessing import is_image_space
from stable_baselines3.common.vec_env import DummyVecEnv, VecEnv, VecMonitor, VecNormalize

from defiance_zoo.bridge.codec.masks import MASK, Mask, read_mask
from defiance_zoo.bridge.system.extras import import_optional
from defiance_zoo.errors import NotSingleAgent, ParameterError
from defiance_zoo.experiments.evaluation import Policy, Spaces
from defiance_zoo.experiments.training.configuration import RunConfig, Teacher
from defiance_zoo.experiments.training.features import (
    SHARED,
    FeatureNetwork,
    RunFeatures,
    feature_source,
    observing,
    parts_of,
    refuse_features,
)
from defiance_zoo.experiments.training.generators import Generators
from defiance_zoo.experiments.training.sb3 import state
from defiance_zoo.experiments.training.sb3.algorithms import (
    algorithm,
    entropy_schedule,
    hyperparameters,
    log_std_schedule,
    policy_name,
    warn_without_noise,
)
from defiance_zoo.experiments.training.sb3.imitation import (
    imitate,
    judge,
    read_examples,
    require_imitator,
)
from defiance_zoo.experiments.training.sb3.metrics import Metrics
from defiance_zoo.experiments.training.sb3.policy import SB3Network, SB3Policy
from defiance_zoo.experiments.training.sb3.residual import (
    Base,
    ResidualPolicy,
    ResidualVecEnv,
    require_correctable,
    residual_policy,
    set_log_std,
)
from defiance_zoo.experiments.training.teacher.labels import Lesson
from defiance_zoo.experiments.training.trainer import SCORE, Iteration, MakeEnv, Trainer
from defiance_zoo.experiments.workbench.origin import opened
from defiance_zoo.wrappers.features import FeatureView
from defiance_zoo.wrappers.sb3 import (
    FeatureVecEnv,
    SharedPolicyVecEnv,
    decisions_only,
    make_shared_policy_vec_env,
    make_vec_env,
)
from defiance_zoo.wrappers.sb3.base import SB3VecEnvBase
from defiance_zoo.wrappers.sb3.zero_based_actions import origin_of, to_agent, zero_based

_RESPONSE = "policy.pt"
"""The file of a best response."""
_DECISIONS = 256
"""An iteration ends after the rollout that reaches a multiple of this number of decisions."""


def _features(config: RunConfig, env: VecEnv) -> RunFeatures | None:
    """Return the features of a run's observations; None if it has none."""
    if not config.flattened:
        return None
    source = feature_source(config)
    return RunFeatures(source, {SHARED: FeatureView(source, env.observation_space)})


def _environment(config: RunConfig) -> VecEnv:
    arguments = {"restart_on_failure": True, "resumable": True, **config.parameters}
    arguments |= {"n_envs": config.simulations, "seed": config.seed}
    if config.max_agents is None:
        with contextlib.suppress(NotSingleAgent):
            return make_vec_env(config.env, **arguments)
    return make_shared_policy_vec_env(config.env, max_agents=config.max_agents, **arguments)


def _scaled(config: RunConfig, env: VecEnv) -> VecEnv:
    """Return the environment; `normalize` of the run scales its observations and rewards.

    SB3's networks themselves scale pictures.
    """
    if not config.normalize:
        return env
    gamma = config.hyperparameters.get("gamma", 0.99)
    try:
        space = env.observation_space
        keys, norm_obs = _keys_to_scale(space), not is_image_space(space)
        return VecNormalize(env, gamma=gamma, norm_obs=norm_obs, norm_obs_keys=keys)
    except ValueError as error:
        raise ParameterError(f"normalize=True: {error}") from error


def _keys_to_scale(space: Space[Any]) -> list[str] | None:
    if not isinstance(space, Dict):
        return None
    boxes = [key for key, part in space.items() if isinstance(part, Box) and key != MASK]
    return [key for key in boxes if not is_image_space(space[key])]


def _is_observable(part: Space[Any]) -> bool:
    """Return whether SB3's networks take observations of a space, or of a part of a Dict."""
    if isinstance(part, Box):
        return 0 not in (part.shape or (0,))
    if isinstance(part, MultiDiscrete):
        return len(part.shape) == 1 and not part.start.any()
    return isinstance(part, MultiBinary) or (isinstance(part, Discrete) and part.start == 0)


def _require_observable(config: RunConfig, space: Space[Any]) -> None:
    for part in space.values() if isinstance(space, Dict) else [space]:
        if not _is_observable(part):
            raise ParameterError(
                f"{config.algorithm} of SB3 takes no observations {part}: set features, such as "
                "features='Symlog', which flatten them, or use library='rllib'"
            )


def _model(config: RunConfig, chosen: Any, env: VecEnv) -> Any:
    _require_observable(config, env.observation_space)
    name = policy_name(config.algorithm, env.observation_space)
    arguments = {"policy": name, **hyperparameters(config, env.action_space)}
    if isinstance(env, ResidualVecEnv):
        arguments |= residual_policy(config, env, arguments.get("policy_kwargs"))
    if isinstance(env.unwrapped, SharedPolicyVecEnv) and config.algorithm == "RecurrentPPO":
        raise ParameterError(
            f"RecurrentPPO is for one agent, and {config.env} has several: its LSTM would also "
            "remember steps in which an agent does not decide; use features='FrameStack' with "
            "PPO, or library='rllib' with model_config={'use_lstm': True}"
        )
    if isinstance(env.unwrapped, SharedPolicyVecEnv):
        arguments = {**decisions_only(chosen, env), **arguments}
    try:
        model = chosen(env=env, seed=config.seed, **arguments)
    except (AssertionError, RuntimeError, TypeError, ValueError) as error:
        raise ParameterError(f"{config.algorithm} on {config.env}: {error}") from error
    if model.observation_space is not env.observation_space:  # SB3 has transposed images
        model.observation_space.origin = env.observation_space
    return model


def _in_simulation(config: RunConfig) -> Any:
    """Return the algorithm whose rollouts are played inside the simulations."""
    if config.normalize:
        raise ParameterError(
            f"normalize=True cannot be used with rollouts={config.rollouts!r}: the statistics "
            "change with each step that Python sees"
        )
    module = import_optional("defiance_zoo.experiments.training.sb3.in_simulation", "onnx")
    return module.variant(config.algorithm)


def _observing(features: RunFeatures | None, base: Base | None, policy: SB3Policy) -> Policy:
    """Return a policy that takes agents' observations."""
    if features is not None and base is not None:
        return ResidualPolicy(policy, features, lambda _agent: SHARED, base)
    return observing(features, policy)


class SB3Trainer(Trainer):
    """A running training; see `Trainer`.

    Iterations do the work of SB3's `learn()` in parts, with the same results. Time steps are
    decisions. Schedules depend on the remaining share of `steps`: if a resumed run gets more steps,
    its schedules are stretched from that point.
    """

    def __init__(
        self, config: RunConfig, model: Any, features: RunFeatures | None, base: Base | None
    ) -> None:
        """Take over a model, its environment, the features of its observations, and its base."""
        self._config, self._model, self._features = config, model, features
        self._base = base
        self._vec = model.env.unwrapped
        assert isinstance(self._vec, SB3VecEnvBase | BestResponseVecEnv)
        self._metrics = Metrics(self._vec)
        self._generators = Generators()
        self._begun = False
        self._entropy = entropy_schedule(config)
        self._log_std = log_std_schedule(config)
        if self._log_std is not None:
            set_log_std(model.policy, self._log_std(1.0))
        model.set_logger(Logger(folder=None, output_formats=[]))

    @classmethod
    def create(cls, config: RunConfig, env: MakeEnv | None = None) -> SB3Trainer:
        """Return a trainer; no simulation runs before its first iteration."""
        torch.set_num_threads(config.threads)
        chosen = algorithm(config)
        hyperparameters(config)  # refuses faults before a simulation reports the spaces
        warn_without_noise(config)
        if config.residual is not None:
            require_correctable(config)
        if config.rollouts != "through-python":
            chosen = _in_simulation(config)
        vec: VecEnv
        if env is None:
            vec = _environment(config)
        else:
            vec = VecMonitor(BestResponseVecEnv(env, config.simulations), info_keywords=(SCORE,))
        try:
            features = _features(config, vec)
            if features is not None:
                vec = FeatureVecEnv(vec, features.views[SHARED])
            base = None if config.residual is None else Base.of_training(config, vec.unwrapped)
            if base is not None:
                vec = ResidualVecEnv(vec, base)
            vec = _scaled(config, vec)
            if config.teacher is not None:
                require_imitator(config, vec.action_space)
            model = _model(config, chosen, vec)
            if config.rollouts != "through-python":
                model.require_playable()
            return cls(config, model, features, base)
        except BaseException:
            vec.close()
            raise

    def iterate(self) -> Iteration:
        """Collect a rollout and learn from it, several times if rollouts are short.

        Only decisions end an iteration, so evaluations and checkpoints do not depend on the load of
        the machine. An interruption ends the call after the rollout; the next call is the rest.
        """
        begun, waited = time.perf_counter(), self._vec.waited_s
        simulated = self._vec.simulated_s
        self._generators.use()
        self._begin()
        self._require_masks()
        whole = self._learn()
        self._generators.keep()
        done, lost = (self._model.num_timesteps, self._vec.episodes), self._vec.take_losses()
        if not whole:
            return Iteration(*done, whole=False, lost=lost)
        metrics = self._metrics.take()
        lasted = time.perf_counter() - begun
        if isinstance(self._vec, SB3VecEnvBase):
            metrics["simulation_share"] = (self._vec.waited_s - waited) / lasted
            metrics["simulated_s_per_s"] = (self._vec.simulated_s - simulated) / lasted
        return Iteration(*done, metrics, lost=lost)

    def imitate(self, lessons: Sequence[Lesson], teacher: Teacher) -> dict[str, float]:
        """See `Trainer.imitate`.

        Returns:
            The result of `imitation.imitate()`. `agreement_before` and `regret_before` judge the
            previous policy by the labels of the last round, from which it has not learned.
        """
        self._generators.use()
        self._begin()
        self._require_masks()
        policy, gamma = self._model.policy, self._model.gamma
        view = None if self._features is None else self._features.views[SHARED]
        latest = [each for each in lessons if each.round == lessons[-1].round]
        judged = judge(policy, read_examples(latest, policy, view, gamma))
        examples = read_examples(lessons, policy, view, gamma)
        vf_coef = getattr(self._model, "vf_coef", 0.5)  # TRPO learns values separately
        figures = imitate(policy, examples, teacher, vf_coef)
        self._generators.keep()
        return {**figures, **{f"{name}_before": value for name, value in judged.items()}}

    def save(self, folder: Path) -> None:
        self._begin()
        states = {"metrics": self._metrics.state_dict(), "random": self._generators.state}
        state.save(folder, self._model, states)
        if self._features is not None:
            self._features.save(folder)
        if self._base is not None:
            self._base.save(folder)

    def restore(self, folder: Path) -> None:
        RunFeatures.load(self._config, folder)
        self._model._last_obs = ()  # restored simulations must not begin again
        self._begin()
        states = state.restore(folder, self._model)
        self._metrics.load_state_dict(states["metrics"])
        self._generators.state = states["random"]

    def policy(self) -> Policy:
        copied = SB3Policy.copy_of(self._model.policy, self._model.get_vec_normalize_env())
        return _observing(self._features, self._base, copied)

    def start_from(self, folder: Path) -> None:
        refuse_features(folder)
        try:
            is_response = (folder / _RESPONSE).is_file()
            policy: Any = (
                self.open_policy(folder)
                if is_response
                else state.load_policy(folder, type(self._model))
            )
            self._model.policy.load_state_dict(policy.network.state_dict())
        except (OSError, RuntimeError, ValueError) as error:
            raise ParameterError(
                f"the policy in {folder} has other networks than this one: {error}"
            ) from error

    @classmethod
    def save_policy(cls, policy: Any, folder: Path) -> None:
        torch.save(policy.network, folder / _RESPONSE)

    @classmethod
    def open_policy(cls, folder: Path) -> Policy:
        return SB3Policy(torch.load(opened(folder / _RESPONSE), weights_only=False), None)

    def close(self) -> None:
        self._model.env.close()

    @classmethod
    def load_policy(cls, config: RunConfig, folder: Path) -> Policy:
        features = RunFeatures.load(config, folder)
        hyperparameters(config)  # imports the files whose classes the pickles name
        policy = state.load_policy(folder, algorithm(config))
        base = None
        if features is not None and config.residual is not None:
            spaces = features.views[SHARED].observed, origin_of(policy.network.action_space)
            base = Base.load(config, folder, spaces)
        return _observing(features, base, policy)

    @classmethod
    def spaces(cls, policy: Any) -> list[Spaces]:
        view, inner = parts_of(policy)
        observed = origin_of(inner.network.observation_space) if view is None else view.observed
        return [(observed, origin_of(inner.network.action_space))]

    @classmethod
    def network(cls, config: RunConfig, policy: Any, agent: str, spaces: Spaces) -> torch.nn.Module:
        view, inner = parts_of(policy)
        network = SB3Network(inner.network, inner.normalizer)
        if isinstance(policy, ResidualPolicy):
            return FeatureNetwork(policy.base.graph(policy.features.views[SHARED]), network)
        return network if view is None else FeatureNetwork(view, network)

    # ------------------------------------------------------------------ inside

    def _begin(self) -> None:
        """Do the work of `learn()` before its first step, once."""
        if self._begun:
            return
        self._model._setup_learn(self._config.steps, self._metrics, reset_num_timesteps=False)
        self._begun = True

    def _require_masks(self) -> None:
        if self._config.algorithm == "MaskablePPO" and not self._model.env.has_attr("action_masks"):
            raise ParameterError(
                f"MaskablePPO needs an {MASK!r}, which {self._config.env} does not send; use PPO"
            )

    def _learn(self) -> bool:
        """Learn from rollouts; return whether the iteration's end was reached.

        The result does not depend on the ends of iterations.
        """
        off_policy = isinstance(self._model, OffPolicyAlgorithm)
        learn_once = self._learn_off_policy if off_policy else self._learn_on_policy
        iterations = self._model.num_timesteps // _DECISIONS  # independent of interruptions
        goal = min((iterations + 1) * _DECISIONS, self._config.steps)
        learn_once()
        while self._model.num_timesteps < goal and not self.is_to_stop():
            learn_once()
        return bool(self._model.num_timesteps >= goal)

    def _learn_on_policy(self) -> None:
        model = self._model
        if self._log_std is not None:
            set_log_std(model.policy, self._log_std(model._current_progress_remaining))
        model.collect_rollouts(model.env, self._metrics, model.rollout_buffer, model.n_steps)
        model._update_current_progress_remaining(model.num_timesteps, self._config.steps)
        if self._entropy is not None:
            model.ent_coef = self._entropy(model._current_progress_remaining)
        model.train()

    def _learn_off_policy(self) -> None:
        model = self._model
        rollout = model.collect_rollouts(
            model.env,
            self._metrics,
            model.train_freq,
            model.replay_buffer,
            action_noise=model.action_noise,
            learning_starts=model.learning_starts,
        )
        if model.num_timesteps > model.learning_starts:
            steps = model.gradient_steps
            steps = steps if steps >= 0 else rollout.episode_timesteps
            if steps > 0:
                model.train(batch_size=model.batch_size, gradient_steps=steps)


class _ZeroBasedEnv(gymnasium.Wrapper[Any, Any, Any, Any]):
    """An environment with actions and masks in the form of SB3."""

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        super().__init__(env)
        self.action_space = zero_based(env.action_space)
        self._last: tuple[Any, dict[str, Any]] = None, {}

    def reset(self, **arguments: Any) -> tuple[Any, dict[str, Any]]:
        self._last = self.env.reset(**arguments)
        return self._last

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        chosen = to_agent(self.action_space, action)
        step = self.env.step(int(chosen) if chosen.ndim == 0 else chosen)
        self._last = step[0], step[-1]
        return step

    def action_masks(self) -> Mask:
        """Return the choices that are allowed now, for MaskablePPO."""
        mask = read_mask("the agent", self.env.action_space, *self._last)
        if mask is None:
            raise ParameterError(f"MaskablePPO needs an {MASK!r}; use PPO")
        return mask


class BestResponseVecEnv(DummyVecEnv):
    """Copies of a Gymnasium environment, with the counters that `SB3Trainer` reads."""

    waited_s = simulated_s = 0.0  # unknown

    def __init__(self, make: MakeEnv, count: int) -> None:
        super().__init__([lambda: _ZeroBasedEnv(make())] * count)
        self.agents = ["agent"] * count
        self.episodes = 0

    @property
    def failures(self) -> int:
        """The number of lost simulations."""
        return sum(each.count for each in self.get_attr("losses"))

    def take_losses(self) -> list[str]:
        """Return the messages of the lost simulations since the last call."""
        return [message for each in self.get_attr("losses") for message in each.take()]

    def step_wait(self) -> Any:
        """See `VecEnv`; count episodes, and raise errors of simulations that last."""
        step = super().step_wait()
        for each in self.get_attr("losses") if step[2].any() else ():
            if each.lasting is not None:
                raise each.lasting
        self.episodes += int(step[2].sum())
        return step
