# SPDX-License-Identifier: GPL-2.0-only
"""Training of runs with RLlib."""

from __future__ import annotations

import contextlib
import copy
import logging
import math
import pickle
import statistics
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from gymnasium.spaces import Box

from defiance_zoo.environments import lookup
from defiance_zoo.experiments.evaluation import Policy, Spaces
from defiance_zoo.experiments.training.configuration import RunConfig
from defiance_zoo.experiments.training.features import (
    SHARED,
    FeatureNetwork,
    FeaturePolicy,
    RunFeatures,
    feature_source,
    observing,
)
from defiance_zoo.experiments.training.rllib import best_response
from defiance_zoo.experiments.training.rllib.algorithms import (
    apply_hyperparameters,
    build_algorithm,
    count_decisions,
    ray_session,
    read_hyperparameters,
)
from defiance_zoo.experiments.training.rllib.policy import (
    SETUP,
    PolicySetup,
    RLlibNetwork,
    RLlibPolicy,
)
from defiance_zoo.experiments.training.trainer import SCORE, Iteration, MakeEnv, Trainer
from defiance_zoo.experiments.workbench.origin import load_pickle, opened
from defiance_zoo.wrappers.rllib import RLlibEnv
from defiance_zoo.wrappers.rllib.config import find_algorithm, rllib_config
from defiance_zoo.wrappers.rllib.policies import PolicyMapping

_MODULES = "learner_group/learner/rl_module"
_REST = "rest.pkl"


def algorithm_config(config: RunConfig, built: Any = None) -> Any:
    """Return RLlib's configuration of a run, by default in the run's environment."""
    if built is None:
        # Faults are refused before a simulation reports the spaces.
        read_hyperparameters(find_algorithm(config.algorithm).config(), config)
        masked = lookup(config.env).scenario.heeds_masks(config.parameters)
        arguments = {"action_masks": masked, **config.parameters}
        source = None if config.features is None else feature_source(config)
        built = rllib_config(
            config.algorithm, config.env, policies=config.policies, features=source, **arguments
        )
    built.env_runners(
        num_env_runners=config.runners, num_envs_per_env_runner=config.simulations
    ).debugging(seed=config.seed, log_level="ERROR")
    count_decisions(built)
    apply_hyperparameters(built, config)
    return built


class RLlibTrainer(Trainer):
    """See `Trainer`; uses an algorithm of RLlib, and saves its whole state."""

    def __init__(self, config: RunConfig, env: MakeEnv | None = None) -> None:
        """Build the algorithm, on the running Ray or on a new one that `close()` ends."""
        logging.getLogger("ray.rllib").setLevel(logging.ERROR)
        if env is None:
            built = algorithm_config(config)
            self._setup, self._features = _between(config, built)
        else:
            self._setup, built = best_response.configure(config, env)
            built, self._features = algorithm_config(config, built), None
        self._config, self._responds = config, env is not None
        self._simulated_s: float | None = 0.0
        self._algorithm, self._session = build_algorithm(built, config.ray_address)

    @classmethod
    def create(cls, config: RunConfig, env: MakeEnv | None = None) -> RLlibTrainer:
        torch.set_num_threads(config.threads)
        return cls(config, env)

    def iterate(self) -> Iteration:
        begun = time.perf_counter()
        result = self._algorithm.train()
        lasted = time.perf_counter() - begun
        runners = result.get("env_runners", {})
        steps = runners.get("num_agent_steps_sampled_lifetime", {})
        metrics = dict(_metrics(result, self._algorithm.config.num_envs_per_env_runner))
        simulated, before = runners.get("simulated_s", 0.0), self._simulated_s
        if (
            before is not None and not self._responds
        ):  # a resumed run lacks the sum of its earlier part
            metrics["simulated_s_per_s"] = float(simulated - before) / lasted
        self._simulated_s = simulated
        return Iteration(
            steps=int(sum(steps.values())),
            episodes=int(runners.get("num_episodes_lifetime", 0)),
            metrics=metrics,
            lost=result.get("lost", ()),
        )

    def save(self, folder: Path) -> None:
        """Write RLlib's checkpoint, and the state that RLlib leaves out."""
        folder = folder.resolve()
        self._algorithm.save_to_path(folder)
        (folder / SETUP).write_bytes(pickle.dumps(self._setup))
        if self._features is not None:
            self._features.save(folder)
        buffer = self._algorithm.local_replay_buffer
        rest = {
            "kl_coefficients": self._foreach_learner(_get_kl_coefficients),
            "replay_buffer": None if buffer is None else buffer.get_state(),
        }
        (folder / _REST).write_bytes(pickle.dumps(rest))

    def restore(self, folder: Path) -> None:
        self._simulated_s = None
        algorithm, folder = self._algorithm, folder.resolve()
        RunFeatures.load(self._config, folder)
        algorithm.restore_from_path(opened(folder))
        rest = load_pickle(folder / _REST)
        (coefficients, *_) = rest["kl_coefficients"]
        self._foreach_learner(lambda learner: _set_kl_coefficients(learner, coefficients))
        if rest["replay_buffer"] is not None:
            algorithm.local_replay_buffer.set_state(rest["replay_buffer"])
        _bring_up_to_date(algorithm)

    def policy(self) -> Policy:
        if self._responds:
            return best_response.current_policy(self._setup, self._algorithm)
        modules = copy.deepcopy(self._algorithm.env_runner.module)
        modules.set_state(_weights(self._algorithm))
        policy = RLlibPolicy(self._setup, dict(modules.items()))
        return observing(self._features, policy, self._setup.mapping)

    def close(self) -> None:
        """End the algorithm, its simulations and, if this object started it, Ray."""
        algorithm, self._algorithm = self._algorithm, None
        if algorithm is not None:
            algorithm.stop()
            self._session.close()

    @classmethod
    def load_policy(cls, config: RunConfig, folder: Path) -> Policy:
        """See `Trainer.load_policy`; does not start Ray."""
        features = RunFeatures.load(config, folder.resolve())
        # Imports the files whose classes the pickles name.
        read_hyperparameters(find_algorithm(config.algorithm).config(), config)
        policy = RLlibPolicy.load(folder, _MODULES)
        return observing(features, policy, policy.setup.mapping)

    @classmethod
    def session(cls, config: RunConfig) -> contextlib.AbstractContextManager[None]:
        """Keep Ray running in a context, and end it if this call started it."""
        return ray_session(config.ray_address, config.runners)

    def start_from(self, folder: Path) -> None:
        best_response.start_from(self._setup, self._algorithm, folder)

    @classmethod
    def save_policy(cls, policy: Any, folder: Path) -> None:
        policy.modules[SHARED].save_to_path(folder.resolve() / SHARED)
        (folder / SETUP).write_bytes(pickle.dumps(policy.setup))

    @classmethod
    def open_policy(cls, folder: Path) -> Policy:
        return RLlibPolicy.load(folder)

    @classmethod
    def policy_name(cls, policy: Any, agent: str) -> str:
        return _inner(policy).setup.mapping(agent)

    @classmethod
    def spaces(cls, policy: Any) -> list[Spaces] | None:
        """See `Trainer.spaces`; setups of older versions do not hold them."""
        views = policy.features.views if isinstance(policy, FeaturePolicy) else {}
        encodings = _inner(policy).setup.encodings
        if not all(hasattr(each, "agent_spaces") for each in encodings.values()):
            return None
        return [
            (views[name].observed, each.agent_spaces[1]) if name in views else each.agent_spaces
            for name, each in encodings.items()
        ]

    @classmethod
    def network(cls, config: RunConfig, policy: Any, agent: str, spaces: Spaces) -> torch.nn.Module:
        actions, name = spaces[1], cls.policy_name(policy, agent)
        scaled = isinstance(actions, Box) and actions.is_bounded()
        module = _inner(policy).modules[name]
        network = RLlibNetwork(module, actions, normalize_actions=scaled)
        if not isinstance(policy, FeaturePolicy):
            return network
        return FeatureNetwork(policy.features.views[name], network)

    def _foreach_learner(self, what: Any) -> list[Any]:
        results = self._algorithm.learner_group.foreach_learner(what)
        return [each.get() for each in results]


def _between(config: RunConfig, built: Any) -> tuple[PolicySetup, RunFeatures | None]:
    """Return the encodings between agents and networks; a short simulation reports the agents."""
    mapping: PolicyMapping = built.policy_mapping_fn
    with contextlib.closing(RLlibEnv(built.env_config)) as env:
        encodings = {mapping(agent): each for agent, each in env.encodings.items()}
    setup = PolicySetup(mapping, encodings)
    if config.features is None:
        return setup, None
    mapping.spaces_of(
        {name: (view.observed, env.get_action_space(name)) for name, view in env.views.items()}
    )
    views = {mapping(agent): view for agent, view in env.views.items()}
    return setup, RunFeatures(feature_source(config), views)


def _inner(policy: Any) -> RLlibPolicy:
    """Return the policy that observes features, or the policy itself."""
    found: Any = policy.policy if isinstance(policy, FeaturePolicy) else policy
    inner: RLlibPolicy = found
    return inner


def _get_kl_coefficients(learner: Any) -> dict[str, float]:
    """Return PPO's adaptive coefficients, which RLlib's checkpoints leave out."""
    return {
        policy: float(value)
        for policy, value in getattr(learner, "curr_kl_coeffs_per_module", {}).items()
    }


def _set_kl_coefficients(learner: Any, coefficients: dict[str, float]) -> None:
    for policy, value in coefficients.items():
        learner.curr_kl_coeffs_per_module[policy].data.fill_(value)


def _weights(algorithm: Any) -> Any:
    state = algorithm.learner_group.get_state(components="learner/rl_module", inference_only=True)
    return state["learner"]["rl_module"]


def _bring_up_to_date(algorithm: Any) -> None:
    """Give each env runner the learner's weights and the number of steps, and wait for them.

    RLlib sends weights without waiting, and drops them if an earlier message is pending. Runners
        refuse weights with an old sequence number, but accept weights without a number. Seeds
        continue, too: with the first seeds, runners would repeat the first simulations.
    """
    steps = int(
        algorithm.metrics.peek(("env_runners", "num_env_steps_sampled_lifetime"), default=0)
    )
    state = {"rl_module": _weights(algorithm), "num_env_steps_sampled_lifetime": steps}

    def take(runner: Any) -> None:
        runner.set_state(state)
        if runner._seed is not None:
            runner._seed += steps

    algorithm.env_runner_group.foreach_env_runner(take)


def _metrics(result: dict[str, Any], simulations: int) -> Iterator[tuple[str, float]]:
    """Yield the run's metrics from RLlib's result, except for unknown values."""
    runners = result.get("env_runners", {})
    lost = result.get("env_runners_lost", 0) * simulations
    returns = runners.get("agent_episode_returns_mean", {})  # a best response has none
    # Of several agents, RLlib's metric is the sum.
    mean = statistics.fmean(returns.values()) if returns else runners.get("episode_return_mean")
    found: dict[str, Any] = {
        "return/mean": mean,
        "length/mean": runners.get("episode_len_mean"),
        SCORE: runners.get(SCORE),
        "failures": runners.get("simulation_failures", 0) + lost,
        "simulation_share": runners.get("simulation_share"),
    }
    for agent, value in returns.items():
        found[f"return/{agent}"] = value
    for agent, infos in runners.get("scenario_infos", {}).items():
        found.update({f"info/{agent}/{name}": value for name, value in infos.items()})
    for policy, values in result.get("learners", {}).items():
        for name, value in values.items() if policy != "__all_modules__" else ():
            kind = "loss" if "loss" in name else "learner"
            found[f"{kind}/{policy}/{name}"] = value
    for name, value in found.items():
        if isinstance(value, int | float) and not math.isnan(value):
            yield name, float(value)
