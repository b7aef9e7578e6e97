# SPDX-License-Identifier: GPL-2.0-only
"""An explorer with random priorities and few changes of priorities."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

from defiance_zoo.envs.partition.actions import Meaning, find_action, find_actions, meaning_of
from defiance_zoo.errors import ParameterError
from defiance_zoo.protocols.explorers.explorer import (
    Explorer,
    Situation,
    has_replicas,
    read_number,
)

_NETWORK = "network"


class PCT(Explorer):
    """Takes the action of the task with the highest priority, and changes few priorities.

    After Burckhardt et al., A randomized scheduler with probabilistic guarantees of finding bugs,
    ASPLOS 2010. At the beginning of an episode, each task draws a priority. At `depth` - 1 random
    steps of the episode, the task with the highest priority gets one that is lower than all drawn
    priorities. In each step, the task with the highest priority acts, of those that may act.

    docs/protocols/exploration.md has the tasks, and the bound of the paper. Without infos about
    replicas, each action is a task.
    """

    name = "pct"

    def __init__(self, seed: int = 0, *, depth: int = 3) -> None:
        """Begin without a known length of episodes.

        Args:
            seed: Seed of random choices.
            depth: The depth d of the sought bug: one more than the number of changes; at least 1.

        Raises:
            ParameterError: The depth is less than 1.
        """
        super().__init__(seed)
        if depth < 1:
            raise ParameterError(f"depth must be at least 1, not {depth!r}")
        self._depth, self._length = depth, 1
        self._step = 0
        self._priorities: dict[Hashable, float] = {}
        self._changes: dict[int, float] = {}
        self._division: Meaning | None = None

    def begin(self, situation: Situation) -> None:
        self._step, self._priorities, self._division = 0, {}, None
        steps = range(1, self._length)
        changes = self.random.sample(steps, min(self._depth - 1, len(steps)))
        self._changes = {step: -float(rank) for rank, step in enumerate(changes, 1)}

    def choose(self, situation: Situation) -> int:
        tasks = _read_tasks(situation)
        for task in tasks:
            if task not in self._priorities:
                self._priorities[task] = self.random.random()
        if self._step in self._changes:
            task = max(tasks, key=self._priorities.__getitem__)
            self._priorities[task] = self._changes[self._step]
            if task == _NETWORK:
                self._division = None
        self._step += 1
        self._length = max(self._length, self._step)
        task = max(tasks, key=self._priorities.__getitem__)
        if task == _NETWORK:
            return self._divide(situation, tasks[task])
        return tasks[task][0]

    def _divide(self, situation: Situation, positions: list[int]) -> int:
        """Return the position of the action that makes or keeps the division."""
        actions, info = find_actions(situation.info), situation.info
        allowed = [situation.actions[position] for position in positions]
        if self._division is None:
            chosen = self.random.choice(allowed)
            self._division = meaning_of(actions[chosen], info)
        else:
            found = find_action(self._division, actions, allowed, info)
            chosen = allowed[0] if found is None else found
        return situation.actions.index(chosen)

    def get_state(self) -> dict[str, Any]:
        return {**super().get_state(), "length": self._length}

    def _take_over(self, state: Mapping[str, Any]) -> None:
        super()._take_over(state)
        self._length = int(read_number(state["length"], least=1))


def _read_tasks(situation: Situation) -> dict[Hashable, list[int]]:
    """Return the positions of the allowed actions of each task."""
    found: dict[Hashable, list[int]] = {}
    if not has_replicas(situation.info):
        return {key: [position] for position, key in enumerate(situation.keys)}
    actions, slots = find_actions(situation.info), situation.info["slots"]
    for position, number in enumerate(situation.actions):
        action = actions[number]
        replica = int(slots[action.slot]) if action.slot >= 0 else 0
        on_network = action.kind in ("keep", "create")
        found.setdefault(_NETWORK if on_network else (action.kind, replica), []).append(position)
    return found
