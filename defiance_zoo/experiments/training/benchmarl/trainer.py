# SPDX-License-Identifier: GPL-2.0-only
"""Training of runs with BenchMARL, over a vector of simulations, and its metrics."""

from __future__ import annotations

import pickle
import time
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from defiance_zoo.bridge.system.extras import import_optional
from defiance_zoo.environments import MultiAgentVectorEnv, lookup
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.evaluation import Policy, Spaces
from defiance_zoo.experiments.training.benchmarl.policy import BenchMARLPolicy
from defiance_zoo.experiments.training.configuration import RunConfig
from defiance_zoo.experiments.training.features import (
    SHARED,
    FeatureNetwork,
    RunFeatures,
    feature_source,
    observing,
    parts_of,
)
from defiance_zoo.experiments.training.generators import Generators
from defiance_zoo.experiments.training.trainer import Iteration, MakeEnv, Trainer
from defiance_zoo.experiments.workbench.origin import load_pickle
from defiance_zoo.wrappers.features import FeatureView

_STATE = "state.pkl"
_FAULTS = NotImplementedError, TypeError, ValueError
"""Errors of BenchMARL and TorchRL for values that they do not support."""


class BenchMARLTrainer(Trainer):
    """See `Trainer`: iterations of BenchMARL's `Experiment`, in one process.

    An iteration collects steps of all simulations, and learns from them. An interruption ends the
    collection; the next call is the rest.
    """

    def __init__(self, config: RunConfig) -> None:
        """Make the simulations' vector and the networks; no simulation runs before a step."""
        module = import_optional(f"{__package__}.experiment", "benchmarl")
        wrapper = import_optional("defiance_zoo.wrappers.torchrl_vector", "benchmarl")
        arguments = module.read_hyperparameters(config)  # refuses faults before simulations start
        if isinstance(config.policies, dict):
            raise ParameterError("library='benchmarl' has policies='shared' or 'individual'")
        options = {"restart_on_failure": True, "resumable": True, **config.parameters}
        venv = lookup(config.env).multi_agent_vector_env(
            config.simulations,
            autoreset_mode=AutoresetMode.DISABLED,
            max_agents=config.max_agents,
            **options,
        )
        try:
            view = None
            if config.features is not None:
                view = FeatureView(feature_source(config), venv.single_observation_space)
            self._env = wrapper.TorchRLVecEnv(venv, view)
            self._env.set_seed(config.seed)
            self._experiment = module.ZooExperiment(self._env, arguments, config.steps)
        except BaseException as error:
            venv.close()
            if isinstance(error, ParameterError) or not isinstance(error, _FAULTS):
                raise
            raise ParameterError(f"{config.algorithm} on {config.env}: {error}") from error
        self._config, self._venv, self._view = config, venv, view
        self._metrics, self._generators = Metrics(venv), Generators()
        self._env.observer = self._metrics.note
        self._observed: Any = None
        self._steps: list[Any] = []

    @classmethod
    def create(cls, config: RunConfig, env: MakeEnv | None = None) -> BenchMARLTrainer:
        torch.set_num_threads(config.threads)
        return cls(config)

    def iterate(self) -> Iteration:
        """Collect steps, and learn from them."""
        begun, waited = time.perf_counter(), self._env.waited_s
        simulated = self._simulated_ns()
        self._generators.use()
        if self._observed is None:
            self._observed = self._env.reset()
        while len(self._steps) < self._experiment.steps and not self.is_to_stop():
            step, self._observed = self._experiment.act(self._observed)
            self._steps.append(step)
        whole = len(self._steps) >= self._experiment.steps
        losses = self._experiment.learn(self._steps) if whole else {}
        self._generators.keep()
        done, lost = (self._metrics.decisions, self._metrics.episodes), self._venv.losses.take()
        if not whole:
            return Iteration(*done, whole=False, lost=lost)
        self._steps, lasted = [], time.perf_counter() - begun
        metrics = {**self._metrics.take(), **losses}
        metrics["simulation_share"] = (self._env.waited_s - waited) / lasted
        metrics["simulated_s_per_s"] = (self._simulated_ns() - simulated) / 1e9 / lasted
        return Iteration(*done, metrics, lost=lost)

    def save(self, folder: Path) -> None:
        state = {
            "experiment": self._experiment.state_dict(),
            "simulations": None if self._observed is None else self._env.state_dict(),
            "observed": self._observed,
            "steps": self._steps,
            "metrics": self._metrics.state_dict(),
            "random": self._generators.state,
        }
        (folder / _STATE).write_bytes(pickle.dumps(state))
        self._plain_policy().save(folder)
        if self._view is not None:
            RunFeatures(feature_source(self._config), {SHARED: self._view}).save(folder)

    def restore(self, folder: Path) -> None:
        RunFeatures.load(self._config, folder)
        state = load_pickle(folder / _STATE)
        self._experiment.load_state_dict(state["experiment"])
        if state["simulations"] is not None:
            self._env.load_state_dict(state["simulations"])
        self._observed, self._steps = state["observed"], state["steps"]
        self._metrics.load_state_dict(state["metrics"])
        self._generators.state = state["random"]

    def policy(self) -> Policy:
        views = {} if self._view is None else {SHARED: self._view}
        features = RunFeatures(feature_source(self._config), views) if views else None
        return observing(features, self._plain_policy())

    def close(self) -> None:
        self._venv.close()

    @classmethod
    def load_policy(cls, config: RunConfig, folder: Path) -> Policy:
        """See `Trainer.load_policy`; needs PyTorch, but not BenchMARL."""
        features = RunFeatures.load(config, folder)
        return observing(features, BenchMARLPolicy.load(folder))

    @classmethod
    def policy_name(cls, policy: Any, agent: str) -> str:
        inner: BenchMARLPolicy = parts_of(policy)[1]
        return inner.name(agent)

    @classmethod
    def spaces(cls, policy: Any) -> list[Spaces]:
        view, inner = parts_of(policy)
        return [(inner.spaces[0] if view is None else view.observed, inner.spaces[1])]

    @classmethod
    def network(cls, config: RunConfig, policy: Any, agent: str, spaces: Spaces) -> torch.nn.Module:
        view, inner = parts_of(policy)
        network = inner.network(agent)
        return network if view is None else FeatureNetwork(view, network)

    # ------------------------------------------------------------------ inside

    def _plain_policy(self) -> BenchMARLPolicy:
        shared = self._config.policies == "shared"
        names = [SHARED] if shared else self._venv.possible_agents
        return BenchMARLPolicy(
            dict(zip(names, self._experiment.networks(), strict=False)),
            (
                self._venv.single_observation_space if self._view is None else self._view.space,
                self._venv.single_action_space,
            ),
            shared=shared,
        )

    def _simulated_ns(self) -> int:
        return self._metrics.simulated_ns + int(self._env.simulated_ns)


_LATELY = 100
"""Number of last episodes in means."""

_NOT_OF_THE_SCENARIO = {"alive", "deciding", "sim_time_ns"}


class Metrics:
    """Sums over the steps of a vector."""

    def __init__(self, venv: MultiAgentVectorEnv) -> None:
        self._venv = venv
        self.decisions = self.episodes = self.simulated_ns = 0
        rows = venv.num_envs, venv.max_agents
        self._returns, self._lengths = np.zeros(rows), np.zeros(rows, np.int64)
        self._ended: deque[tuple[NDArray[Any], NDArray[Any]]] = deque(maxlen=_LATELY)
        self._infos: dict[str, NDArray[Any]] = {}

    def note(
        self,
        acted: NDArray[np.bool_],
        rewards: NDArray[Any],
        over: NDArray[np.bool_],
        infos: Mapping[str, Any],
    ) -> None:
        """See `Observer` of `defiance_zoo.wrappers.torchrl_vector`."""
        self.decisions += int(acted.sum())
        self._returns += rewards
        self._lengths += acted
        for member in np.flatnonzero(over):
            self.episodes += 1
            self.simulated_ns += int(infos["sim_time_ns"][member])
            self._ended.append((self._returns[member].copy(), self._lengths[member].copy()))
        self._returns[over], self._lengths[over] = 0, 0
        for name, values in infos.items():
            if name in _NOT_OF_THE_SCENARIO or f"_{name}" not in infos or values.dtype == object:
                continue
            known = infos[f"_{name}"]
            sums = np.stack([np.where(known, values, 0).sum(axis=0), known.sum(axis=0)])
            self._infos[name] = self._infos.get(name, 0) + sums

    def take(self) -> dict[str, float]:
        """Return the metrics of an iteration, and begin the next."""
        found: dict[str, float] = {}
        agents = self._venv.possible_agents
        if self._ended:
            returns, lengths = (np.stack(each) for each in zip(*self._ended, strict=True))
            present = lengths > 0
            found["return/mean"] = float(returns[present].mean()) if present.any() else 0.0
            found["length/mean"] = float(lengths[present].mean()) if present.any() else 0.0
            for row, agent in enumerate(agents):
                if present[:, row].any():
                    found[f"return/{agent}"] = float(returns[present[:, row], row].mean())
        for name, (totals, counts) in self._infos.items():
            for row, agent in enumerate(agents):
                if counts[row]:
                    found[f"info/{agent}/{name}"] = float(totals[row] / counts[row])
        self._infos.clear()
        found["failures"] = float(self._venv.failures)
        return found

    def state_dict(self) -> dict[str, Any]:
        """Return the state, which can be pickled."""
        return {name: value for name, value in vars(self).items() if name != "_venv"}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue from the result of `state_dict()`."""
        vars(self).update(state)
