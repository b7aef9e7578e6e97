# SPDX-License-Identifier: GPL-2.0-only
"""Games in normal form, and the gain of deviations from mixtures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from defiance_zoo.errors import ParameterError

Floats = NDArray[np.float64]

Mixtures = tuple[Floats, ...]
"""A distribution over strategies for each role, each of shape (strategies of the role,)."""

_CONSTANT = 1e-9
"""Maximum difference of payoff sums in a constant-sum game, relative to the payoffs' range."""

_ROUNDING = 4 * float(np.finfo(np.float64).eps)
"""Rounding errors of payoff sums and means, relative to the greatest absolute payoff."""


@dataclass(frozen=True)
class NormalForm:
    """A finite game.

    Seats of one role have the same strategies and are exchangeable: a payoff depends only on the
    number of other seats of each strategy.

    Attributes:
        payoffs: Payoffs of each seat, float64 of shape (strategies of seat 0, strategies of seat 1,
            ...).
        roles: Number of the role of each seat, from 0 on.
        scores: In the form of `payoffs`: the probability of earning more than the others plus half
            the probability of earning equally; None if unknown.
    """

    payoffs: tuple[Floats, ...]
    roles: tuple[int, ...]
    scores: tuple[Floats, ...] | None = None

    def __post_init__(self) -> None:
        if len(self.payoffs) != len(self.roles) or len(self.roles) < 2:
            raise ParameterError(
                f"{len(self.payoffs)} arrays of payoffs and roles={self.roles}: a game has two "
                "seats or more, with payoffs and a role for each"
            )
        if set(self.roles) != set(range(len(self.strategies))):
            raise ParameterError(f"roles={self.roles} do not count from 0")
        expected = tuple(self.strategies[role] for role in self.roles)
        for seat, array in enumerate(self.payoffs):
            if array.shape != expected:
                raise ParameterError(
                    f"the payoffs of seat {seat} have the shape {array.shape}, not {expected}"
                )
            if not np.isfinite(array).all():
                raise ParameterError(f"payoffs of seat {seat} are unknown or not finite")

    @classmethod
    def symmetric(cls, payoffs: ArrayLike) -> NormalForm:
        """Return a game of two seats of one role.

        Args:
            payoffs: Payoffs of the row against the column, shape (strategies, strategies).
        """
        array = np.asarray(payoffs, np.float64)
        return cls((array, array.T.copy()), (0, 0))

    @property
    def strategies(self) -> tuple[int, ...]:
        """Number of strategies of each role."""
        shape = self.payoffs[0].shape
        if len(shape) != len(self.roles):
            raise ParameterError(f"payoffs of shape {shape} for {len(self.roles)} seats")
        counts = {role: shape[seat] for seat, role in enumerate(self.roles)}
        return tuple(counts[role] for role in sorted(counts))

    @property
    def seats(self) -> int:
        """Number of seats."""
        return len(self.roles)

    @property
    def constant_sum(self) -> float | None:
        """The constant sum of the payoffs of two seats; None if the sum is not constant."""
        if self.seats != 2:
            return None
        first, second = _scale_exactly(self.payoffs)
        spread = max(float(np.ptp(first)), float(np.ptp(second)))
        if float(np.ptp(first + second)) > _CONSTANT * spread + _ROUNDING:
            return None
        return float(self.payoffs[0].flat[0] + self.payoffs[1].flat[0])

    def unit(self) -> NormalForm:
        """Return the game with payoffs scaled to 0 to 1; best responses stay the same.

        The least payoff of each role becomes 0, and one factor makes the greatest range 1.
        """
        scaled = _scale_exactly(self.payoffs)
        least = [
            min(array.min() for array, each in zip(scaled, self.roles, strict=True) if each == role)
            for role in range(len(self.strategies))
        ]
        moved = [array - least[role] for array, role in zip(scaled, self.roles, strict=True)]
        spread = max(float(array.max()) for array in moved) or 1.0
        return replace(self, payoffs=tuple(array / spread for array in moved))

    def deviations(self, mixtures: Mixtures) -> Mixtures:
        """Return the payoff of each role's strategies while all others play mixtures."""
        by_seat = self.by_seat(mixtures)
        first = [self.roles.index(role) for role in range(len(mixtures))]
        return tuple(expect(self.payoffs[seat], seat, by_seat) for seat in first)

    def values(self, mixtures: Mixtures) -> tuple[float, ...]:
        """Return, for each role, a seat's payoff while all play mixtures."""
        pairs = zip(mixtures, self.deviations(mixtures), strict=True)
        return tuple(float(mixture @ earned) for mixture, earned in pairs)

    def by_seat(self, mixtures: Sequence[Any]) -> list[Any]:
        """Return the value of each seat, from the values of the roles."""
        return [mixtures[role] for role in self.roles]


def expect(payoffs: Floats, seat: int, mixtures: Sequence[Floats]) -> Floats:
    """Return the payoffs of a seat's strategies while the other seats play mixtures.

    `payoffs` has an axis for each seat; the seat's own axis may have any length.
    """
    left = payoffs
    for axis in reversed(range(seat + 1, len(mixtures))):
        left = left @ mixtures[axis]
    for axis in range(seat):
        left = (mixtures[axis] @ left.reshape(len(left), -1)).reshape(left.shape[1:])
    return left


def uniform_mixtures(game: NormalForm) -> Mixtures:
    """Return the uniform mixtures."""
    return tuple(np.full(count, 1 / count) for count in game.strategies)


def to_unit(payoffs: Floats) -> Floats:
    """Scale the payoffs of one seat to 0 to 1; zeros if all are equal."""
    (scaled,) = _scale_exactly([payoffs])
    moved: Floats = scaled - scaled.min()
    return moved / (float(moved.max()) or 1.0)


def rounding_of(payoffs: Sequence[Floats]) -> float:
    """Return the rounding errors of payoff means, relative to the payoffs' range.

    The errors are large if a common offset of payoffs exceeds their differences; 0 if all payoffs
    are equal.
    """
    scaled = _scale_exactly(payoffs)
    spread = max(float(np.ptp(array)) for array in scaled)
    return _ROUNDING / spread if spread else 0.0


def _scale_exactly(payoffs: Sequence[Floats]) -> list[Floats]:
    """Scale payoffs by a power of two, so that the greatest absolute payoff is about 1.

    Differences of the result do not overflow.
    """
    _, exponent = np.frexp(max(float(np.abs(array).max()) for array in payoffs))
    return [np.ldexp(array, -exponent) for array in payoffs]


def to_distribution(weights: ArrayLike) -> Floats:
    """Normalise weights; negative weights become 0, and all zeros become uniform."""
    kept = np.clip(np.asarray(weights, np.float64), 0, None)
    total = kept.sum()
    return kept / total if total > 0 else np.full(len(kept), 1 / len(kept))


@dataclass(frozen=True)
class Exploitability:
    """The gain of best responses over mixtures; exact for the strategies of the table.

    If other strategies exist, it is a lower bound.

    Attributes:
        gains: For each role, the gain of a seat's best deviation; at least 0.
        values: For each role, a seat's payoff under the mixtures.
        roles: Number of the role of each seat.
    """

    gains: tuple[float, ...]
    values: tuple[float, ...]
    roles: tuple[int, ...]

    @property
    def nash_conv(self) -> float:
        """Sum of the gains of all seats; 0 in an equilibrium."""
        return sum(self.gains[role] for role in self.roles)

    @property
    def mean(self) -> float:
        """Mean of the gains of all seats, called exploitability in zero-sum games."""
        return self.nash_conv / len(self.roles)


def exploitability(
    game: NormalForm, mixtures: Mixtures, further: Sequence[Floats] = ()
) -> Exploitability:
    """Return the gain of best responses over mixtures.

    NashConv is the sum over seats i of max_s u_i(s, m_-i) - u_i(m) (Lanctot et al., 2017).

    Args:
        game: Game with the strategies of the mixtures.
        mixtures: Mixtures of each role.
        further: For each role, payoffs of further strategies against the mixtures, shape
            (strategies,), which may be empty. These strategies are used only as deviations.
    """
    earned = game.deviations(mixtures)
    values = game.values(mixtures)
    extra = further or [np.empty(0)] * len(values)
    gains = tuple(
        max(0.0, float(np.concatenate([own, more]).max()) - value)
        for own, more, value in zip(earned, extra, values, strict=True)
    )
    return Exploitability(gains, values, game.roles)
