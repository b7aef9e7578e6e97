# SPDX-License-Identifier: GPL-2.0-only
"""Everything that determines a run."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt, PositiveInt


class Evaluation(BaseModel):
    """How policies are evaluated during a run and at its end."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    every: PositiveInt | None = Field(None, description="decisions between two evaluations")
    episodes: PositiveInt = Field(20, description="episodes of an evaluation")
    seed: NonNegativeInt = Field(1000, description="episode i is played with seed + i")


class RunConfig(BaseModel):
    """A run, as a YAML file or flags describe it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    env: str = Field(description="a registered environment, such as cart_pole_v0")
    parameters: dict[str, Any] = Field(
        default_factory=dict, description="arguments of the environment, as for make()"
    )
    library: Literal["sb3", "rllib"] = Field("sb3", description="what trains")
    algorithm: str = Field("PPO", description="such as PPO, A2C, DQN, SAC, APPO, IMPALA")
    policies: Literal["shared", "individual"] | dict[str, str] = Field(
        "shared",
        description="one policy for all agents, one for each, or policies by agent pattern",
    )
    hyperparameters: dict[str, Any] = Field(
        default_factory=dict, description="given to the algorithm as they are"
    )
    normalize: bool = Field(
        False, description="scale observations and rewards by their running statistics (sb3)"
    )
    seed: NonNegativeInt = Field(1, description="of weights, exploration and simulations")
    steps: PositiveInt = Field(100_000, description="decisions of all agents after which it stops")
    simulations: PositiveInt = Field(1, description="simulations side by side, in each process")
    runners: NonNegativeInt = Field(
        0, description="processes that sample (rllib); 0: the trainer's"
    )
    ray_address: str | None = Field(None, description="an existing Ray cluster (rllib)")
    checkpoint_every: PositiveInt | None = Field(
        None, description="decisions between two checkpoints"
    )
    evaluation: Evaluation = Field(default_factory=Evaluation, description="see Evaluation")
