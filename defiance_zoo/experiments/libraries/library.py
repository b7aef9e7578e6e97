# SPDX-License-Identifier: GPL-2.0-only
"""Descriptions of libraries, read before the libraries are imported, and checks of names."""

from __future__ import annotations

import ast
import importlib.util
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from defiance_zoo.bridge.system.spelling import known_words, near_word
from defiance_zoo.errors import ParameterError

OPTIONS = (
    "features",
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
