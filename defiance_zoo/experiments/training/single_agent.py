# SPDX-License-Identifier: GPL-2.0-only
"""The interface of a library that trains one agent in a Gymnasium environment."""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import gymnasium

from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.evaluation import Policy
from defiance_zoo.experiments.libraries import find_library, library_names
from defiance_zoo.experiments.training.trainer import Iteration, import_trainer

PAYOFF, SCORE = "payoff", "score"
"""Infos at an episode's end: the agent's payoff, and 1, 0.5 or 0 for win, draw or loss."""

MakeEnv = Callable[[], "gymnasium.Env[Any, Any]"]
"""Makes an environment; the function can be sent to another process."""


@dataclass(frozen=True)
class SingleAgentSetup:
    """The algorithm and hyperparameters of an agent.

    Attributes:
        env: Makes the environment.
        algorithm: Algorithm of the library, by name.
        hyperparameters: Hyperparameters, passed to the algorithm unchanged.
        seed: Seed of weights, exploration and environments.
        simulations: Environments side by side, in each process.
        runners: Processes that sample; 0: this one.
        threads: Threads of PyTorch.
        ray_address: Address of an existing Ray cluster.
    """

    env: MakeEnv
    algorithm: str = "PPO"
    hyperparameters: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 1
    simulations: int = 1
    runners: int = 0
    threads: int = 1
    ray_address: str | None = None


class SingleAgentTrainer(ABC):
    """A running training of one agent.

    `save_policy()` saves the policy that `keep()` kept last or, without a call, the current one.
    """

    @classmethod
    @abstractmethod
    def create(cls, setup: SingleAgentSetup) -> SingleAgentTrainer:
        """Return a trainer, ready to iterate.

        Raises:
            ParameterError: The library does not support a setting; nothing is left running.
        """

    @classmethod
    def session(cls, setup: SingleAgentSetup) -> contextlib.AbstractContextManager[None]:
        """Return a context that several trainings share, such as a cluster; empty by default."""
        return contextlib.nullcontext()

    @abstractmethod
    def iterate(self) -> Iteration:
        """Sample and learn once; metrics have the last episodes' `return/mean` and `score`."""

    @abstractmethod
    def start_from(self, folder: Path) -> None:
        """Begin with a policy's weights; called before the first `iterate()`.

        Args:
            folder: Folder that `save_policy()` or a run of the same library has written. It is a
                private copy with a checked origin, and is deleted when this returns.

        Raises:
            ParameterError: The policy is of another kind.
        """

    @abstractmethod
    def keep(self) -> None:
        """Keep the current policy for `save_policy()`."""

    @abstractmethod
    def save_policy(self, folder: Path) -> None:
        """Write the policy into an empty folder; equal policies write equal files."""

    @abstractmethod
    def close(self) -> None:
        """End all simulations and processes; may be called again."""

    @classmethod
    @abstractmethod
    def load_policy(cls, folder: Path) -> Policy:
        """Return the policy of a folder that `save_policy()` wrote, without exploration.

        The folder is a private copy with a checked origin, and is deleted when this returns.
        """


def single_agent_trainer(library: str) -> type[SingleAgentTrainer]:
    """Import and return a library's trainer of single agents.

    Raises:
        ParameterError: There is no such library, or it does not train single agents.
        DependencyMissing: The library is registered, but not installed.
        BrokenPlugin: The library has no trainer at the place in its description.
    """
    found = find_library(library)
    if not found.single_agent_trainer:
        able = [name for name in library_names() if find_library(name).single_agent_trainer]
        raise ParameterError(f"library={library!r} does not train best responses; {able} do")
    kind = SingleAgentTrainer
    return import_trainer(library, found, found.single_agent_trainer, kind)  # type: ignore[type-abstract]
