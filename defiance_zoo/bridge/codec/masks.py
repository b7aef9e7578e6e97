# SPDX-License-Identifier: GPL-2.0-only
"""Action masks: finding the mask of an agent, checking it, and applying it.

A mask has one entry for each choice, 1 where it is allowed and 0 where it is forbidden: booleans or
integers, in an array, a list or a tuple. `Discrete(n, start=k)` has n choices, of which the first
is k. `MultiDiscrete` has the choices of each number, one number after the other. `MultiBinary` has
two choices for each element, off and on. A mask must allow at least one choice of each number.

Action spaces of agents take such masks in `sample()`, too, because PettingZoo's checkers and most
programs for PettingZoo draw actions by `sample(mask)`. Gymnasium's spaces take int8 arrays, or
tuples of int8 arrays, in other shapes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any, ClassVar, TypeGuard

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from defiance_zoo.bridge.codec.spaces import element_names, name_elements
from defiance_zoo.errors import InvalidMask

MASK = "action_mask"
"""Name of the info, and key of the `Dict` observation, for the mask."""

Mask = NDArray[np.bool_]
"""A checked mask, shape (choices,)."""

_SHOWN = 12  # maximum entries of a mask in a message
_BYTE = frozenset({np.dtype(np.bool_), np.dtype(np.int8), np.dtype(np.uint8)})


def count_choices(space: spaces.Space[Any]) -> list[int] | None:
    """Return the number of choices of each part of an action; None if the space has no masks."""
    if isinstance(space, spaces.Discrete):
        return [int(space.n)]
    if isinstance(space, spaces.MultiDiscrete):
        counts: list[int] = space.nvec.ravel().tolist()
        return counts
    if isinstance(space, spaces.MultiBinary):
        return [2] * int(np.prod(space.shape))
    return None


def observes_mask(space: spaces.Space[Any]) -> TypeGuard[spaces.Dict]:
    """Return whether observations of a space hold a mask."""
    return isinstance(space, spaces.Dict) and MASK in space.spaces


def require_maskable(
    agent: str, observation_space: spaces.Space[Any], action_space: spaces.Space[Any]
) -> None:
    """Check the space of the mask in an agent's observations, if there is one."""
    if not observes_mask(observation_space):
        return
    size = _require_size(agent, action_space)
    part = observation_space[MASK]
    if not _holds_whole_numbers(part):
        raise InvalidMask(
            f"the {MASK!r} in observations of {agent} is {part}; "
            f"a mask for {action_space} is {size} booleans or integers"
        )
    length = int(np.prod(part.shape or ()))
    if length != size:
        raise InvalidMask(
            f"the {MASK!r} in observations of {agent} has {length} entries; "
            f"a mask for {action_space} has {size}"
        )


def read_mask(
    agent: str, space: spaces.Space[Any], observation: Any, info: Mapping[str, Any]
) -> Mask | None:
    """Return the mask of an agent's decision; None if all actions are allowed.

    The result has shape (choices,). A `Dict` observation may hold the mask as `action_mask`.
    """
    mask_value = info.get(MASK)
    mask = None if mask_value is None else check_mask(agent, space, mask_value)
    if isinstance(observation, Mapping) and MASK in observation:
        observed = check_mask(agent, space, observation[MASK])
        if mask is not None and mask.tobytes() != observed.tobytes():
            raise InvalidMask(
                f"the {MASK!r} in the infos of {agent} differs from the mask in its observation"
            )
        mask = observed
    return mask


def check_mask(agent: str, space: spaces.Space[Any], mask_value: Any) -> Mask:
    """Return a mask as booleans, shape (choices,)."""
    if (
        isinstance(space, spaces.Discrete)
        and isinstance(mask_value, np.ndarray)
        and mask_value.dtype in _BYTE
    ):
        data = mask_value.tobytes()  # much faster than NumPy's functions for a few bytes
        if (
            mask_value.ndim == 1
            and len(data) == space.n
            and b"\1" in data
            and not data.strip(b"\0\1")
        ):
            return np.frombuffer(bytearray(data), np.bool_)
    size = _require_size(agent, space)
    counts = count_choices(space) or []
    try:
        values = np.asarray(mask_value)
    except ValueError:  # lists of different lengths
        values = np.asarray(None)
    if values.shape != (size,):
        raise _refusal(agent, space, mask_value, f"has shape {values.shape}")
    if values.dtype.kind not in "biu":
        raise _refusal(agent, space, mask_value, f"has elements of type {values.dtype}")
    mask: Mask = values != 0
    if values.dtype.kind != "b" and not np.array_equal(values, mask):
        raise _refusal(agent, space, mask_value, "has entries other than 0 and 1")
    first = np.cumsum([0, *counts[:-1]])
    if not np.logical_or.reduceat(mask, first).all():
        forbids = "every action" if len(counts) == 1 else "every choice of a number"
        raise _refusal(agent, space, mask_value, f"forbids {forbids}")
    return mask


def allows(space: spaces.Space[Any], mask: Mask, action: Any) -> bool:
    """Return whether a checked mask allows an action of a space."""
    if isinstance(space, spaces.Discrete):
        return bool(mask[int(action) - int(space.start)])
    counts = count_choices(space) or []
    places = np.asarray(action, np.int64).ravel() - getattr(space, "start", np.int64(0)).ravel()
    first = np.cumsum([0, *counts[:-1]])
    return bool(mask[first + places].all())


def list_allowed(space: spaces.Space[Any], mask: Mask) -> list[list[int]]:
    """Return the allowed values of each number of an action, in ascending order."""
    counts = count_choices(space) or []
    starts = np.broadcast_to(np.ravel(getattr(space, "start", 0)), len(counts)).tolist()
    parts = np.split(mask, np.cumsum(counts)[:-1])
    return [
        [start + place for place in np.flatnonzero(part).tolist()]
        for start, part in zip(starts, parts, strict=True)
    ]


def sample(space: spaces.Space[Any], mask: Mask | None) -> Any:
    """Draw an action uniformly from those that a checked mask allows; a mask of None allows all."""
    return space.sample(None if mask is None else as_gymnasiums(space, mask))


def as_gymnasiums(space: spaces.Space[Any], mask: Any) -> Any:
    """Convert a mask to the form that `sample()` of Gymnasium's spaces takes.

    Args:
        space: The action space.
        mask: An array, a list or a tuple of booleans or integers, shape (choices,). Other values
            are returned unchanged.

    Returns:
        For `Discrete` an int8 array; for `MultiDiscrete` a tuple of int8 arrays, one for each
        number; for `MultiBinary` an int8 array of the space's shape: 0 off, 1 on, 2 either.
    """
    counts = count_choices(space)
    try:
        flat = np.asarray(mask)
    except ValueError:  # a tuple of arrays of different lengths is Gymnasium's form
        return mask
    if counts is None or flat.shape != (sum(counts),) or flat.dtype.kind not in "biu":
        return mask
    flat = flat.astype(np.int8)
    if isinstance(space, spaces.MultiBinary):
        off, on = flat.reshape(-1, 2).T
        return np.where(on, off + 1, 0).astype(np.int8).reshape(space.shape)
    if isinstance(space, spaces.MultiDiscrete):
        return _nest(iter(np.split(flat, np.cumsum(counts)[:-1])), space.shape)
    return flat


def _nest(parts: Iterator[Any], shape: tuple[int, ...]) -> Any:
    """Return parts as nested tuples of a shape."""
    if not shape:
        return next(parts)
    return tuple(_nest(parts, shape[1:]) for _ in range(shape[0]))


def _require_size(agent: str, space: spaces.Space[Any]) -> int:
    counts = count_choices(space)
    if counts is None:
        raise InvalidMask(
            f"{agent} has an {MASK!r} for the actions {space}; only Discrete, MultiDiscrete and "
            "MultiBinary actions have masks"
        )
    return sum(counts)


def _holds_whole_numbers(space: spaces.Space[Any]) -> bool:
    if isinstance(space, spaces.MultiBinary | spaces.MultiDiscrete):
        return len(space.shape) == 1
    if not isinstance(space, spaces.Box) or len(space.shape) != 1:
        return False
    return np.dtype(space.dtype).kind in "biu"


def _refusal(agent: str, space: spaces.Space[Any], mask_value: Any, fault: str) -> InvalidMask:
    counts = count_choices(space) or []
    shown = np.asarray(mask_value, object).ravel().tolist()
    rest = ", ..." if len(shown) > _SHOWN else ""
    values = ", ".join(map(str, shown[:_SHOWN]))
    return InvalidMask(
        f"the {MASK!r} of {agent} {fault}: [{values}{rest}]. A mask for {space} has "
        f"{sum(counts)} entries of 0 or 1, and allows a choice of each number of the action"
    )


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
