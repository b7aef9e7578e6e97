# SPDX-License-Identifier: GPL-2.0-only
"""ns-3's random numbers in Python: its generator, and its gamma variable.

The generator is MRG32k3a: P. L'Ecuyer, "Good parameters and implementations for combined multiple
recursive random number generators", Operations Research 47(1), 1999. Its streams are 2^127 and
substreams 2^76 numbers apart (L'Ecuyer, Simard, Chen and Kelton, "An object-oriented random-number
package with many long streams and substreams", Operations Research 50(6), 2002).
"""

from __future__ import annotations

import functools
import math

_MODULI = (4294967087, 4294944443)
_STEPS = (
    ((0, 1, 0), (0, 0, 1), (-810728, 1403580, 0)),
    ((0, 1, 0), (0, 0, 1), (-1370589, 0, 527612)),
)
"""Matrices that advance the state of each component by one number."""

_STREAM, _SUBSTREAM = 127, 76
_CONFIGURED = 2**63
"""The first of ns-3's numbered streams; earlier streams are automatic."""

Matrix = tuple[tuple[int, ...], ...]


def _multiply(left: Matrix, right: Matrix, modulus: int) -> Matrix:
    columns = list(zip(*right, strict=True))
    return tuple(
        tuple(sum(a * b for a, b in zip(row, column, strict=True)) % modulus for column in columns)
        for row in left
    )


@functools.cache
def _power_of_two(component: int, exponent: int) -> Matrix:
    """Return the change of a component's state with 2^exponent numbers."""
    if exponent == 0:
        return _STEPS[component]
    half = _power_of_two(component, exponent - 1)
    return _multiply(half, half, _MODULI[component])


def _jump(component: int, state: list[int], times: int, exponent: int) -> list[int]:
    """Return the state after times x 2^exponent numbers."""
    column: Matrix = tuple((each,) for each in state)
    for bit in range(times.bit_length()):
        if times >> bit & 1:
            matrix = _power_of_two(component, exponent + bit)
            column = _multiply(matrix, column, _MODULI[component])
    return [each[0] for each in column]


class RngStream:
    """A stream of ns-3's generator.

    Args:
        seed: `RngSeed` of the episode, from 1 to 4294944442.
        stream: Argument of `SetStream()`, at least 0.
        run: `RngRun` of the episode.
    """

    def __init__(self, seed: int, stream: int, run: int) -> None:
        states = []
        for component in range(2):
            begin = _jump(component, [seed] * 3, _CONFIGURED + stream, _STREAM)
            states.append(_jump(component, begin, run, _SUBSTREAM))
        self._first, self._second = states

    def draw(self) -> float:
        """Return the next number, from 0 to 1, both excluded."""
        first, second = self._first, self._second
        one = (1403580 * first[1] - 810728 * first[0]) % 4294967087
        two = (527612 * second[2] - 1370589 * second[0]) % 4294944443
        self._first = [first[1], first[2], one]
        self._second = [second[1], second[2], two]
        difference = one - two if one > two else one - two + 4294967087
        return difference * (1.0 / 4294967088.0)


class GammaVariable:
    """Gamma variates with scale 1, as ns-3's `GammaRandomVariable` draws them.

    The method is that of G. Marsaglia and W. W. Tsang, "A simple method for generating gamma
    variables", ACM Transactions on Mathematical Software 26(3), 2000, with normal variates by the
    polar method; each pair of them gives two.

    Args:
        stream: Source of uniform variates.
    """

    def __init__(self, stream: RngStream) -> None:
        self._stream = stream
        self._kept: float | None = None

    def draw(self, shape: float) -> float:
        """Return the next variate; its shape is at least 1."""
        reduced = shape - 1.0 / 3.0
        scale = (1.0 / 3.0) / math.sqrt(reduced)
        while True:
            normal = self._draw_normal()
            cube = 1.0 + scale * normal
            if cube <= 0:
                continue
            cube = cube * cube * cube
            uniform = self._stream.draw()
            if uniform < 1 - 0.0331 * normal * normal * normal * normal:
                break
            bound = 0.5 * normal * normal + reduced * (1 - cube + math.log(cube))
            if math.log(uniform) < bound:
                break
        return reduced * cube

    def draw_beta(self, alpha: int, beta: int) -> float:
        """Return a beta variate made of two gamma variates, with whole shapes of at least 1."""
        first = self.draw(float(alpha))
        second = self.draw(float(beta))
        return first / (first + second)

    def _draw_normal(self) -> float:
        if self._kept is not None:
            kept, self._kept = self._kept, None
            return kept
        while True:
            first = 2 * self._stream.draw() - 1
            second = 2 * self._stream.draw() - 1
            radius = first * first + second * second
            if radius <= 1.0:
                factor = math.sqrt((-2 * math.log(radius)) / radius)
                self._kept = second * factor
                return first * factor
