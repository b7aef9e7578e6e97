# SPDX-License-Identifier: GPL-2.0-only
"""Action spaces whose `sample()` takes agents' masks.

PettingZoo's checkers, and most programs for PettingZoo, draw actions by `sample(mask)` with the
mask in the infos or the observation. Gymnasium's spaces take int8 arrays, or tuples of int8 arrays,
in other shapes; a scenario's mask is one flat sequence.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any, ClassVar

from gymnasium import spaces

from defiance_zoo.bridge.codec.masks import as_gymnasiums
from defiance_zoo.bridge.codec.spaces import element_names, name_elements


class _TakesMasks:
    """A space that takes flat masks as well as Gymnasium's masks.

    Pickles hold Gymnasium's space, so they can be read without this package.
    """

    _PLAIN: ClassVar[type[spaces.Space[Any]]]

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        """Draw an action; `defiance_zoo.bridge.codec.masks` defines masks."""
        assert isinstance(self, spaces.Space)
        given = None if mask is None else as_gymnasiums(self, mask)
        return self._PLAIN.sample(self, given, probability)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        other = type(self).__new__(type(self))
        other.__dict__.update(deepcopy(self.__dict__, memo))
        return other

    def __reduce_ex__(self, protocol: Any) -> Any:
        return object.__new__, (self._PLAIN,), self.__dict__


class _Discrete(_TakesMasks, spaces.Discrete[Any]):
    _PLAIN = spaces.Discrete


class _MultiDiscrete(_TakesMasks, spaces.MultiDiscrete):
    _PLAIN = spaces.MultiDiscrete


class _MultiBinary(_TakesMasks, spaces.MultiBinary):
    _PLAIN = spaces.MultiBinary


def take_masks(space: spaces.Space[Any]) -> spaces.Space[Any]:
    """Return an equal space that takes masks; the space itself if its kind has no masks."""
    taking: spaces.Space[Any]
    if isinstance(space, spaces.Discrete):
        taking = _Discrete(space.n, start=space.start)
    elif isinstance(space, spaces.MultiDiscrete):
        taking = _MultiDiscrete(space.nvec, start=space.start)
    elif isinstance(space, spaces.MultiBinary):
        taking = _MultiBinary(space.n)
    else:
        return space
    name_elements(taking, element_names(space))
    return taking
