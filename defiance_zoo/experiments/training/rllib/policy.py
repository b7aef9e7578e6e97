# SPDX-License-Identifier: GPL-2.0-only
"""Trained policies of RLlib, without Ray, and their networks for policy files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import tree  # type: ignore[import-untyped] # RLlib's library of nested values
from gymnasium import spaces
from gymnasium.spaces.utils import flatdim
from ray.rllib.algorithms.dqn.dqn_learner import QF_PREDS
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.rl_module import RLModule
from ray.rllib.utils.torch_utils import convert_to_torch_tensor

from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.training.export.network import ActionHead, unflatten
from defiance_zoo.experiments.workbench.origin import load_pickle, opened
from defiance_zoo.wrappers.rllib.policies import PolicyMapping
from defiance_zoo.wrappers.rllib.spaces import Encoding

SETUP = "policies.pkl"
"""The file of a setup."""


@dataclass(frozen=True)
class PolicySetup:
    """The encodings between agents and the networks of their policies."""

    mapping: PolicyMapping
    encodings: dict[str, Encoding]


class RLlibPolicy:
    """See `Policy`: the most probable action, or the mean."""

    def __init__(self, setup: PolicySetup, modules: dict[str, Any]) -> None:
        self.setup = setup
        self.modules = modules
        self._states: dict[str, Any] = {}

    @staticmethod
    def load(folder: Path, modules: str = ".") -> RLlibPolicy:
        """Return the policies of a private copy; `modules`: the folder in it with the networks."""
        setup: PolicySetup = load_pickle(folder / SETUP)
        places = {name: folder.resolve() / modules / name for name in setup.encodings}
        return RLlibPolicy(setup, {name: load_module(each) for name, each in places.items()})

    def reset(self) -> None:
        self._states = {}

    def act(self, agent: str, observation: Any, info: dict[str, Any]) -> Any:
        name = self.setup.mapping(agent)
        module, encoding = self.modules[name], self.setup.encodings[name]
        dimensions = (None, None) if module.is_stateful() else (None,)  # batch, and time
        batch = {Columns.OBS: _batch(encoding.observation(observation, info), dimensions)}
        if module.is_stateful():
            state = self._states.get(agent)
            batch[Columns.STATE_IN] = state or _batch(module.get_initial_state(), (None,))
        with torch.no_grad():
            answer = module.forward_inference(batch)
            if Columns.STATE_OUT in answer:
                self._states[agent] = answer[Columns.STATE_OUT]
            actions = answer.get(Columns.ACTIONS)
            if actions is None:
                kind = module.get_inference_action_dist_cls()
                logits = answer[Columns.ACTION_DIST_INPUTS]
                actions = kind.from_logits(logits).to_deterministic().sample()
        first = tree.map_structure(lambda each: each.numpy()[(0,) * len(dimensions)], actions)
        return encoding.action(first)


def load_module(folder: Path) -> Any:
    """Return RLlib's module from a folder of a private copy; see `origin`."""
    return RLModule.from_checkpoint(opened(folder))


def _batch(values: Any, dimensions: tuple[None, ...]) -> Any:
    """Return a batch of one, as tensors."""
    rows = tree.map_structure(lambda each: np.array(each)[dimensions], values)
    return convert_to_torch_tensor(rows)


class RLlibNetwork(torch.nn.Module):
    """Computes `forward_inference`, without exploration, and RLlib's connectors."""

    def __init__(
        self, module: Any, action_space: spaces.Space[Any], *, normalize_actions: bool = True
    ) -> None:
        super().__init__()
        if module.is_stateful() or isinstance(module.observation_space, spaces.Dict):
            raise ParameterError(
                f"{type(module).__name__} cannot be exported: a policy file has no action masks, "
                "and the state of RLlib's recurrent modules is not exported"
            )
        self._module = module
        self._space = module.observation_space
        self._reals = flatdim(action_space) if isinstance(action_space, spaces.Box) else None
        self._binary = isinstance(action_space, spaces.MultiBinary)
        self._head = ActionHead(action_space, unsquash=normalize_actions)

    def forward(self, observation: torch.Tensor) -> torch.Tensor:
        """Return actions, (batch, ...), for flat observations, (batch, n) float32."""
        batch = {Columns.OBS: unflatten(self._space, observation)}
        if hasattr(self._module, "pi"):
            head_inputs = self._module.forward_inference(batch)[Columns.ACTION_DIST_INPUTS]
        else:  # DQN would return the action
            head_inputs = self._module.compute_q_values(batch)[QF_PREDS]
        if self._binary:  # two choices for each element, off and on
            head_inputs = head_inputs[:, 1::2] - head_inputs[:, 0::2]
        # The outputs for a Box are means and deviations.
        actions: torch.Tensor = self._head(
            head_inputs[:, : self._reals] if self._reals else head_inputs
        )
        return actions
