# SPDX-License-Identifier: GPL-2.0-only
"""A run's features in its description, checkpoints, policies and policy files."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import torch

from defiance_zoo.bridge.codec import space_from_json, space_to_json
from defiance_zoo.bridge.system.reading import read_json
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.evaluation import Policy
from defiance_zoo.experiments.training.configuration import RunConfig
from defiance_zoo.experiments.workbench.origin import opened
from defiance_zoo.wrappers.features import FeatureSource, FeatureView

_FILE = "features.json"

Views = Mapping[str, FeatureView]
"""The features of each policy, by the policy's name."""

SHARED: Final = "shared"
"""The name of a policy that all agents share."""


def feature_source(config: RunConfig) -> FeatureSource:
    """Return the source of the features; for a residual without any, the flat observations."""
    if config.features is None:
        return FeatureSource("FrameStack", {"frames": 1})
    return FeatureSource(config.features, config.feature_options, config.seed)


@dataclass(frozen=True)
class RunFeatures:
    """The features that agents' policies observe instead of the agents' observations."""

    source: FeatureSource
    views: Views

    def save(self, folder: Path) -> None:
        """Write the source of the features into a policy's folder."""
        found = {
            "digest": self.source.digest(),
            "observed": {name: space_to_json(view.observed) for name, view in self.views.items()},
        }
        (folder / _FILE).write_text(json.dumps(found, indent=2), encoding="utf-8")

    @classmethod
    def load(cls, config: RunConfig, folder: Path) -> RunFeatures | None:
        """Return the features of a policy; None if the run has none."""
        if not config.flattened:
            return None
        source = feature_source(config)
        saved = read_json(opened(folder / _FILE))
        source.require_digest(saved["digest"])
        spaces = {name: space_from_json(text) for name, text in saved["observed"].items()}
        return cls(source, {name: FeatureView(source, each) for name, each in spaces.items()})


class FeaturePolicy:
    """A policy that observes features, and keeps each agent's state within an episode."""

    def __init__(
        self, policy: Policy, features: RunFeatures, name_of: Callable[[str], str]
    ) -> None:
        self.policy, self.features, self._name_of = policy, features, name_of
        self._states: dict[str, Any] = {}

    def reset(self) -> None:
        self.policy.reset()
        self._states = {}

    def act(self, agent: str, observation: Any, info: dict[str, Any]) -> Any:
        return self.policy.act(agent, self.observe(agent, observation), info)

    def observe(self, agent: str, observation: Any) -> Any:
        """Return the features of an agent's next observation."""
        view = self.features.views[self._name_of(agent)]
        observed, self._states[agent] = view.observe_one(observation, self._states.get(agent))
        return observed


def observing(
    features: RunFeatures | None, policy: Any, name_of: Callable[[str], str] = lambda _agent: SHARED
) -> Policy:
    """Return a policy that takes agents' observations, by features if there are any."""
    inner: Policy = policy
    return inner if features is None else FeaturePolicy(inner, features, name_of)


def parts_of(policy: Any) -> tuple[FeatureView | None, Any]:
    """Return the features that all agents share, if any, and the policy that observes them."""
    if isinstance(policy, FeaturePolicy):
        return policy.features.views[SHARED], policy.policy
    return None, policy


class FeatureNetwork(torch.nn.Module):
    """Features and the network of the policy that observes them, as one network.

    Its state is the features' state, followed by the network's.
    """

    def __init__(self, view: FeatureView, network: torch.nn.Module) -> None:
        super().__init__()
        self._view, self._network = view, network
        self._inner = int(getattr(network, "state_size", 0))
        self.state_size = view.state_size + self._inner

    def forward(self, observation: torch.Tensor, state: torch.Tensor | None = None) -> Any:
        """Return actions, (batch, ...), and the next states, (batch, state_size), if any."""
        if state is None:
            state = observation.new_zeros((observation.shape[0], 0))
        width = self._view.state_size
        observed, following = self._view(observation, state[:, :width])
        if not self._inner:
            actions = self._network(observed)
            return (actions, following) if self.state_size else actions
        actions, inner = self._network(observed, state[:, width:])
        return actions, torch.cat([following, inner], dim=1)


def check_features(config: RunConfig) -> None:
    """Refuse features that cannot be found, before simulations start."""
    if config.features is not None:
        feature_source(config).find()
        if config.rollouts != "through-python":
            raise ParameterError(
                f"features={config.features!r} cannot be used with rollouts={config.rollouts!r}: "
                "policies inside simulations have no state; use rollouts='through-python'"
            )
    elif config.feature_options:
        raise ParameterError("feature_options need features")


def refuse_features(folder: Path) -> None:
    """Refuse a folder whose policy observes features; the training uses none."""
    if (folder / _FILE).is_file():
        raise ParameterError(
            f"the policy in {folder} observes features, which best responses do not compute: "
            "begin with a run without features"
        )
