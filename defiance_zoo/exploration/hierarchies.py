# SPDX-License-Identifier: GPL-2.0-only
"""Predicates of `partition_v0`, as functions of infos."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from defiance_zoo.envs.partition.predicates.predicate import Predicate
from defiance_zoo.envs.partition.predicates.raft import RAFT_HIERARCHIES
from defiance_zoo.envs.partition.predicates.tendermint import TENDERMINT_HIERARCHIES
from defiance_zoo.envs.partition.states import Replicas, read_replicas
from defiance_zoo.errors import ParameterError
from defiance_zoo.spelling import near_word

HIERARCHIES: Mapping[str, tuple[Predicate, ...]] = {**RAFT_HIERARCHIES, **TENDERMINT_HIERARCHIES}
"""Of all protocols, by name."""


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
    """Return predicates as functions of infos, which have to tell `replicas`."""
    read = _Reader()
    return [_of_info(predicate, read) for predicate in predicates]


def _of_info(predicate: Predicate, read: _Reader) -> Callable[[Mapping[str, Any]], bool]:
    return lambda info: predicate(read(info))


def find_hierarchy(name: str) -> tuple[Predicate, ...]:
    """Return a hierarchy by its name.

    Raises:
        ParameterError: There is none of this name.
    """
    if name not in HIERARCHIES:
        near = near_word(name, HIERARCHIES)
        raise ParameterError(
            f"hierarchy={name!r} is not known{near}; there are {sorted(HIERARCHIES)}"
        )
    return HIERARCHIES[name]
