# SPDX-License-Identifier: GPL-2.0-only
"""The description of a population: a game, its first policies, and how others are trained."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, NonNegativeInt, field_validator

from defiance_zoo.bridge.process.programs import is_python
from defiance_zoo.experiments.evaluation import NamedPolicy
from defiance_zoo.experiments.study.measures import InfoMeasure
from defiance_zoo.experiments.training.configuration import (
    Count,
    Description,
    LibraryName,
    RunConfig,
    Seed,
)

Share = Annotated[float, Field(ge=0, le=1)]
Initialisation = Literal["random", "inherit_last", "inherit_last_best", "pretrained"]


class KnownPolicy(Description):
    """An existing policy: exactly one of `baseline`, `run` and `parameters`."""

    baseline: str | None = Field(
        default=None, description="baseline of the environment, random, or constant"
    )
    options: dict[str, Any] = Field(default_factory=dict, description="options by name")
    run: str | None = Field(
        default=None, description="folder of a run, whose best checkpoint plays"
    )
    parameters: dict[str, Any] = Field(
        default_factory=dict,
        description="parameters that make the scenario decide; each has a value for each agent",
    )

    @property
    def named(self) -> NamedPolicy | None:
        """The name and options of a policy that needs no training; None for other policies."""
        return NamedPolicy(self.baseline, self.options) if self.baseline else None

    @property
    def name(self) -> str:
        """The name of the policy in its population."""
        if self.run is not None:
            return Path(self.run).resolve().name
        words = [self.baseline] if self.baseline else []
        values = [*self.options.values(), *self.parameters.values()]
        return "-".join([*words, *(str(value) for value in values)])


def _baseline(value: Any) -> Any:
    """Convert a name to a baseline without options."""
    return {"baseline": value} if isinstance(value, str) else value


KnownPolicies = list[Annotated[KnownPolicy, BeforeValidator(_baseline)]]
"""Existing policies; a name is a baseline without options."""


class BestResponse(Description):
    """The training of best responses."""

    library: LibraryName = Field(default="rllib", description="what trains")
    algorithm: str = Field(default="PPO", description="PPO, DQN, SAC, ...")
    hyperparameters: dict[str, Any] = Field(
        default_factory=dict, description="passed to the algorithm unchanged"
    )
    simulations: Count = Field(default=8, description="simulations side by side, in each process")
    runners: NonNegativeInt = Field(default=0, description="processes that sample; 0: the trainer")
    threads: Count = Field(default=1, description="threads of PyTorch")
    initialisation: Initialisation = Field(
        default="random", description="the initial weights of training"
    )
    pretrained: dict[str, str] = Field(
        default_factory=dict, description="folder of the run to begin with, for each role"
    )
    keep: Literal["best", "last"] = Field(
        default="best",
        description="the kept policy: with the best mean return, or the last",
    )


class Stop(Description):
    """Conditions, each of which stops the training of a best response."""

    steps: Count = Field(default=50_000, description="decisions of the agent that learns")
    win_rate: Share | None = Field(default=None, description="score of the last episodes")
    win_rate_episodes: Count = Field(default=100, description="least number of episodes")


def _one_role() -> dict[str, str | list[str]]:
    return {"player": "*"}


class PopulationConfig(Description):
    """A population, as described by a YAML file."""

    env: str = Field(description="a registered environment, such as jamming_v0")
    parameters: dict[str, Any] = Field(
        default_factory=dict, description="arguments of the environment, as for make()"
    )
    roles: dict[str, str | list[str]] = Field(
        default_factory=_one_role,
        min_length=1,
        description="one or several patterns of agents for each population",
    )
    payoff: Literal["return", "per_decision"] = Field(
        default="return", description="payoff of an episode: sum or mean of rewards"
    )
    one_shot: bool = Field(
        default=False, description="each decision is a separate game, and observations are hidden"
    )
    measures: dict[str, InfoMeasure] = Field(
        default_factory=dict, description="further numbers of each episode, from infos, by name"
    )
    method: Literal["psro", "league"] = Field(default="psro", description="training method")
    solver: str | None = Field(
        default=None, description="converts payoffs to mixtures; by default nash, in a league pfsp"
    )
    solver_options: dict[str, Any] = Field(default_factory=dict, description="of the solver")
    initial: dict[str, KnownPolicies] = Field(
        default_factory=dict, description="first policies of each role; by default random"
    )
    probes: dict[str, KnownPolicies] = Field(
        default_factory=dict,
        description="policies of each role that are used only to measure the gain of deviations",
    )
    best_response: BestResponse = Field(default_factory=BestResponse, description="see there")
    stop: Stop = Field(default_factory=Stop, description="end of a best response's training")
    generations: Count = Field(default=10, description="best responses of each role")
    nash_conv: Annotated[float, Field(ge=0)] | None = Field(
        default=None, description="value at or below which no further generation begins"
    )
    episodes: Count = Field(default=10, description="episodes of each cell of the payoff table")
    support: Share = Field(
        default=1e-3, description="opponents below this probability are never sampled"
    )
    seed: Seed = Field(default=1, description="seed of training; episode i of a cell has seed + i")
    ray_address: str | None = Field(default=None, description="an existing Ray cluster")

    @field_validator("env")
    @classmethod
    def _registered(cls, env: str) -> str:
        """Refuse files: all machines that play find a registered scenario by its name."""
        if is_python(Path(env)):
            raise ValueError(
                "env of a population cannot be a file: register the scenario, and name it as "
                "MODULE:NAME"
            )
        return env

    def begin(self, role: str) -> list[KnownPolicy]:
        """Return the first policies of a role."""
        return self.initial.get(role) or [KnownPolicy(baseline="random")]

    def training(self, seed: int) -> RunConfig:
        """Return the training of one best response as a run."""
        return RunConfig(
            env=self.env,
            parameters=self.parameters,
            seed=seed,
            ray_address=self.ray_address,
            steps=self.stop.steps,
            **self.best_response.model_dump(include=set(RunConfig.model_fields)),
        )
