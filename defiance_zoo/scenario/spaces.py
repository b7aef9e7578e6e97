# SPDX-License-Identifier: GPL-2.0-only
"""Spaces of observations and actions like Gymnasium's, without loading Gymnasium.

Gymnasium's spaces are accepted as well; these spaces let a simulation start in milliseconds.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from defiance_zoo.scenario.native import core

_ALPHANUMERIC = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


class Box(NamedTuple):
    """Arrays of one shape and element type, each element within bounds.

    Attributes:
        low: Lower bound, one for all elements or one for each.
        high: Upper bound, one for all elements or one for each.
        shape: Lengths of the axes; by default the bounds' lengths.
        dtype: NumPy's name of the element type.
        element_names: A name for each element, in C order, for messages, recordings and reports;
            None: the elements have no names.
    """

    low: Any
    high: Any
    shape: Sequence[int] | None = None
    dtype: str = "float32"
    element_names: Sequence[str] | None = None


class Discrete(NamedTuple):
    """The integers from `start` to `start + n - 1`."""

    n: int
    start: int = 0


class MultiDiscrete(NamedTuple):
    """Arrays of integers: `nvec[i]` of them from `start[i]` on; `element_names` as for `Box`."""

    nvec: Sequence[int]
    start: Sequence[int] | None = None
    element_names: Sequence[str] | None = None


class MultiBinary(NamedTuple):
    """Arrays of 0 and 1 of one length or shape; `element_names` as for `Box`."""

    n: int | Sequence[int]
    element_names: Sequence[str] | None = None


class Text(NamedTuple):
    """Texts of `min_length` to `max_length` characters of `charset`."""

    max_length: int
    min_length: int = 1
    charset: str = _ALPHANUMERIC


class Tuple(NamedTuple):
    """Tuples of values, each with its own space."""

    spaces: Sequence[Any]


class Dict(NamedTuple):
    """Dicts of values by key, each with its own space."""

    spaces: Mapping[str, Any]


def make_space(space: Any) -> Any:
    """Return ns-3's counterpart of a space."""
    kind = _find_kind(space)
    if not kind:
        raise TypeError(f"{space!r} is not a space, such as Box(0, 1, (4,)) or Discrete(2)")
    made = core.space(kind, *_MAKERS[kind](space))
    names = getattr(space, "element_names", None)
    if names:
        core.name_elements(made, _checked_names(names))
    return made


def has_arrays(space: Any) -> bool:
    """Return whether values of a space are arrays, or hold arrays."""
    members = getattr(space, "spaces", ())
    inner = members.values() if isinstance(members, Mapping) else members
    return _find_kind(space) in _ARRAYS or any(map(has_arrays, inner))


def repeat_spaces(observations: Any, actions: Any, times: int) -> tuple[Box, MultiDiscrete | Box]:
    """Return the spaces of an agent that observes several vectors and decides for each.

    Observations are a `Box` of one axis; the number of the vector is appended to its names of
    elements. Actions are a `Discrete`, or a `Box` of shape (n,): the result has shape (times,) for
    n = 1, and (times, n) otherwise.
    """
    kind = _find_kind(actions)
    if _find_kind(observations) != "Box" or kind not in ("Box", "Discrete"):
        raise TypeError(
            f"needs a Box, and a Discrete or a Box, not {observations!r} and {actions!r}"
        )
    if kind == "Box":
        return _repeat_box(observations, times), _stack_box(actions, times)
    return _repeat_box(observations, times), MultiDiscrete(
        [operator.index(actions.n)] * times, [operator.index(actions.start)] * times
    )


def _repeat_box(box: Any, times: int) -> Box:
    """Return the space of several vectors of a space, one after the other."""
    low, high, names = _describe_vector(box, times)
    return Box(low * times, high * times, dtype=str(box.dtype), element_names=names)


def _stack_box(box: Any, times: int) -> Box:
    """Return the space of several vectors of a space, one in each row; numbers form one vector."""
    low, high, names = _describe_vector(box, times)
    if len(low) == 1:
        return _repeat_box(box, times)
    return Box([low] * times, [high] * times, dtype=str(box.dtype), element_names=names)


def _describe_vector(box: Any, times: int) -> tuple[list[Any], list[Any], list[str]]:
    """Return the bounds of a box of one axis, and the names of its elements for several vectors."""
    low, high, shape, _ = _describe_box(box)
    if len(shape) != 1:
        raise TypeError(f"needs a Box of one axis, not one of shape {tuple(shape)}")
    lowest, highest = (
        [*each] if isinstance(each, list | tuple) else [each] * shape[0] for each in (low, high)
    )
    names = getattr(box, "element_names", None) or ()
    return lowest, highest, [f"{name}_{number}" for number in range(times) for name in names]


def _find_kind(space: Any) -> str:
    """Return the name of the kind of a space; empty for other objects."""
    names = (each.__name__ for each in type(space).__mro__)
    return next((name for name in names if name in _MAKERS), "")


def _checked_names(names: Any) -> list[str]:
    """Return names of elements."""
    if isinstance(names, str) or not all(isinstance(each, str) for each in names):
        raise TypeError(f"element_names must be texts, one for each element, not {names!r}")
    if not all(names) or len(set(names)) != len(names):
        raise ValueError(f"element_names must be different, and not empty: {list(names)}")
    return list(names)


def _numbers(values: Any) -> Any:
    """Return an array of a Gymnasium space as lists of numbers."""
    return values.tolist() if hasattr(values, "tolist") else values


def _describe_box(space: Any) -> tuple[Any, ...]:
    low, high = _numbers(space.low), _numbers(space.high)
    shape = space.shape
    if shape is None:
        shape = max(_shape_of(low), _shape_of(high), key=len) or [1]
    return low, high, shape, str(space.dtype)


def _shape_of(bound: Any) -> list[int]:
    """Return the lengths of the axes of a bound; empty for a single number."""
    return [len(bound), *_shape_of(bound[0])] if isinstance(bound, list | tuple) and bound else []


def _describe_discrete(space: Any) -> tuple[Any, ...]:
    return _count(space.n, "Discrete"), operator.index(space.start)


def _describe_multi_discrete(space: Any) -> tuple[Any, ...]:
    nvec = _numbers(space.nvec)
    if not nvec:
        raise ValueError("a MultiDiscrete needs the number of integers of each element")
    _require_counts(nvec)
    start = _filled(nvec, 0) if space.start is None else _numbers(space.start)
    return nvec, start, _shape_of(nvec)


def _require_counts(nvec: Any) -> None:
    """Refuse (nested) lists with an element that is not a number of integers."""
    for each in nvec:
        if isinstance(each, list | tuple):
            _require_counts(each)
        else:
            _count(each, "each element of a MultiDiscrete")


def _filled(nested: Any, number: int) -> Any:
    """Return lists of the same nesting, filled with one number."""
    if not isinstance(nested, list | tuple):
        return number
    return [_filled(each, number) for each in nested]


def _describe_multi_binary(space: Any) -> tuple[Any, ...]:
    shape = [space.n] if isinstance(space.n, int) else _numbers(space.n)
    return (shape,)


def _describe_text(space: Any) -> tuple[Any, ...]:
    charset = space.charset if hasattr(space, "charset") else space.characters
    if not 0 <= space.min_length <= space.max_length:
        raise ValueError(
            f"a Text cannot have from {space.min_length} to {space.max_length} characters"
        )
    if not charset or len(set(charset)) != len(charset):
        raise ValueError(f"the charset of a Text must have each character once, unlike {charset!r}")
    return space.max_length, space.min_length, charset


def _count(n: Any, what: str) -> int:
    """Return a number of integers."""
    count = operator.index(n)
    if not 1 <= count < 1 << 63:
        raise ValueError(f"{what} must hold at least one integer of 64 bits, not {count}")
    return count


def _describe_tuple(space: Any) -> tuple[Any, ...]:
    return ([make_space(each) for each in space.spaces],)


def _describe_dict(space: Any) -> tuple[Any, ...]:
    if not isinstance(space.spaces, Mapping):
        raise TypeError(f"a Dict needs spaces by key, such as {{'a': Discrete(2)}}: {space.spaces}")
    return ({key: make_space(each) for key, each in space.spaces.items()},)


_MAKERS = {
    "Box": _describe_box,
    "Discrete": _describe_discrete,
    "MultiDiscrete": _describe_multi_discrete,
    "MultiBinary": _describe_multi_binary,
    "Text": _describe_text,
    "Tuple": _describe_tuple,
    "Dict": _describe_dict,
}
_ARRAYS = ("Box", "MultiDiscrete", "MultiBinary")
