# SPDX-License-Identifier: GPL-2.0-only
"""Policies that BenchMARL has trained, as plain networks: they play without BenchMARL."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from gymnasium import spaces

from defiance_zoo.bridge.codec.masks import observes_mask, read_mask
from defiance_zoo.environments.shared_methods import flatten_observation
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.evaluation import Spaces
from defiance_zoo.experiments.training.export.network import ActionHead
from defiance_zoo.experiments.workbench.origin import load_pickle

_FILE = "policy.pkl"


@dataclass(frozen=True)
class BenchMARLPolicy:
    """The most probable action, or the mean, of each agent's network.

    The outputs for a Box are scaled to [-1, 1].

    Attributes:
        networks: Networks from flat observations without a mask to the outputs of `ActionHead`, by
            the name of the policy.
    """

    networks: dict[str, torch.nn.Module]
    spaces: Spaces
    shared: bool

    def reset(self) -> None:
        """See `Policy`; the networks have no state."""

    def name(self, agent: str) -> str:
        """Return the name of an agent's network."""
        if self.shared:
            return "shared"
        if agent not in self.networks:
            raise ParameterError(
                f"policies='individual' has no policy for {agent!r}; there are "
                f"{sorted(self.networks)}"
            )
        return agent

    def act(self, agent: str, observation: Any, info: dict[str, Any]) -> Any:
        observed, actions = self.spaces
        flat = flatten_observation(observed, observation).astype(np.float32)
        with torch.no_grad():
            outputs = self.networks[self.name(agent)](torch.from_numpy(flat)[None])
            if isinstance(actions, spaces.Discrete):
                mask = read_mask(agent, actions, observation, info)
                if mask is not None:
                    outputs[:, torch.from_numpy(~mask)] = -torch.inf
            action = ActionHead(actions, unsquash=True)(outputs)[0].numpy()
        return int(action) if isinstance(actions, spaces.Discrete) else action.astype(actions.dtype)

    def network(self, agent: str) -> torch.nn.Module:
        """Return the network of a policy file; see `Trainer.network`."""
        observed, actions = self.spaces
        if observes_mask(observed):
            raise ParameterError("the policy cannot be exported: a policy file has no action masks")
        head = ActionHead(actions, unsquash=True)
        return torch.nn.Sequential(self.networks[self.name(agent)], head)

    def save(self, folder: Path) -> None:
        """Write the policy into a folder."""
        (folder / _FILE).write_bytes(pickle.dumps(self))

    @staticmethod
    def load(folder: Path) -> BenchMARLPolicy:
        """Return the policy that `save()` wrote, from a private copy; see `origin`."""
        policy: BenchMARLPolicy = load_pickle(folder / _FILE)
        return policy
