# SPDX-License-Identifier: GPL-2.0-only
"""Explorers by name, with checked options."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from defiance_zoo.bridge.system.plain_values import plain_value
from defiance_zoo.bridge.system.spelling import known_words
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.workbench.wording import require_choice
from defiance_zoo.protocols import explorers
from defiance_zoo.protocols.explorers import Explorer, Random, Swarm, Waypoint
from defiance_zoo.protocols.predicates.hierarchies import find_hierarchy, of_infos

HIERARCHY = "hierarchy"
"""The option with the name of predicates, which replaces `predicates`."""

INNER = "explorer"
"""The option of `Swarm` with the name of the other explorer, which replaces `inner`."""

EXPLORERS: Mapping[str, type[Explorer]] = {
    kind.name: kind
    for kind in vars(explorers).values()
    if isinstance(kind, type) and issubclass(kind, Explorer) and kind is not Explorer
}
"""Explorers by name."""


def make_explorer(name: str, seed: int, options: Mapping[str, Any]) -> Explorer:
    """Return a new explorer, one of `EXPLORERS`.

    The options are arguments of its class, with hierarchies of predicates by name. `Swarm` also
    takes the options of its other explorer.
    """
    require_choice("explorer", name, sorted(EXPLORERS))
    kind = EXPLORERS[name]
    known, given = _options(kind), plain_value(dict(options))
    arguments: dict[str, Any] = {}
    if kind is Swarm:
        inner = given.pop(INNER, Random.name)
        require_choice(INNER, inner, sorted(set(EXPLORERS) - {Swarm.name}))
        others = {option: given.pop(option) for option in [*given] if option not in known}
        arguments["inner"] = make_explorer(inner, seed, others)
    for option, value in given.items():
        if option not in known:
            there = known_words(option, sorted(known), "it has")
            raise ParameterError(f"{name} has no option {option!r}{there}")
        wanted = known[option]
        if isinstance(value, bool) or not isinstance(value, wanted):
            word = "text" if wanted is str else "an integer" if wanted is int else "a number"
            raise ParameterError(f"{option} of {name} must be {word}, not {value!r}")
    arguments |= {option: value for option, value in given.items() if option != HIERARCHY}
    if HIERARCHY in known:
        if HIERARCHY in given:
            arguments["predicates"] = of_infos(find_hierarchy(given[HIERARCHY]))
        elif kind is Waypoint:
            raise ParameterError(f"{name} needs the option {HIERARCHY}: the name of a hierarchy")
    return kind(seed, **arguments)


def _options(kind: type[Explorer]) -> dict[str, type | tuple[type, ...]]:
    """Return the options of a kind, with the types of their values."""
    found: dict[str, type | tuple[type, ...]] = {}
    for name, parameter in inspect.signature(kind).parameters.items():
        if name == "predicates":
            found[HIERARCHY] = str
        elif name not in ("seed", "inner"):
            kind_of_value = type(parameter.default)
            found[name] = (int, float) if kind_of_value is float else kind_of_value
    return found
