# SPDX-License-Identifier: GPL-2.0-only
"""Explorers by name, with checked options."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from defiance_zoo.bridge.system.plain_values import plain_value
from defiance_zoo.bridge.system.spelling import near_word
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.workbench.wording import require_choice
from defiance_zoo.protocols.explorers.branching import BranchExplorer
from defiance_zoo.protocols.explorers.explorer import Explorer, Random
from defiance_zoo.protocols.explorers.nemesis import Nemesis
from defiance_zoo.protocols.explorers.q_learning import (
    BonusMax,
    NegRL,
    NegRLVisits,
    Schedule,
    Waypoint,
)
from defiance_zoo.protocols.predicates.hierarchies import find_hierarchy, of_infos

HIERARCHY = "hierarchy"
"""The option with the name of predicates, which replaces `predicates`."""

_KINDS: tuple[type[Explorer], ...] = (
    Random,
    NegRL,
    NegRLVisits,
    BonusMax,
    Waypoint,
    BranchExplorer,
    Nemesis,
    Schedule,
)

EXPLORERS: Mapping[str, type[Explorer]] = {kind.name: kind for kind in _KINDS}
"""Explorers by name, without scripts of users (`Strict`)."""


def make_explorer(name: str, seed: int, options: Mapping[str, Any]) -> Explorer:
    """Return a new explorer.

    Args:
        name: One of `EXPLORERS`.
        seed: Seed of its random choices.
        options: Arguments of its class, with hierarchies of predicates by name.

    Raises:
        ParameterError: The name, an option or its value is not allowed.
    """
    require_choice("explorer", name, sorted(EXPLORERS))
    kind = EXPLORERS[name]
    known, options = _options(kind), plain_value(dict(options))
    for option, value in options.items():
        if option not in known:
            near = near_word(option, list(known))
            raise ParameterError(f"{name} has no option {option!r}{near}; it has {sorted(known)}")
        wanted = known[option]
        if isinstance(value, bool) or not isinstance(value, wanted):
            word = "text" if wanted is str else "an integer" if wanted is int else "a number"
            raise ParameterError(f"{option} of {name} must be {word}, not {value!r}")
    arguments = {option: value for option, value in options.items() if option != HIERARCHY}
    if HIERARCHY in known:
        if HIERARCHY in options:
            arguments["predicates"] = of_infos(find_hierarchy(options[HIERARCHY]))
        elif kind is Waypoint:
            raise ParameterError(f"{name} needs the option {HIERARCHY}: the name of a hierarchy")
    return kind(seed, **arguments)


def _options(kind: type[Explorer]) -> dict[str, type | tuple[type, ...]]:
    """Return the options of a kind, with the types of their values."""
    found: dict[str, type | tuple[type, ...]] = {}
    for name, parameter in inspect.signature(kind).parameters.items():
        if name == "predicates":
            found[HIERARCHY] = str
        elif name != "seed":
            kind_of_value = type(parameter.default)
            found[name] = (int, float) if kind_of_value is float else kind_of_value
    return found
