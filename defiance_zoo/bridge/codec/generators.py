# SPDX-License-Identifier: GPL-2.0-only
"""States of the random generators of spaces, with which snapshots and saved states continue."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from defiance_zoo.bridge.codec.spaces import Space

GeneratorState = Mapping[str, Any]
"""The state of a generator of NumPy, in plain values."""


def read_generators(*spaces: Space) -> list[GeneratorState]:
    """Return the states of the generators of spaces; nested spaces have their own."""
    return [each.bit_generator.state for each in _find_generators(spaces)]


def set_generators(states: list[GeneratorState], *spaces: Space) -> None:
    """Set the generators of equal spaces to the result of `read_generators()`."""
    for each, state in zip(_find_generators(spaces), states, strict=True):
        each.bit_generator.state = state


def _find_generators(spaces: Any) -> Iterator[np.random.Generator]:
    for space in spaces:
        yield space.np_random
        inner = getattr(space, "spaces", ())
        yield from _find_generators(inner.values() if isinstance(inner, Mapping) else inner)
