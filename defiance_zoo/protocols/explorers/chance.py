# SPDX-License-Identifier: GPL-2.0-only
"""Explorers that do not learn: random choices, and scripts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from defiance_zoo.protocols.explorers.explorer import Explorer
from defiance_zoo.protocols.explorers.situation import Situation

Rule = tuple[Callable[[Mapping[str, Any]], bool], Callable[[Mapping[str, Any]], int | None]]
"""The condition of a rule and its action, from an info.

The rule is skipped if its action is None or not allowed.
"""


class Random(Explorer):
    """Chooses uniformly among the allowed actions."""

    name = "random"

    def choose(self, situation: Situation) -> int:
        """See `Explorer`."""
        return self.random.randrange(len(situation.actions))


class Strict(Explorer):
    """Follows a script: the first rule that holds gives the action; otherwise it is random.

    Rules are functions of infos; rules for predicates are `(lambda info:
    predicate(read_replicas(info)), lambda info: 0)`.
    """

    name = "strict"

    def __init__(self, seed: int = 0, *, rules: Sequence[Rule] = ()) -> None:
        """Follow rules.

        Args:
            seed: Seed of the choices without a rule.
            rules: Rules; the first one that holds applies.
        """
        super().__init__(seed)
        self._rules = tuple(rules)

    def choose(self, situation: Situation) -> int:
        """See `Explorer`."""
        for holds, action in self._rules:
            if holds(situation.info):
                wanted = action(situation.info)
                if wanted in situation.actions:
                    return situation.actions.index(wanted)
        return self.random.randrange(len(situation.actions))
