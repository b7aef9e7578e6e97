# SPDX-License-Identifier: GPL-2.0-only
"""The description of a leaderboard: the file beside an environment."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import Field

from defiance_zoo.environments import lookup
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.study.cells import deployments
from defiance_zoo.experiments.study.configuration import DEPLOYMENT, StudyConfig
from defiance_zoo.experiments.study.study_file import read_config
from defiance_zoo.experiments.workbench.descriptions import read_yaml_text
from defiance_zoo.experiments.workbench.estimates import INTERVAL


class LeaderboardConfig(StudyConfig):
    """A leaderboard, as a YAML file describes it: a study with trained policies."""

    trained: dict[str, str] = Field(
        default_factory=dict,
        description="names of trained policies, and their runs for 'make baselines'",
    )
    policy_parameters: list[str] = Field(
        default_factory=list,
        description="arguments of observations and actions, which each policy may set",
    )


@dataclass(frozen=True)
class Leaderboard:
    """A leaderboard and its file.

    Attributes:
        config: The description in its file.
        text: Text of the file.
        folder: Folder of the file.
    """

    config: LeaderboardConfig
    text: str
    folder: Path

    @property
    def task(self) -> dict[str, Any]:
        """The task of all policies; results of different tasks cannot be compared."""
        config = self.config
        return {
            "env": config.env,
            "deployments": self.deployments,
            "episodes": config.episodes,
            "seed": config.seed,
            "measure": config.measure,
            "measures": {name: each.key for name, each in config.measures.items()},
        }

    def with_episodes(self, episodes: int) -> Leaderboard:
        """Return the leaderboard with another number of episodes, which is another task."""
        return replace(self, config=self.config.model_copy(update={"episodes": episodes}))

    @property
    def key(self) -> str:
        """A digest of the task."""
        return hashlib.sha256(json.dumps(self.task, sort_keys=True).encode()).hexdigest()[:20]

    @property
    def interval(self) -> str:
        """The kind of intervals of its results."""
        return INTERVAL

    @property
    def deployments(self) -> dict[str, dict[str, Any]]:
        """The arguments of the environment in each deployment, by the deployment's name."""
        places = deployments(self.config)
        return {name_of(place): self.config.arguments(place) for place in places}


def name_of(place: dict[str, Any]) -> str:
    """Return the name of a deployment: its own name, and the values of the grid."""
    parts = [str(v) if k == DEPLOYMENT else f"{k}={v}" for k, v in place.items()]
    return ", ".join(parts) or "as it is"


def read_leaderboard(env: str) -> Leaderboard:
    """Read the leaderboard of an environment.

    Raises:
        UnknownEnvironment: There is no environment of this name.
        ParameterError: The environment has no leaderboard, or the file is invalid.
    """
    path = lookup(env).leaderboard
    if path is None:
        raise ParameterError(f"{env} has no leaderboard")
    config = read_config(path, LeaderboardConfig)
    if config.exclude:
        raise ParameterError(f"{path}: every policy plays in all deployments: remove exclude")
    if any(each.only or each.train or each.run for each in config.policies.values()):
        raise ParameterError(
            f"{path}: policies of a leaderboard are baselines in all deployments; list trained "
            "policies under trained"
        )
    for name, policy in config.policies.items():
        others = sorted(policy.parameters.keys() - set(config.policy_parameters))
        if others:
            raise ParameterError(
                f"{path}: {name!r} sets parameters that trained policies may not set: add "
                f"{others} in policy_parameters"
            )
    both = sorted(config.policies.keys() & config.trained.keys())
    if both:
        raise ParameterError(f"{path}: {both} are both in policies and in trained")
    return Leaderboard(config, read_yaml_text(path), path.parent)
