# SPDX-License-Identifier: GPL-2.0-only
"""Shrinking of recordings with a sought property."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, Protocol, TypeVar

from defiance_zoo.bridge.simulation import RngState
from defiance_zoo.environments.episodes.episodes import Episodes
from defiance_zoo.errors import InvalidRecording, SimulationError
from defiance_zoo.experiments.workbench.events import EventCallback, ignore
from defiance_zoo.recording.recording import RecordedRound, RecordedStep, Recording
from defiance_zoo.recording.replaying import decide, note_round

_Item = TypeVar("_Item")


class Effort:
    """Counts the plays of a search, estimates the remaining ones, and stops at a budget.

    Attributes:
        plays: Number of episodes that were played.
        kept: Number of items that the current selection keeps.
        left: Maximum number of further plays if no further item can be left out; after a complete
            search 0.
    """

    def __init__(self, budget_s: float = math.inf, report: EventCallback = ignore) -> None:
        """Begin with no play.

        `report`: called with events `shrinking` before each play: `plays`, `kept`, `left` and
        `remaining_s`.
        """
        self.plays = self.kept = self.left = 0
        self._began, self._budget_s, self._report = time.monotonic(), budget_s, report

    def allows(self, kept: int, left: int) -> bool:
        """Return whether another episode may be played; count it."""
        self.kept, self.left = kept, left
        passed = time.monotonic() - self._began
        if passed >= self._budget_s:
            return False
        each = passed / self.plays if self.plays else 0.0
        event = {"event": "shrinking", "plays": self.plays, "kept": kept, "left": left}
        self._report({**event, "remaining_s": round(each * left, 1)})
        self.plays += 1
        return True


def minimize(
    items: Sequence[_Item],
    holds: Callable[[Sequence[_Item]], bool],
    effort: Effort | None = None,
) -> tuple[_Item, ...]:
    """Return some of the items, in their order, none of which can be left out alone.

    By algorithm ddmin (Zeller and Hildebrandt 2002, "Simplifying and isolating failure-inducing
    input"): it tries parts and their complements, larger ones first.

    `holds` is called at most once for each selection, and never for all items. If the budget of
    `effort` is spent, some items may be unnecessary.
    """
    effort = effort or Effort()
    tried: dict[tuple[int, ...], bool] = {tuple(range(len(items))): True}
    kept, parts = tuple(range(len(items))), 2
    while kept:
        parts = min(parts, len(kept))
        smaller = None
        selections = _selections(kept, parts)
        for number, each in enumerate(selections):
            if each not in tried:
                left = len(selections) - number + _count_later(len(kept), parts)
                if not effort.allows(len(kept), left):
                    return tuple(items[index] for index in kept)
                tried[each] = holds([items[index] for index in each])
            if tried[each]:
                smaller = each
                break
        if smaller is not None:
            parts = 2 if len(smaller) * 2 <= len(kept) else max(parts - 1, 2)
            kept = smaller
        elif parts == len(kept):
            break
        else:
            parts *= 2
    effort.left = 0
    return tuple(items[index] for index in kept)


def _count_later(size: int, parts: int) -> int:
    """Return the number of selections with more parts, if no item can be left out."""
    found = 0
    while parts < size:
        parts = min(parts * 2, size)
        found += 2 * parts
    return found


def _selections(kept: tuple[int, ...], parts: int) -> list[tuple[int, ...]]:
    """Return parts of about equal size, and their complements; nothing for a single item."""
    if len(kept) == 1:
        return [()]
    ends = [len(kept) * part // parts for part in range(parts + 1)]
    pieces = [kept[begin:end] for begin, end in pairwise(ends)]
    rests = [kept[:begin] + kept[end:] for begin, end in pairwise(ends)]
    return [*pieces, *rests]


Intents = Mapping[str, Any]
"""The intents of the agents of one round, by name."""

Turn = Sequence[Intents]
"""Intents that are dropped together: no agent acts twice in a turn."""

Settled = tuple["Reading", Sequence[Turn]]
"""Turns that a reading cannot shrink, or that do not lead to the sought property."""

Seek = Callable[[RecordedRound], bool]
"""Returns whether a round has the sought property."""

Keep = Callable[[Recording], object]
"""Keeps the shortest recording so far."""


class Reading(Protocol):
    """The reading of a recording's actions as intents, which can be repeated in other states."""

    def intents(self, recording: Recording) -> list[Intents]:
        """Return the intents of each round that was answered."""

    def choose(self, agent: str, intent: Any, step: RecordedStep) -> Any:
        """Return the action that fulfils an agent's intent at a message; None: there is none."""


class ByValue:
    """A reading in which the action is the intent."""

    def intents(self, recording: Recording) -> list[Intents]:
        return recording.decisions

    def choose(self, agent: str, intent: Any, step: RecordedStep) -> Any:
        return intent


def shrink(
    recording: Recording,
    player: Episodes,
    seek: Seek,
    readings: Sequence[Reading] = (ByValue(),),
    effort: Effort | None = None,
    keep: Keep = lambda _shorter: None,
) -> Recording:
    """Return a recording with fewer actions that has the same property.

    Turns are left out as long as the property is still found. A selection is rejected if an action
    becomes forbidden, or another agent decides. Rounds after the first one with the property are
    left out as well.

    Args:
        recording: An episode with the property.
        player: Episodes of the same environment and parameters.
        seek: Returns whether a round has the property.
        readings: Readings of actions. In the result, no reading can leave out another turn.
        effort: Its budget ends the search with the best recording so far; then `left` is not 0.
        keep: Called with each recording that is shorter than all before, which an interruption
            of the search would lose.

    Raises:
        InvalidRecording: The replayed episode does not have the property.
    """
    by_value, effort = ByValue(), effort or Effort()
    whole = _play(recording.rng, player, read_turns(recording.decisions), by_value, seek)
    if whole is None:
        raise InvalidRecording("the sought property is not found when the episode is played again")
    best = _with(recording, whole)
    keep(best)
    settled: list[Settled] = []
    while True:
        shorter = best
        for reading in readings:
            if not effort.left:
                shorter = _shrink(shorter, player, seek, reading, settled, effort, keep)
        if effort.left or len(shorter.decisions) == len(best.decisions):
            return shorter
        best = shorter


def _shrink(
    recording: Recording,
    player: Episodes,
    seek: Seek,
    reading: Reading,
    settled: list[Settled],
    effort: Effort,
    keep: Keep,
) -> Recording:
    """Leave out turns in one reading; add irreducible turns to `settled`."""
    turns = read_turns(reading.intents(recording))
    if (reading, turns) in settled:  # episodes repeat themselves: the result would be the same
        return recording

    shorter = recording

    def holds(some: Sequence[Turn]) -> bool:
        nonlocal shorter
        rounds = _play(recording.rng, player, some, reading, seek)
        if rounds is not None and len(some) < len(turns):
            shorter = _with(recording, rounds)
            keep(shorter)
        return rounds is not None

    if not holds(turns):  # the intent is no longer the same
        settled.append((reading, turns))
        return recording
    settled.append((reading, list(minimize(turns, holds, effort))))
    return shorter


def read_turns(rounds: Sequence[Intents]) -> list[Turn]:
    """Return the intents of agents as turns, in which no agent acts twice."""
    turns: list[list[Intents]] = []
    acted: set[str] = set()
    for each in rounds:
        if not turns or acted & each.keys():
            turns.append([])
            acted = set()
        turns[-1].append(each)
        acted |= each.keys()
    return list(turns)


def _with(recording: Recording, rounds: Sequence[RecordedRound]) -> Recording:
    over = not rounds[-1].asked
    outcome = recording.outcome if over else "unfinished"
    return replace(recording, rounds=tuple(rounds), outcome=outcome, captures=())


def _play(
    rng: RngState, player: Episodes, turns: Sequence[Turn], reading: Reading, seek: Seek
) -> list[RecordedRound] | None:
    """Play turns until the property is found; None if it is not, or an action is forbidden."""
    rounds: list[RecordedRound] = []
    try:
        for each in follow(rng, player, turns, reading):
            rounds.append(each)
            if seek(each):
                return [*rounds[:-1], replace(each, actions={})]
    except (SimulationError, InvalidRecording):
        return None
    return None


def follow(
    rng: RngState,
    player: Episodes,
    turns: Sequence[Turn],
    reading: Reading,
    *,
    skips: bool = False,
) -> Iterator[RecordedRound]:
    """Yield the played rounds, until no turn is left or an action is forbidden."""
    here = note_round(player.repeat(rng), {})
    for number, intents in enumerate(each for turn in turns for each in turn):
        actions = _choose(reading, intents, here)
        if actions is None and skips and here.asked:
            continue
        if actions is None:
            yield here
            return
        yield replace(here, actions=actions)
        decide(player, actions, number)
        here = note_round(player.advance(), {})
    yield here


def _choose(reading: Reading, intents: Intents, here: RecordedRound) -> dict[str, Any] | None:
    if intents.keys() != here.asked.keys():
        return None
    actions = {a: reading.choose(a, intent, here.asked[a]) for a, intent in intents.items()}
    return None if None in actions.values() else actions
