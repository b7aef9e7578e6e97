# SPDX-License-Identifier: GPL-2.0-only
"""Descriptions of the installed libraries, read before these are imported, and checks of names."""

from __future__ import annotations

import ast
import functools
import importlib.util
import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from defiance_zoo.bridge.system.spelling import known_words, near_word
from defiance_zoo.errors import BrokenPlugin, ParameterError
from defiance_zoo.experiments.workbench.wording import locating

OPTIONS = (
    "features",
    "max_agents",
    "normalize",
    "policies",
    "ray_address",
    "residual",
    "rollouts",
    "runners",
    "teacher",
    "threads",
)
"""Keys of a run that some libraries do not support; see docs/training/training.md."""


def _not_known(_algorithm: str) -> Collection[str] | None:
    return None


@dataclass(frozen=True)
class Library:
    """The algorithms that a library trains, and their requirements.

    The module of such an object must not import slow modules: it is imported first, to report
    typing errors at once.

    Attributes:
        trainer: Its trainer as `package.module:Class`, a subclass of
            `defiance_zoo.experiments.training.Trainer`, imported on demand.
        algorithms: Names of its algorithms.
        hyperparameters: Returns the names of an algorithm's hyperparameters. None: the names are
            unknown without importing the library, and the trainer has to refuse unknown ones.
        reserved: Hyperparameters that the run sets, so users must not set them.
        options: Supported options of `OPTIONS`; a run with another option is refused.
        masked: Algorithms that use action masks; None: unknown, so runs are not checked.
        advice: Remedies for unsupported options, by option.
        modules: Modules that `defiance-zoo doctor` tries to import.
        packages: Distributions whose versions affect results, for `versions.json`.
        install: The command that installs its packages.
        best_responses: Whether the trainer also trains best responses of populations.
    """

    trainer: str
    algorithms: Collection[str]
    hyperparameters: Callable[[str], Collection[str] | None] = _not_known
    reserved: frozenset[str] = frozenset()
    options: frozenset[str] = frozenset()
    masked: tuple[str, ...] | None = None
    advice: Mapping[str, str] = field(default_factory=dict)
    modules: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    install: str = "install its packages"
    best_responses: bool = False


_SHOWN = 60
"""Maximum number of names in a message."""


def require_known(what: str, name: str, known: Collection[str]) -> None:
    """Refuse an unknown name; the message has the nearest name, or all if they are few.

    Args:
        what: Kind of thing that has the name.
        name: Name to check.
        known: All names.

    Raises:
        ParameterError: The name is unknown.
    """
    if name not in known:
        ending = known_words if len(known) <= _SHOWN else near_word
        raise ParameterError(f"no {what} {name!r}{ending(name, sorted(known))}")


def require_hyperparameters(
    algorithm: str, given: Iterable[str], known: Collection[str] | None, reserved: Collection[str]
) -> None:
    """Refuse hyperparameters that an algorithm does not have.

    With `known=None`, no name is refused. The run sets the reserved ones itself.
    """
    for name in given if known is not None else ():
        if name in reserved:
            raise ParameterError(f"{name!r} is not a hyperparameter here: the run sets it")
        require_known(f"hyperparameter of {algorithm}", name, set(known or ()) - set(reserved))


def parameters_of_class(package: str, name: str) -> set[str] | None:
    """Return a constructor's parameters from its class's source, without importing the class.

    The parameters of a dataclass are its fields; inherited fields are left out.

    Args:
        package: Installed package; the source is in one of its sub-packages.
        name: Name of the class.

    Returns:
        Names; None if the source is not found, or has `**kwargs`.
    """
    folder = folder_of(package)
    for path in sorted(folder.glob("*/*.py")) if folder else ():
        source = path.read_text(encoding="utf-8")
        if re.search(rf"^class {name}[(:]", source, re.MULTILINE):
            for node in ast.walk(ast.parse(source)):
                if isinstance(node, ast.ClassDef) and node.name == name:
                    return _parameters_of_constructor(node)
    return None


def _parameters_of_constructor(class_: ast.ClassDef) -> set[str] | None:
    for node in class_.body:
        if isinstance(node, ast.FunctionDef) and node.name == "__init__":
            arguments = node.args
            if arguments.kwarg is None:
                return {each.arg for each in (*arguments.args[1:], *arguments.kwonlyargs)}
            return None
    if not any(ast.unparse(each) == "dataclass" for each in class_.decorator_list):
        return None
    fields = [each.target for each in class_.body if isinstance(each, ast.AnnAssign)]
    return {each.id for each in fields if isinstance(each, ast.Name)}


def folder_of(package: str) -> Path | None:
    """Return the folder of an installed package, without importing it."""
    found = importlib.util.find_spec(package)
    return Path(found.origin).parent if found and found.origin else None


GROUP = "defiance_zoo.libraries"
"""Group of the entry points."""

_OWN = {
    name: EntryPoint(name, f"defiance_zoo.experiments.libraries.{name}:{name.upper()}", GROUP)
    for name in ("benchmarl", "rllib", "sb3")
}
"""Entry points of this package; they are valid without installation, too."""

_OURS = "defiance-zoo"


@dataclass(frozen=True)
class _Registered:
    """An entry point and its distribution."""

    entry: EntryPoint
    distribution: str

    def load(self) -> Library:
        """Return the description of the entry point."""
        try:
            found = self.entry.load()
        except Exception as error:  # modules of others may raise any exception
            raise self.broken(f"{type(error).__name__}: {error}") from error
        if not isinstance(found, Library):
            raise self.broken(f"{self.entry.value} is a {type(found).__name__}, not a Library")
        return found

    def broken(self, why: str) -> BrokenPlugin:
        """Return the error for a library that cannot be used."""
        return BrokenPlugin(
            f"the library {self.entry.name!r} of the installed distribution {self.distribution!r} "
            f"cannot be used: {why}"
        )


def library_names() -> list[str]:
    """Return the names of all registered libraries, broken ones included."""
    return sorted(_registered(tuple(sys.path)))


def find_library(name: str) -> Library:
    """Return the description of a library.

    Raises:
        ParameterError: There is no library of this name.
        BrokenPlugin: The description cannot be loaded, or two distributions register this name.
    """
    return _find(name).load()


def broken(name: str, why: str) -> BrokenPlugin:
    """Return the error for a library that cannot be used."""
    return _find(name).broken(why)


def own_libraries() -> Iterator[Library]:
    """Yield the descriptions of this package's libraries."""
    for entry in _OWN.values():
        yield _Registered(entry, _OURS).load()


def require_installed(name: str) -> None:
    """Refuse a name that no library has."""
    names = library_names()
    if name not in names:
        raise ParameterError(f"no library of this name is installed{known_words(name, names)}")


def _find(name: str) -> _Registered:
    with locating(f"library={name!r}"):
        require_installed(name)
    found = _registered(tuple(sys.path))[name]
    if len(found) > 1:
        distributions = " and ".join(sorted(repr(each.distribution) for each in found))
        raise BrokenPlugin(
            f"the library {name!r} is registered by several distributions, {distributions}: "
            "uninstall all but one of them"
        )
    return found[0]


@functools.lru_cache(maxsize=4)
def _registered(_path: tuple[str, ...]) -> dict[str, list[_Registered]]:
    """Return all entry points by name.

    The argument is Python's search path for distributions: reading it takes some hundred files.
    """
    found = {name: [_Registered(entry, _OURS)] for name, entry in _OWN.items()}
    for entry in entry_points(group=GROUP):
        if entry.dist and not Path(str(entry.dist.locate_file(""))).is_absolute():
            continue  # it lies in the current folder, and is not installed
        distribution = entry.dist.name if entry.dist else "unknown"
        found.setdefault(entry.name, []).append(_Registered(entry, distribution))
    return found
