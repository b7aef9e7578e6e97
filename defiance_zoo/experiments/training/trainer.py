# SPDX-License-Identifier: GPL-2.0-only
"""The interface of training libraries; each library has one class."""

from __future__ import annotations

import contextlib
import pkgutil
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from defiance_zoo.environments import lookup
from defiance_zoo.errors import DefianceZooError, DependencyMissing, ParameterError
from defiance_zoo.experiments.evaluation import Policy as Policy
from defiance_zoo.experiments.evaluation import Spaces, agent_spaces
from defiance_zoo.experiments.libraries import find_library, library_names
from defiance_zoo.experiments.libraries.library import broken
from defiance_zoo.experiments.training.checkpoints import COUNTERS, TRAINER
from defiance_zoo.experiments.training.configuration import RunConfig, Teacher
from defiance_zoo.experiments.training.run_config_file import check_names
from defiance_zoo.experiments.workbench.origin import open_packed, open_signed, pack

if TYPE_CHECKING:
    import gymnasium

PAYOFF, SCORE = "payoff", "score"
"""Infos at the end of a best response's episode: the agent's payoff, and 1, 0.5 or 0 for win, draw
or loss.
"""

MakeEnv = Callable[[], "gymnasium.Env[Any, Any]"]
"""Makes an environment of one agent; the function can be sent to another process."""


@dataclass(frozen=True)
class Iteration:
    """The results of one iteration of training.

    Attributes:
        steps: Decisions of all agents since the run began, resumed parts included.
        episodes: Complete episodes since the run began.
        metrics: Metrics by name, with `/` between the parts of names. `return/mean` and
            `length/mean`: over the last episodes and all agents. `return/<agent>`: of one agent.
                `info/<agent>/<name>`: means of the scenario's numeric infos. `failures`:
                simulations lost since the run began. `simulation_share`: share of training time
                    that is spent waiting for ns-3. `simulated_s_per_s`: simulated seconds per
                    second, of all
                simulations. `loss/<name>`: metrics of the library.
        whole: Whether the iteration has ended as without an interruption. After `is_to_stop()`, a
            part of an iteration may be returned; the next iteration is the rest.
        lost: Messages of the simulations that were lost and replaced in this iteration.
    """

    steps: int
    episodes: int
    metrics: dict[str, float] = field(default_factory=dict)
    whole: bool = True
    lost: Sequence[str] = ()


class Trainer(ABC):
    """A running training, and functions for its policies.

    A run calls `create()`, then `restore()` if it is resumed, and then `iterate()` until it stops.
    Between iterations, it calls `save()` and `policy()`, and other code may draw random numbers.
    A population trains a best response with `create(config, env)`, `start_from()`, `iterate()`,
    `policy()` and `save_policy()`, if the description of the library says `best_responses`.

    Attributes:
        is_to_stop: Returns whether to stop. An interruption waits for the iteration's end, so a
            trainer with long iterations calls this during an iteration, and returns a part of it.
    """

    is_to_stop: Callable[[], bool] = staticmethod(lambda: False)

    @classmethod
    @abstractmethod
    def create(cls, config: RunConfig, env: MakeEnv | None = None) -> Trainer:
        """Return a run's trainer, ready to iterate; names and options have been checked.

        Args:
            config: The run; the trainer has to apply all keys, `threads` included.
            env: For a best response: makes the Gymnasium environment in which one agent learns,
                instead of the run's environment. Infos at the end of an episode hold `payoff` and
                `score`, and iterations have the metric `score` of the last episodes.

        Raises:
            ParameterError: The library does not support a setting; nothing is left running.
        """

    @abstractmethod
    def iterate(self) -> Iteration:
        """Sample and learn once: at most some seconds of work.

        The number of samples, not a clock, ends an iteration: evaluations and checkpoints follow
            iterations, and must be equal for equal seeds.

        Raises:
            SimulationError: A simulation could not be replaced.
        """

    @abstractmethod
    def save(self, folder: Path) -> None:
        """Write the whole state of training, and the policy, into an empty folder."""

    @abstractmethod
    def restore(self, folder: Path) -> None:
        """Continue from the files of `save()`; called before the first `iterate()`.

        The run may have more `steps` than before. The folder is a private copy with a checked
        origin, and is deleted when this returns.
        """

    @abstractmethod
    def policy(self) -> Policy:
        """Return a copy of the current policy, which further training does not change."""

    def imitate(self, lessons: Sequence[Any], teacher: Teacher) -> dict[str, float]:
        """Let the policy imitate a teacher, before the first `iterate()`.

        Libraries with the option `teacher` override it.

        Args:
            lessons: Labelled episodes, also of earlier calls; `Lesson` of
                `defiance_zoo.experiments.training.teacher`.
            teacher: Teacher of the run.

        Returns:
            Figures of the imitation, by name.
        """
        raise NotImplementedError

    @abstractmethod
    def close(self) -> None:
        """End all simulations and processes; may be called again."""

    @classmethod
    @abstractmethod
    def load_policy(cls, config: RunConfig, folder: Path) -> Policy:
        """Return the policy of a folder that `save()` wrote, without starting a simulation.

        The folder is a private copy with a checked origin, and is deleted when this returns.
        """

    @classmethod
    def session(cls, config: RunConfig) -> contextlib.AbstractContextManager[None]:
        """Return a context that several best responses share, such as a cluster."""
        return contextlib.nullcontext()

    def start_from(self, folder: Path) -> None:
        """Begin a best response with a policy's weights; called before the first `iterate()`.

        Args:
            folder: Folder that `save_policy()` or a run of the same library has written. It is a
                private copy with a checked origin, and is deleted when this returns.

        Raises:
            ParameterError: The policy is of another kind.
        """
        raise NotImplementedError

    @classmethod
    def save_policy(cls, policy: Any, folder: Path) -> None:
        """Write a best response from `policy()` into an empty folder; equal ones in equal files."""
        raise NotImplementedError

    @classmethod
    def open_policy(cls, folder: Path) -> Policy:
        """Return the best response that `save_policy()` wrote; see `load_policy()`."""
        raise NotImplementedError

    @classmethod
    def policy_name(cls, policy: Any, agent: str) -> str:
        """Return the name of an agent's policy; by default, all agents share one policy.

        Args:
            policy: The policy from `load_policy()`.
            agent: Name of the agent.
        """
        return "shared"

    @classmethod
    def spaces(cls, policy: Any) -> Sequence[Spaces] | None:
        """Return the spaces of the agents in a policy's training; None: they are unknown.

        Args:
            policy: The policy from `load_policy()`.
        """
        return None

    @classmethod
    def network(cls, config: RunConfig, policy: Any, agent: str, spaces: Spaces) -> Any:
        """Return the network for a policy file; by default, raise `ParameterError`.

        Args:
            config: Configuration of the run.
            policy: The policy from `load_policy()`.
            agent: The agent of the policy.
            spaces: Spaces of the agent's observations and actions.

        Returns:
            A `torch.nn.Module` from flat observations, float32 (batch, flatdim(observation_space)),
            to actions of the action space, (batch, ...), without exploration. States are as in
            `write_policy_file()`. `defiance_zoo.experiments.training.export.network` has parts for
            such networks.

        Raises:
            ParameterError: A policy file cannot hold the policy.
        """
        raise ParameterError(f"policies of library={config.library!r} cannot be exported")


def create_trainer(config: RunConfig) -> Trainer:
    """Return the trainer of the run's library, ready to iterate.

    Raises:
        DependencyMissing: The library is not installed.
        BrokenPlugin: The library's distribution is faulty.
        ParameterError: The library does not support a setting of the run.
    """
    check_names(config)
    return trainer_class(config.library).create(config)


def load_policy(config: RunConfig, folder: Path | str, *, trust: bool = False) -> Policy:
    """Return the policy of a folder that `Trainer.save` wrote, without starting a simulation.

    Args:
        config: Configuration of the run.
        folder: Part of a signed checkpoint, or a separate folder. The folder holds pickles.
        trust: Load the folder even if this user did not sign it on this machine.

    Raises:
        UnknownOrigin: The folder is not trusted, and was not signed on this machine or has changed.
        ParameterError: The folder is damaged.
        DependencyMissing, BrokenPlugin: As for `create_trainer()`.
    """
    folder = Path(folder)
    trainer = trainer_class(config.library)
    with open_saved(folder, trust=trust) as copy, damaged(folder):
        return trainer.load_policy(config, copy)


@dataclass(frozen=True)
class SavedPolicy:
    """A trained policy: the checkpoint of a run or, with its `library`, a best response.

    `files` are the contents of its folder, for machines without it.
    """

    folder: Path
    library: str | None = None
    trust: bool = False
    files: Mapping[str, bytes] | None = field(default=None, compare=False, repr=False)

    def packed(self) -> SavedPolicy:
        """Return the same policy with its files, whose origin is checked."""
        with open_signed(self.folder, trust=self.trust) as copy:
            return replace(self, files=pack(copy))

    def open(self) -> contextlib.AbstractContextManager[Path]:
        """Return a context with a private copy of the folder; see `open_signed()`."""
        if self.files is not None:
            return open_packed(self.files)
        return open_signed(self.folder, trust=self.trust)


def trained_spaces(config: RunConfig, policy: Policy) -> list[Spaces]:
    """Return the spaces of the agents in a policy's training.

    If the policy does not hold them, a short-lived simulation reports the present ones.
    """
    known = trainer_class(config.library).spaces(policy)
    return list(known or agent_spaces(lookup(config.env), config.parameters).values())


@contextlib.contextmanager
def open_saved(folder: Path, *, trust: bool) -> Iterator[Path]:
    """Yield a private copy of a folder that `Trainer.save` wrote; see `open_signed()`.

    The folder is a part of a checkpoint, whose signature covers the whole, or a separate one.
    """
    is_part = folder.name == TRAINER and (folder.parent / COUNTERS).is_file()
    with open_signed(folder.parent if is_part else folder, trust=trust) as copy:
        yield copy / TRAINER if is_part else copy


@contextlib.contextmanager
def damaged(folder: Path) -> Iterator[None]:
    """Convert errors that a library raises when it loads a folder."""
    try:
        yield
    except DefianceZooError:
        raise
    except Exception as error:  # libraries raise any error for a damaged file
        raise ParameterError(
            f"{folder} cannot be loaded; it is damaged, or of another version of its library: "
            f"{type(error).__name__}: {error}"
        ) from error


def trainer_class(name: str) -> type[Trainer]:
    """Import and return the trainer of a library."""
    library = find_library(name)
    place = library.trainer
    try:
        found = pkgutil.resolve_name(place)
    except ModuleNotFoundError as error:
        if error.name is None or f"{place.partition(':')[0]}.".startswith(f"{error.name}."):
            raise broken(name, f"{error}, which is to have its trainer") from error
        raise DependencyMissing(f"{error.name!r} is not installed: {library.install}") from error
    except Exception as error:  # modules of others may raise any exception
        raise broken(name, f"importing its trainer: {type(error).__name__}: {error}") from error
    if not isinstance(found, type) or not issubclass(found, Trainer):
        base = "defiance_zoo.experiments.training.Trainer"
        raise broken(name, f"{place} is not a subclass of {base}")
    return found


def best_response_trainer(library: str) -> type[Trainer]:
    """Return the trainer of a library that trains best responses."""
    if not find_library(library).best_responses:
        able = [name for name in library_names() if find_library(name).best_responses]
        raise ParameterError(f"library={library!r} does not train best responses; {able} do")
    return trainer_class(library)
