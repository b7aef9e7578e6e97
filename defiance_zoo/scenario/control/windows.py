# SPDX-License-Identifier: GPL-2.0-only
"""Observations of a plant as an agent knows them: the newest one, or a window of the last ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from defiance_zoo.scenario.control.plants import neutral_value
from defiance_zoo.scenario.simulation import refuse
from defiance_zoo.scenario.spaces import Box, Dict, MultiBinary

FARTHEST = 3.4028235e38
"""The largest number of the element type of ages."""


def shorten(value: Any, bits: int) -> Any:
    """Return floating-point numbers as integers: IEEE's half precision, or its first 8 bits."""
    import numpy

    largest = 65504.0 if bits == 16 else 57344.0
    half = numpy.clip(value, -largest, largest).astype(numpy.float16).view(numpy.uint16)
    return half if bits == 16 else ((half + 0x80) >> 8).astype(numpy.uint8)


def lengthen(value: Any, bits: int, space: Any) -> Any:
    """Return the numbers of `shorten()` in a space, within its bounds."""
    import numpy

    half = (numpy.array(value, numpy.uint16) << (16 - bits)).view(numpy.float16)
    return numpy.clip(half.astype(space.dtype).reshape(space.shape), space.low, space.high)


class Newest:
    """The newest observation that has arrived.

    Attributes:
        tick: Number of the plant's step that the observation belongs to; -1: none has arrived.
    """

    def __init__(self, space: Any) -> None:
        self.space, self.tick, self._value = space, -1, None

    def add(self, tick: int, value: Any) -> bool:
        """Note an observation, and return whether it is newer than all others."""
        if tick <= self.tick:
            return False
        self.tick, self._value = tick, value
        return True

    def value(self, age: Callable[[int], float]) -> Any:
        """Return the agent's observation; a function returns a step's age in seconds."""
        return self._value


class Window(Newest):
    """The observations of the last steps up to the newest one, which is the first.

    A step whose observation has not arrived has zeros, or the nearest values of the space.
    """

    def __init__(self, space: Any, length: int) -> None:
        import numpy

        if type(space).__name__ != "Box":
            refuse(f"window={length} needs a plant whose observations are a Box, not {space!r}")
        low, high = (numpy.stack([each] * length) for each in (space.low, space.high))
        spaces = {
            "observations": Box(low, high, low.shape, str(space.dtype)),
            "mask": MultiBinary(length),
            "ages": Box(0.0, FARTHEST, (length,)),
        }
        super().__init__(Dict(spaces))
        self._slots, self._shape = range(length), space.shape
        self._empty = neutral_value(space)
        self._arrived: dict[int, Any] = {}
        self._numpy = numpy

    def add(self, tick: int, value: Any) -> bool:
        is_newest = super().add(tick, value)
        seen = self._numpy.array(value)  # an element of another type is not converted unseen
        self._arrived[tick] = seen.reshape(self._shape) if seen.size == 1 else seen
        oldest = self.tick - len(self._slots)
        self._arrived = {each: seen for each, seen in self._arrived.items() if each > oldest}
        return is_newest

    def value(self, age: Callable[[int], float]) -> Any:
        arrived = [self._arrived.get(self.tick - slot) for slot in self._slots]
        return {
            "observations": self._numpy.stack([self._empty if v is None else v for v in arrived]),
            "mask": [int(value is not None) for value in arrived],
            "ages": [age(self.tick - slot) for slot in self._slots],
        }
