# SPDX-License-Identifier: GPL-2.0-only
"""The description of a comparison: explorers that test the same systems."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from defiance_zoo.environments import lookup
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.training.configuration import Count, Description, Seed
from defiance_zoo.experiments.workbench.descriptions import build_model, read_yaml, read_yaml_text
from defiance_zoo.experiments.workbench.wording import locating, require_choice
from defiance_zoo.protocols.explorers.registry import make_explorer
from defiance_zoo.protocols.predicates.hierarchies import find_hierarchy

_OURS = ("infos", "action_hashes", "link")


class SystemConfig(Description):
    """A system under test."""

    env: str = Field(default="partition_v0", description="a registered environment")
    parameters: dict[str, Any] = Field(
        default_factory=dict, description="arguments of the environment, such as protocol and bug"
    )
    hierarchies: list[str] = Field(
        default_factory=list, description="hierarchies whose final predicates are counted, by name"
    )
    episodes: Count | None = Field(
        default=None, description="maximum number of episodes in each of its cells"
    )


class ExplorerConfig(Description):
    """An explorer with its options."""

    explorer: str = Field(description="one of defiance_zoo.protocols.explorers.registry.EXPLORERS")
    options: dict[str, Any] = Field(default_factory=dict, description="options by name")
    systems: list[str] | None = Field(default=None, description="tested systems; by default all")


class ComparisonConfig(Description):
    """A comparison, as a YAML file describes it."""

    systems: dict[str, SystemConfig] = Field(min_length=1, description="tested systems, by name")
    policies: dict[str, ExplorerConfig] = Field(min_length=1, description="explorers, by name")
    baseline: str | None = Field(
        default=None, description="the policy with which others are compared; by default the first"
    )
    seeds: Count = Field(default=10, description="tests of each system by each policy")
    seed: Seed = Field(default=1, description="the first seed; each test adds 1")
    steps: Count = Field(default=200_000, description="steps of each cell")
    episodes: Count | None = Field(default=None, description="maximum number of episodes of a cell")
    until: Literal["steps", "violation"] = Field(
        default="steps", description="violation: a cell ends with the first violation"
    )
    points: Count = Field(default=50, description="of each curve")
    ray_address: str | None = Field(default=None, description="a Ray cluster that plays the cells")

    @property
    def compared_with(self) -> str:
        """The policy with which others are compared."""
        return self.baseline or next(iter(self.policies))


@dataclass(frozen=True)
class Comparison:
    """A comparison and its file."""

    name: str
    config: ComparisonConfig
    text: str


def read_comparison(path: Path) -> Comparison:
    """Read a comparison, and check all names and values."""
    config = build_model(ComparisonConfig, read_yaml(path))
    check_comparison(config)
    return Comparison(path.stem, config, read_yaml_text(path))


def check_comparison(config: ComparisonConfig) -> None:
    """Check all names and values, without starting an episode."""
    for name, system in config.systems.items():
        with locating(f"systems.{name}"):
            _check_system(system)
    for name, policy in config.policies.items():
        with locating(f"policies.{name}"):
            make_explorer(policy.explorer, config.seed, policy.options)
        for system_name in policy.systems or ():
            require_choice(f"policies.{name}.systems", system_name, list(config.systems))
    require_choice("baseline", config.compared_with, list(config.policies))


def _check_system(system: SystemConfig) -> None:
    for argument in _OURS:
        if argument in system.parameters:
            raise ParameterError(f"{argument} is set by the comparison")
    lookup(system.env).raw_env(**system.parameters).close()
    for hierarchy in system.hierarchies:
        find_hierarchy(hierarchy)
