# SPDX-License-Identifier: GPL-2.0-only
"""Hyperparameters as files write them: names of classes and functions, schedules, and types."""

from __future__ import annotations

import collections.abc
import inspect
import math
import sys
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any

import torch
from pydantic import ConfigDict, TypeAdapter, ValidationError

from defiance_zoo.bridge.system.imports import describe_failure, import_module_or_file
from defiance_zoo.bridge.system.spelling import near_word
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.libraries.library import require_known

_NAMED = {torch.nn.Module: torch.nn, torch.optim.Optimizer: torch.optim}
"""Modules whose classes are named without the module, by their base class."""

_SCHEDULE_POINTS = (1.0, 0.5, 0.0)


def read_value(what: str, value: Any, function: Any) -> Any:
    """Return the value of a parameter of a library's function, for `what`'s last name.

    Texts that name a class or a function become this class or function, and `{linear: [a, b]}`
    a schedule. Whole floats become ints, and lists become tuples, if the annotation needs them.
    """
    given = value
    hint, text = _hint(function, what.rpartition(".")[2])
    parts = typing.get_args(hint) or (hint,)
    if typing.get_origin(hint) is type:
        parts = (hint,)
    bases = [typing.get_args(each)[0] for each in parts if typing.get_origin(each) is type]
    scheduled = any(typing.get_origin(each) is collections.abc.Callable for each in parts)
    if scheduled and isinstance(value, Mapping):
        value = linear_schedule(what, value)
    elif isinstance(value, str) and ":" in value and (bases or scheduled):
        value = load_named(what, value)
    elif isinstance(value, str) and bases and bases[0] in _NAMED:
        known = vars(_NAMED[bases[0]])
        names = [each for each in known if _is_subclass(known[each], bases[0])]
        require_known(f"class of {_NAMED[bases[0]].__name__} for {what}", value, names)
        value = known[value]
    if scheduled and callable(value):
        _require_schedule(what, value)
    return value if hint is None else _checked(what, value, hint, text, given)


def load_named(what: str, place: str, base: type | None = None) -> Any:
    """Return the object of `module:Name` or `file.py:Name`; with `base`, a subclass of it."""
    module, _, name = place.rpartition(":")
    try:
        found = import_module_or_file(module)
    except ImportError as error:
        raise ParameterError(f"{what}={place!r}: {error}") from error
    if not hasattr(found, name):
        near = near_word(name, vars(found))
        raise ParameterError(f"{what}={place!r}: {module} has no {name!r}{near}")
    chosen = getattr(found, name)
    if base is not None and not _is_subclass(chosen, base):
        raise ParameterError(f"{what}={place!r} is not a subclass of {base.__name__}")
    return chosen


def linear_ends(what: str, value: Mapping[str, Any]) -> tuple[float, float]:
    """Return both ends of `{linear: [first, last]}`."""
    for kind in value:
        require_known(f"schedule for {what}", str(kind), ["linear"])
    ends = value.get("linear")
    if not isinstance(ends, list) or len(ends) != 2 or not all(map(_is_number, ends)):
        raise ParameterError(f"{what}={value!r} is not {{linear: [first, last]}} with two numbers")
    return float(ends[0]), float(ends[1])


def linear_schedule(what: str, value: Mapping[str, Any]) -> Callable[[float], float]:
    """Return the schedule that `{linear: [first, last]}` describes, for SB3."""
    from stable_baselines3.common.utils import LinearSchedule  # RLlib's runs do not need it

    return LinearSchedule(*linear_ends(what, value), end_fraction=1.0)


def require_number(what: str, value: Any) -> float:
    """Return a finite number."""
    if not _is_number(value):
        raise ParameterError(f"{what}={value!r} is not a number")
    return float(value)


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value)


def _is_subclass(found: Any, base: type) -> bool:
    return isinstance(found, type) and issubclass(found, base)


def _hint(function: Any, name: str) -> tuple[Any, str]:
    """Return the type of a parameter, and its text; None if it cannot be resolved."""
    parameter = inspect.signature(function).parameters.get(name)
    if parameter is None or parameter.annotation is parameter.empty:
        return None, ""
    text = inspect.formatannotation(parameter.annotation)
    holder = types.SimpleNamespace(__annotations__={name: parameter.annotation})
    try:
        found = typing.get_type_hints(holder, vars(sys.modules[function.__module__]))[name]
    except (NameError, TypeError):  # a type that only type checkers import
        return None, text
    return found, text.strip("'")


def _checked(what: str, value: Any, hint: Any, text: str, given: Any) -> Any:
    settings = ConfigDict(arbitrary_types_allowed=True)
    try:
        return TypeAdapter(hint, config=settings).validate_python(value)
    except ValidationError:
        raise ParameterError(f"{what}={given!r} is not of type {text}") from None


def _require_schedule(what: str, schedule: Any) -> None:
    """Refuse a function that does not return a number for the remaining share of a training."""
    for remaining in _SCHEDULE_POINTS:
        try:
            found = schedule(remaining)
        except Exception as error:  # users' functions may raise any exception
            failure = describe_failure(error, __file__)
            raise ParameterError(f"{what}: {failure}") from error
        if not isinstance(found, int | float) or not math.isfinite(found):
            raise ParameterError(
                f"{what}: the schedule returns {found!r} for a remaining share of {remaining}, "
                "not a number"
            )
