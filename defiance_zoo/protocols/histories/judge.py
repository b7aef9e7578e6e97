# SPDX-License-Identifier: GPL-2.0-only
"""Checks of clients' histories while an episode is played."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from defiance_zoo.protocols.histories.checking import explain
from defiance_zoo.protocols.histories.operation import Operation, note_events
from defiance_zoo.protocols.histories.search import MOST_STATES, TooManyStates, find_order
from defiance_zoo.protocols.histories.sessions import EXPLAINED, find_breach

UNDECIDED = ": undecided from here on"
"""A part of the warning of an abandoned check."""

_SESSIONS = 2
"""Number of clients that send requests in turn, where the history names none."""


class HistoryJudge:
    """Finds violations of a guarantee in the histories of an episode, step by step.

    Each register is reported once, or each set of broken guarantees of all registers together. When
    the searches of the episode have visited `MOST_STATES` states, the rest is undecided.
    """

    def __init__(self, consistency: str = "linearizability") -> None:
        self._consistency, self._is_by_key = consistency, consistency == "linearizability"
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
                sessions = 0 if self._is_by_key else _SESSIONS
                answered |= note_events(self._requests, info["history"], sessions)
        if self._states_left <= 0 or not answered:
            return {}
        checks: list[Callable[[], str]] = [self._check_sessions]
        if self._is_by_key:
            checks = [partial(self._check, key) for key in sorted(answered - self._reported)]
        added, lines = dict[str, str](), list[str]()
        try:
            for check in checks:
                lines.append(check())
        except TooManyStates:
            self._states_left = 0
        added["violations"] = "\n".join(filter(None, lines))
        if self._states_left <= 0:
            count = sum(each.responded is not None for each in self._requests.values())
            added["warnings"] = (
                f"{self._consistency}{UNDECIDED}, after {MOST_STATES:,} states for "
                f"{count} answered requests"
            )
        return {name: text for name, text in added.items() if text}

    def _check_sessions(self) -> str:
        """Return the violation of all registers together; empty if there is none."""
        requests = self._requests.values()
        breach, states = find_breach(requests, self._consistency, 0, self._states_left)
        self._states_left -= states
        if breach is None or breach.name in self._reported:
            return ""
        self._reported.add(breach.name)
        return str(breach).replace("\n  ", "; ")

    def _check(self, key: Any) -> str:
        """Return the violation of a register; empty if there is none."""
        operations = [each for each in self._requests.values() if each.key == key]
        possible, states = find_order(operations, 0, most_states=self._states_left)
        self._states_left -= states
        if possible:
            return ""
        self._reported.add(key)
        try:
            found = str(explain(operations, 0, EXPLAINED))
        except TooManyStates:
            found = f"not linearizable: key {key!r}, {len(operations)} requests"
        return "linearizability: " + found.replace("\n  ", "; ")
