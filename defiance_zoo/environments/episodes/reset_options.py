# SPDX-License-Identifier: GPL-2.0-only
"""The options of `reset()`: scenario parameters, and keys that other environments know."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from defiance_zoo.bridge.simulation import near_parameter
from defiance_zoo.environments.arguments import RESERVED
from defiance_zoo.errors import ParameterError, UnknownParameter

Options = Mapping[str, Any]
OptionsToParameters = Callable[[Options], dict[str, Any]]

_OF_TESTS = "options"
"""An option in PettingZoo's tests, which no environment knows."""


def require_mapping(options: Any) -> Options:
    """Return the options; None: no options.

    Raises:
        ParameterError: They are not a dict.
    """
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        kind = type(options).__name__
        raise ParameterError(f"options={options!r} is of type {kind}: give a dict or None")
    return options


def require_unlike(name: object, known: Collection[str]) -> None:
    """Refuse an unknown option that may be a misspelt one.

    Args:
        name: Name of an option, not in `known`.
        known: Names of known options.

    Raises:
        ParameterError: It is an argument of environments, or resembles a known option.
    """
    if not isinstance(name, str) or name == _OF_TESTS:
        return
    if name in RESERVED:
        raise ParameterError(
            f"{name!r} is no option of reset(), but an argument of the environment, for all its "
            "episodes: give it to make()"
        )
    if near := near_parameter(name, known):
        raise UnknownParameter(f"reset() has no option {name!r}{near}")


class _Watched(Options):
    """Options that remember which of them were read."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self.read: set[str] = set()

    def __getitem__(self, name: str) -> Any:
        value = self._options[name]
        self.read.add(name)
        return value

    def __iter__(self) -> Iterator[str]:
        return iter(self._options)

    def __len__(self) -> int:
        return len(self._options)


def read_options(
    options: Options | None, declared: Collection[str], translate: OptionsToParameters | None
) -> dict[str, Any]:
    """Return the scenario parameters of one episode.

    Args:
        options: Options of `reset()`.
        declared: Names of the scenario's parameters.
        translate: Turns other options into parameters; an option that it does not read is unknown.

    Raises:
        ParameterError: The options are not a dict, or one of them may be misspelt.
    """
    given = require_mapping(options)
    changes = {name: value for name, value in given.items() if name in declared}
    watched = _Watched(given)
    if translate is not None:
        changes.update(translate(watched))
    for name in given:
        if name not in changes and name not in watched.read:
            require_unlike(name, declared)
    return changes
