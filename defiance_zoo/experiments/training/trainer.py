# SPDX-License-Identifier: GPL-2.0-only
"""The interface of libraries that train: one class for each library."""

from __future__ import annotations

import contextlib
import pkgutil
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from defiance_zoo.errors import DefianceZooError, DependencyMissing, ParameterError
from defiance_zoo.experiments.evaluation import Policy as Policy
from defiance_zoo.experiments.evaluation import Spaces
from defiance_zoo.experiments.libraries import Library, find_library
from defiance_zoo.experiments.libraries.registry import broken
from defiance_zoo.experiments.training.checkpoints import COUNTERS, TRAINER
from defiance_zoo.experiments.training.configuration import RunConfig, Teacher
from defiance_zoo.experiments.training.library_support import check_names
from defiance_zoo.experiments.workbench.origin import open_signed

_Kind = TypeVar("_Kind")


@dataclass(frozen=True)
class Iteration:
    """The results of one iteration of training.

    Attributes:
        steps: Decisions of all agents since the run began, resumed parts included.
        episodes: Episodes that have ended since the run began.
        metrics: By name, with `/` between its parts. `return/mean` and `length/mean`: over late
            episodes and all agents. `return/<agent>`: of one agent. `info/<agent>/<name>`: means of
            the scenario's numeric infos. `failures`: simulations lost since the run began.
            `simulation_share`: share of the time in which training waits for ns-3.
            `simulated_s_per_s`: simulated seconds a second, of all simulations. `loss/<name>`:
            metrics of the library.
    """

    steps: int
    episodes: int
    metrics: dict[str, float] = field(default_factory=dict)


class Trainer(ABC):
    """Training under way, and what a library does with the policies that come of it.

    A run calls `create()`, then `restore()` if it is resumed, and then `iterate()` until it stops;
    in between `save()` and `policy()`. Between two iterations, anything may draw random numbers.

    Attributes:
        is_to_stop: Returns whether an interruption waits for the end of the iteration. A trainer
            with long iterations calls it during an iteration, and ends the iteration early.
    """

    is_to_stop: Callable[[], bool] = staticmethod(lambda: False)

    @classmethod
    @abstractmethod
    def create(cls, config: RunConfig) -> Trainer:
        """Return a trainer of a run, ready to iterate; names and options have been checked.

        Args:
            config: The run; `threads` is for the trainer to heed, as everything else.

        Raises:
            ParameterError: Something that the library cannot do was asked for; nothing is left
                running.
        """

    @abstractmethod
    def iterate(self) -> Iteration:
        """Sample and learn once: at most some seconds of work.

        Samples alone decide where an iteration ends, and no clock does: evaluations and checkpoints
        follow iterations, and runs of equal seeds have equal ones.

        Raises:
            SimulationError: A simulation could not be replaced.
        """

    @abstractmethod
    def save(self, folder: Path) -> None:
        """Write everything that training continues from, and the policy, into an empty folder."""

    @abstractmethod
    def restore(self, folder: Path) -> None:
        """Go on from what `save()` wrote; called before the first `iterate()`.

        The run may have got more `steps` since. The folder is a private copy, whose origin was
        checked, and is deleted when this returns.
        """

    @abstractmethod
    def policy(self) -> Policy:
        """Return the policy as it is now; further training does not change it."""

    def imitate(self, lessons: Sequence[Any], teacher: Teacher) -> dict[str, float]:
        """Have the policy imitate a teacher, before the first `iterate()`.

        Libraries with the option `teacher` override it.

        Args:
            lessons: Episodes with labels, `Lesson` of `defiance_zoo.experiments.training.teacher`;
                those of earlier calls, too.
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

        The folder is a private copy, whose origin was checked, and is deleted when this returns.
        """

    @classmethod
    def policy_name(cls, policy: Any, agent: str) -> str:
        """Return the name of the policy that decides for an agent; the same for all by default.

        Args:
            policy: The policy that `load_policy()` has returned.
            agent: Its name.
        """
        return "shared"

    @classmethod
    def network(cls, config: RunConfig, policy: Any, agent: str, spaces: Spaces) -> Any:
        """Return the network for a policy file; libraries whose policies have none refuse.

        Args:
            config: Configuration of the run.
            policy: The policy that `load_policy()` has returned.
            agent: For whom it decides.
            spaces: Spaces of the agent's observations and actions.

        Returns:
            A `torch.nn.Module` from flat observations, float32 (batch, flatdim(observation_space)),
            to actions of the action space, (batch, ...), without exploration; with states where
            `write_policy_file()` says so.
            `defiance_zoo.experiments.training.export.network` has parts for it.

        Raises:
            ParameterError: A policy file has no place for what the policy needs.
        """
        raise ParameterError(f"policies of library={config.library!r} cannot be exported")


def create_trainer(config: RunConfig) -> Trainer:
    """Return the trainer of the run's library, ready to iterate.

    Raises:
        DependencyMissing: The library is not installed.
        BrokenPlugin: The distribution that has it is at fault.
        ParameterError: Something that the library cannot do was asked for.
    """
    check_names(config)
    return trainer_class(config.library).create(config)


def load_policy(config: RunConfig, folder: Path, *, trust: bool = False) -> Policy:
    """Return the policy of a folder that `Trainer.save` wrote, without starting a simulation.

    Args:
        config: Configuration of the run.
        folder: Part of a checkpoint, which is signed, or a folder by itself. It holds pickles.
        trust: Load it though this user has not signed it on this machine.

    Raises:
        UnknownOrigin: The folder is not trusted, and was not signed here or was changed since.
        ParameterError: The folder is damaged.
        DependencyMissing, BrokenPlugin: As `create_trainer()`.
    """
    trainer = trainer_class(config.library)
    with open_saved(folder, trust=trust) as copy, damaged(folder):
        return trainer.load_policy(config, copy)


@contextlib.contextmanager
def open_saved(folder: Path, *, trust: bool) -> Iterator[Path]:
    """Yield a private copy of a folder that `Trainer.save` wrote; see `open_signed()`.

    Args:
        folder: Part of a checkpoint, which is signed as a whole, or a folder by itself.
        trust: See `open_signed()`.
    """
    is_part = folder.name == TRAINER and (folder.parent / COUNTERS).is_file()
    with open_signed(folder.parent if is_part else folder, trust=trust) as copy:
        yield copy / TRAINER if is_part else copy


@contextlib.contextmanager
def damaged(folder: Path) -> Iterator[None]:
    """Convert errors of a library that loads from a folder.

    Raises:
        ParameterError: The library raised an error that is none of this package.
    """
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
    """Return the trainer of a library, imported.

    Raises:
        ParameterError: There is no such library.
        DependencyMissing: It is registered, and not installed.
        BrokenPlugin: It has no trainer where it says, or importing that fails.
    """
    library = find_library(name)
    return import_trainer(name, library, library.trainer, Trainer)  # type: ignore[type-abstract]


def import_trainer(name: str, library: Library, place: str, kind: type[_Kind]) -> type[_Kind]:
    """Return a trainer of a library, imported.

    Args:
        name: Name of the library.
        library: Its description.
        place: Place of the trainer, as `module:Class`.
        kind: Base class of the trainer.

    Raises:
        DependencyMissing, BrokenPlugin: As `trainer_class()`.
    """
    module = place.partition(":")[0]
    try:
        found = pkgutil.resolve_name(place)
    except ModuleNotFoundError as error:
        if error.name is None or f"{module}.".startswith(f"{error.name}."):
            raise broken(name, f"{error}, which is to have its trainer") from error
        raise DependencyMissing(f"{error.name!r} is not installed: {library.install}") from error
    except Exception as error:  # of anybody's module
        raise broken(name, f"importing its trainer: {type(error).__name__}: {error}") from error
    if not isinstance(found, type) or not issubclass(found, kind):
        wanted = f"defiance_zoo.experiments.training.{kind.__name__}"
        raise broken(name, f"{place} is no subclass of {wanted}")
    return found
