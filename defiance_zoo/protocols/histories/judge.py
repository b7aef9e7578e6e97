# SPDX-License-Identifier: GPL-2.0-only
"""Checks of clients' histories while an episode is played."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from typing import Any

from defiance_zoo.protocols.histories.checking import explain
from defiance_zoo.protocols.histories.operation import Operation, note_events
from defiance_zoo.protocols.histories.search import MOST_STATES, TooManyStates, find_order

UNDECIDED = "linearizability: undecided"
"""The beginning of the warning of an abandoned check."""

_EXPLAINED = 20_000
"""Maximum number of visited states in each search for a shorter explanation."""


class HistoryJudge:
    """Finds violations of linearizability in the histories of an episode, step by step.

    Each register is reported once. When the searches of the episode have visited `MOST_STATES`
    states, the rest of the episode is undecided.
    """

    def __init__(self) -> None:
        self._requests: dict[int, Operation] = {}
        self._reported: set[Any] = set()
        self._states_left = MOST_STATES

    def copy(self) -> HistoryJudge:
        """Return an independent judge of the same episode."""
        other = copy.copy(self)
        other._requests, other._reported = dict(self._requests), set(self._reported)
        return other

    def judge(self, infos: Iterable[Mapping[str, Any]]) -> dict[str, str]:
        """Return lines to add to the infos of a round: `violations` and `warnings`, if any."""
        answered: set[Any] = set()
        for info in infos:
            if "history" in info:  # other environments may have equal names of parameters
                answered |= note_events(self._requests, info["history"])
        added = {}
        if self._states_left > 0:
            try:
                lines = [self._check(key) for key in sorted(answered - self._reported)]
                added["violations"] = "\n".join(filter(None, lines))
            except TooManyStates:
                self._states_left = 0
                count = sum(each.responded is not None for each in self._requests.values())
                added["warnings"] = (
                    f"{UNDECIDED} from here on, after {MOST_STATES:,} states for "
                    f"{count} answered requests"
                )
        return {name: text for name, text in added.items() if text}

    def _check(self, key: Any) -> str:
        """Return the violation of a register; empty if there is none."""
        operations = [each for each in self._requests.values() if each.key == key]
        possible, states = find_order(operations, 0, most_states=self._states_left)
        self._states_left -= states
        if possible:
            return ""
        self._reported.add(key)
        try:
            found = str(explain(operations, 0, _EXPLAINED))
        except TooManyStates:
            found = f"not linearizable: key {key!r}, {len(operations)} requests"
        return "linearizability: " + found.replace("\n  ", "; ")
