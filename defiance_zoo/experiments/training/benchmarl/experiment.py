# SPDX-License-Identifier: GPL-2.0-only
"""BenchMARL's experiment over a vector of simulations; this module imports BenchMARL."""

from __future__ import annotations

import copy
import dataclasses
import logging
import math
import warnings
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import torch
from benchmarl import algorithms
from benchmarl.experiment import Experiment, ExperimentConfig
from benchmarl.models import MlpConfig
from torchrl.data import Composite
from torchrl.envs.utils import ExplorationType, set_exploration_type
from torchrl.modules import MultiAgentMLP

from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.libraries.benchmarl import (
    CHOOSING,
    CONTINUOUS,
    ON_POLICY,
    config_name,
)
from defiance_zoo.experiments.libraries.library import require_known
from defiance_zoo.experiments.training.configuration import RunConfig
from defiance_zoo.experiments.training.hyperparameters import read_value
from defiance_zoo.wrappers.torchrl_vector import GROUP, TorchRLVecEnv

logging.getLogger("torchrl").setLevel(logging.WARNING)  # it prints the sizes of buffers
warnings.filterwarnings("ignore", "size_average and reduce args", UserWarning)  # TorchRL's losses

_MODELS = ("model", "critic_model")


def read_hyperparameters(config: RunConfig) -> dict[str, Any]:
    """Return BenchMARL's configurations of a run, as arguments of `Experiment`."""
    algorithm = getattr(algorithms, config_name(config.algorithm)).get_from_yaml()
    experiment = ExperimentConfig.get_from_yaml()
    models = {name: MlpConfig.get_from_yaml() for name in _MODELS}
    for name, value in config.hyperparameters.items():
        if name in _MODELS:
            if not isinstance(value, Mapping):
                raise ParameterError(
                    f"{name}={value!r} is not a mapping, such as {{num_cells: [64]}}"
                )
            for key, each in value.items():
                known = [field.name for field in dataclasses.fields(MlpConfig)]
                require_known(f"key of {name}", key, known)
                setattr(models[name], key, read_value(f"{name}.{key}", each, MlpConfig))
            continue
        owner = algorithm if hasattr(algorithm, name) else experiment
        setattr(owner, name, _checked(name, read_value(name, value, type(owner))))
    if "critic_model" not in config.hyperparameters:
        models["critic_model"] = dataclasses.replace(models["model"])
    kind = "on_policy" if config.algorithm in ON_POLICY else "off_policy"
    batch = f"{kind}_collected_frames_per_batch"
    steps = math.ceil(getattr(experiment, batch) / config.simulations)
    setattr(experiment, batch, steps * config.simulations)
    setattr(experiment, f"{kind}_n_envs_per_worker", config.simulations)
    experiment.share_policy_params = config.policies == "shared"
    experiment.evaluation, experiment.loggers, experiment.checkpoint_interval = False, [], 0
    return {
        "algorithm_config": algorithm,
        "config": experiment,
        "model_config": models["model"],
        "critic_model_config": models["critic_model"],
        "seed": config.seed,
    }


def _checked(name: str, value: Any) -> Any:
    """Refuse values that BenchMARL would refuse after simulations have started, or never."""
    if name in ("loss_function", "loss_critic_type"):
        require_known(name, value, ["l1", "l2", "smooth_l1"])
    if type(value) is int and value < 1:
        raise ParameterError(f"{name}={value} is not a positive number")
    return value


class ZooExperiment(Experiment):
    """BenchMARL's algorithm, losses, optimizers and buffer for a vector of simulations.

    It writes no files, and has no environment for evaluations.
    """

    def __init__(self, env: TorchRLVecEnv, arguments: dict[str, Any], steps: int) -> None:
        self.env = env
        arguments["config"].max_n_frames = max(1, steps // env.venv.max_agents)
        task = SimpleNamespace(get_replay_buffer_transforms=lambda _env, _group: [])
        super().__init__(task=task, **arguments)

    @property
    def steps(self) -> int:
        """Number of steps of the vector in an iteration."""
        frames: int = self.config.collected_frames_per_batch(self.on_policy)
        return frames // int(self.env.batch_size[0])

    def act(self, observed: Any) -> tuple[Any, Any]:
        """Let all agents explore for a step; return it, and the following observation."""
        with torch.no_grad(), set_exploration_type(ExplorationType.RANDOM):
            step, following = self.env.step_and_maybe_reset(self.policy(observed))
        return step, following

    def learn(self, steps: list[Any]) -> dict[str, float]:
        """Learn from the steps of an iteration, as BenchMARL does; return mean losses."""
        batch = torch.stack(steps, dim=1)
        frames, buffer = batch.numel(), self.replay_buffers[GROUP]
        buffer.extend(self.algorithm.process_batch(GROUP, batch).reshape(-1))
        config, on_policy = self.config, self.on_policy
        minibatch = config.train_minibatch_size(on_policy)
        count = math.ceil(config.train_batch_size(on_policy) / minibatch)
        repeated = config.n_optimizer_steps(on_policy) * count
        losses: Any = torch.stack([self._optimizer_loop(GROUP) for _ in range(repeated)])
        for module in self.policy.modules():
            if hasattr(module, "step"):  # exploration that ends
                module.step(frames)
        return {f"loss/{name}": float(value.mean()) for name, value in losses.items()}

    def networks(self) -> list[torch.nn.Sequential]:
        """Return copies of the agents' networks: one, if the agents share it."""
        model = next(each for each in self.policy.modules() if isinstance(each, MultiAgentMLP))
        shared = self.config.share_policy_params
        rows = [model.params.data] if shared else model.params.data.unbind(0)
        return [self._plain(model, row) for row in rows]

    def state_dict(self) -> dict[str, Any]:
        """Return the state of networks, optimizers, exploration and buffer."""
        buffer, updater = self.replay_buffers[GROUP], self.target_updaters[GROUP]
        optimizers = self.optimizers[GROUP]
        kept = len(buffer) and not self.on_policy
        return {
            "loss": self.losses[GROUP].state_dict(),
            "policy": self.policy.state_dict(),
            "optimizers": {name: each.state_dict() for name, each in optimizers.items()},
            "updates": getattr(updater, "counter", None),
            "buffer": buffer[:].clone() if kept else None,
            "writer": buffer.writer.state_dict() if kept else None,
            "sampler": buffer.sampler.state_dict(),
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue from the result of `state_dict()`."""
        self.losses[GROUP].load_state_dict(state["loss"])
        self.policy.load_state_dict(state["policy"])
        for name, each in state["optimizers"].items():
            self.optimizers[GROUP][name].load_state_dict(each)
        if state["updates"] is not None:
            self.target_updaters[GROUP].counter = state["updates"]
        buffer = self.replay_buffers[GROUP]
        if state["buffer"] is not None:
            buffer.extend(state["buffer"])
            buffer.writer.load_state_dict(state["writer"])
        buffer.sampler.load_state_dict(state["sampler"])

    # ------------------------------------------------------------------ parts of Experiment

    def _plain(self, model: MultiAgentMLP, row: Any) -> torch.nn.Sequential:
        """Return an agent's network from observations to logits, values of actions, or means."""
        net = copy.deepcopy(model._empty_net)
        row.clone().apply(torch.nn.Parameter).to_module(net)
        layers = list(net)
        if self.continuous_actions:
            last, size = layers[-1], self.action_spec[GROUP, "action"].shape[-1]
            layers[-1] = torch.nn.Linear(last.in_features, size)  # without deviations
            layers[-1].load_state_dict(
                {name: value[:size] for name, value in last.state_dict().items()}
            )
            algorithm = self.algorithm_config
            if getattr(algorithm, "use_tanh_normal", getattr(algorithm, "use_tanh_mapping", False)):
                layers.append(torch.nn.Tanh())
        return torch.nn.Sequential(*layers)

    def _set_action_type(self) -> None:
        algorithm, discrete = self.algorithm_config, self.env.discrete
        self.continuous_actions = not discrete
        if not (
            algorithm.supports_discrete_actions()
            if discrete
            else algorithm.supports_continuous_actions()
        ):
            name = algorithm.associated_class().__name__.upper()
            others = CHOOSING if discrete else CONTINUOUS
            raise ParameterError(
                f"{name} does not learn actions of {self.env.venv.single_action_space}; "
                f"{', '.join(others)} do"
            )

    def _setup_name(self) -> None:
        """Write no files."""

    def _setup_task(self) -> None:
        observed = self.env.full_observation_spec_unbatched
        group = observed[GROUP]
        self.action_mask_spec = None
        if self.env.discrete:
            masks = group.clone()
            del masks["observation"], group["action_mask"]
            self.action_mask_spec = Composite({GROUP: masks})
        self.observation_spec = Composite({GROUP: group})
        self.state_spec = observed.clone()
        del self.state_spec[GROUP]
        self.action_spec = self.env.full_action_spec_unbatched
        names = [str(row) for row in range(self.env.venv.max_agents)]
        self.group_map = self.train_group_map = {GROUP: names}
        self.test_env = self.env_func = None

    def _setup_collector(self) -> None:
        self.policy = self.algorithm.get_policy_for_collection()
        self.group_policies = {
            GROUP: self.policy.select_subsequence(out_keys=[(GROUP, "action")])[0]
        }

    def _setup_logger(self) -> None:
        """Keep no logs; the run has metrics."""
