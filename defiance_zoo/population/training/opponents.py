# SPDX-License-Identifier: GPL-2.0-only
"""The opponents of a learning agent."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from defiance_zoo.population.games.normal_form import Floats
from defiance_zoo.population.members.players import Player

LEAST = 1e-3
"""Default probability below which an opponent is never sampled."""


@dataclass(frozen=True)
class Opponents:
    """Policies of each role, and their probabilities."""

    players: Mapping[str, tuple[Player, ...]]
    weights: Mapping[str, tuple[float, ...]]

    @classmethod
    def of(
        cls,
        names: Mapping[str, Sequence[str]],
        mixtures: Mapping[str, Floats],
        find: Callable[[str], Player],
        least: float = LEAST,
    ) -> Opponents:
        """Return the policies that can be sampled.

        Args:
            names: Names of the policies of each role.
            mixtures: Mixtures of each role, a distribution over its policies.
            find: Returns the player of a name; it is called only for policies that can be sampled.
            least: Probability below which a policy is left out.
        """
        opponent_names, weights = {}, {}
        for role, mixture in mixtures.items():
            kept = [
                (name, float(each))
                for name, each in zip(names[role], mixture, strict=True)
                if each > 0 and each >= min(least, float(max(mixture)))
            ]
            total = sum(each for _, each in kept)
            opponent_names[role] = tuple(find(name) for name, _ in kept)
            weights[role] = tuple(each / total for _, each in kept)
        return cls(opponent_names, weights)

    def draw(self, role: str, draw: np.random.Generator) -> Player:
        """Draw the policy for a seat of a role."""
        return self.players[role][int(draw.choice(len(self.weights[role]), p=self.weights[role]))]

    def packed(self) -> Opponents:
        """Return the same opponents for machines without this machine's files."""
        players = {
            role: tuple(player.packed() for player in each) for role, each in self.players.items()
        }
        return Opponents(players, self.weights)
