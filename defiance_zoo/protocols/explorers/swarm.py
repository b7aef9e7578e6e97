# SPDX-License-Identifier: GPL-2.0-only
"""Swarm testing: each episode has other kinds of actions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from defiance_zoo.envs.partition.actions import find_actions
from defiance_zoo.errors import ParameterError
from defiance_zoo.protocols.explorers.explorer import Explorer, Random, Situation, has_replicas
from defiance_zoo.protocols.explorers.q_learning import check_share

_KEEP = "keep"


class Swarm(Explorer):
    """Draws, for each episode, which kinds of actions exist and how often; another explorer acts.

    After Groce et al., Swarm testing, ISSTA 2012. A kind is a kind of `Action`; without infos about
    replicas, each action is a kind. Doing nothing always exists. A kind that exists has a rate
    above 0 to 1, and is allowed in a step with this probability. The other explorer sees only the
    allowed actions of these kinds; if there are none, it sees all.

    Attributes:
        inner: The explorer that chooses.
    """

    name = "swarm"

    def __init__(self, seed: int = 0, *, inner: Explorer | None = None, share: float = 0.5) -> None:
        """Begin without a known kind.

        Args:
            seed: Seed of random choices, without an explorer.
            inner: Explorer that chooses; by default a random one.
            share: Probability that a kind exists in an episode, above 0 to 1.

        Raises:
            ParameterError: The share is out of range, or the explorer has its own order of actions.
        """
        super().__init__(seed)
        self.inner = Random(seed) if inner is None else inner
        if isinstance(inner, Swarm) or type(self.inner).explore is not Explorer.explore:
            raise ParameterError(f"{self.name} cannot select the actions of {self.inner.name}")
        self.random = self.inner.random  # otherwise both would draw the same numbers
        self._share = check_share("share", share, zero=False)
        self._rates: dict[str, float] = {}
        self._shown: tuple[Situation, list[int]] | None = None

    def pick_seed(self, seed: int) -> int:
        return self.inner.pick_seed(seed)

    def begin(self, situation: Situation) -> None:
        self._rates, self._shown = {}, None
        self.inner.begin(situation)

    def choose(self, situation: Situation) -> int:
        kinds = _read_kinds(situation)
        open_ = {kind: self.random.random() < self._rate(kind) for kind in dict.fromkeys(kinds)}
        kept = [position for position, kind in enumerate(kinds) if open_[kind]]
        kept = kept or list(range(len(kinds)))
        shown = situation.only(kept)
        self._shown = shown, kept
        return kept[self.inner.choose(shown)]

    def _rate(self, kind: str) -> float:
        """Return the probability that a kind of action is allowed in a step of this episode."""
        if kind not in self._rates:
            exists = kind == _KEEP or self.random.random() < self._share
            self._rates[kind] = 1 - self.random.random() if exists else 0.0
        return self._rates[kind]

    def learn(
        self, situation: Situation, position: int, after: Situation, terminated: bool
    ) -> None:
        if self._shown is not None and position in self._shown[1]:
            shown, kept = self._shown
            situation, position = shown, kept.index(position)
        self.inner.learn(situation, position, after, terminated)

    def finish(self) -> None:
        self.inner.finish()

    def get_state(self) -> dict[str, Any]:
        return {**super().get_state(), "inner": self.inner.get_state()}

    def _take_over(self, state: Mapping[str, Any]) -> None:
        super()._take_over(state)
        self.inner.set_state(state["inner"])


def _read_kinds(situation: Situation) -> list[str]:
    """Return the kind of each allowed action."""
    if not has_replicas(situation.info):
        return list(situation.keys)
    actions = find_actions(situation.info)
    return [actions[number].kind for number in situation.actions]
