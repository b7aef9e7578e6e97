# SPDX-License-Identifier: GPL-2.0-only
"""Predicates of `partition_v0`, as functions of infos."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from defiance_zoo.bridge.system.imports import import_attribute
from defiance_zoo.envs.partition.states import Replicas, read_replicas
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.workbench.wording import locating, require_choice
from defiance_zoo.protocols.predicates.predicate import Hierarchies, Predicate
from defiance_zoo.protocols.predicates.raft import RAFT_HIERARCHIES
from defiance_zoo.protocols.predicates.tendermint import TENDERMINT_HIERARCHIES

PROTOCOLS: Mapping[str, Hierarchies] = {
    "raft": RAFT_HIERARCHIES,
    "tendermint": TENDERMINT_HIERARCHIES,
}
"""Hierarchies of each protocol, by name."""

HIERARCHIES: Mapping[str, tuple[Predicate, ...]] = {**RAFT_HIERARCHIES, **TENDERMINT_HIERARCHIES}
"""Hierarchies of all protocols, by name."""


class _Reader:
    """Reads the states of replicas once for many predicates."""

    def __init__(self) -> None:
        self._info: Mapping[str, Any] | None = None
        self._replicas = Replicas(())

    def __call__(self, info: Mapping[str, Any]) -> Replicas:
        if info is not self._info:
            self._replicas, self._info = read_replicas(info), info
        return self._replicas


def of_infos(predicates: Sequence[Predicate]) -> list[Callable[[Mapping[str, Any]], bool]]:
    """Return predicates as functions of infos, which must have `replicas`.

    They raise `ParameterError` if the replicas are of another protocol.
    """
    read = _Reader()
    return [_of_info(predicate, read) for predicate in predicates]


def _of_info(predicate: Predicate, read: _Reader) -> Callable[[Mapping[str, Any]], bool]:
    def holds(info: Mapping[str, Any]) -> bool:
        try:
            return predicate(read(info))
        except (AttributeError, TypeError) as error:
            raise _of_others(predicate, info, error) from error

    return holds


def _of_others(
    predicate: Predicate, info: Mapping[str, Any], error: AttributeError | TypeError
) -> ParameterError:
    """Return the error for a predicate on replicas of another protocol."""
    fields = sorted(json.loads(info["replicas"])[0])
    protocol = next(
        (
            f" of {name}"
            for name, mine in PROTOCOLS.items()
            if any(predicate in h for h in mine.values())
        ),
        "",
    )
    return ParameterError(
        f"the predicate {predicate.name!r} is for states{protocol}, and cannot be applied to "
        f"states with {fields}: {error}"
    )


def _import_hierarchy(name: str) -> tuple[Predicate, ...]:
    """Return an object of a module."""
    try:
        found = import_attribute(name)
    except ImportError as error:
        raise ParameterError(f"hierarchy={name!r} cannot be imported: {error}") from error
    if not (isinstance(found, tuple) and found and all(isinstance(p, Predicate) for p in found)):
        raise ParameterError(f"hierarchy={name!r} must be a tuple of predicates, not {found!r}")
    return found


def require_states(name: str, info: Mapping[str, Any]) -> None:
    """Check that a hierarchy is for the protocol of the replicas in an info."""
    for holds in of_infos(find_hierarchy(name)):
        with locating(f"hierarchy={name!r}"):
            holds(info)


def find_hierarchy(name: str) -> tuple[Predicate, ...]:
    """Return a hierarchy by its name: one of `HIERARCHIES`, or `module:NAME`, the user's own."""
    if ":" in name:
        return _import_hierarchy(name)
    require_choice("hierarchy", name, sorted(HIERARCHIES), ", and module:NAME for your own")
    return HIERARCHIES[name]
