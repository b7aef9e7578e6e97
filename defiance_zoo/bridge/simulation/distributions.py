# SPDX-License-Identifier: GPL-2.0-only
"""Parameters that are drawn anew for each episode: domain randomisation."""

from __future__ import annotations

import contextlib
import hashlib
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from defiance_zoo.bridge.simulation.parameters import Parameter, ParameterType
from defiance_zoo.bridge.simulation.seeding import RngState
from defiance_zoo.bridge.system.plain_values import plain_value
from defiance_zoo.bridge.system.spelling import near_word
from defiance_zoo.errors import ParameterError

_ROUNDED = (ParameterType.INTEGER, ParameterType.DATA_RATE)
_LARGEST_EXACT = 2**53 - 1
"""Floats represent each integer up to this one."""


class Distribution(ABC):
    """A distribution from which values of a parameter are drawn."""

    @property
    @abstractmethod
    def examples(self) -> tuple[Any, ...]:
        """Values whose check covers all others; the first one is used as an example."""

    @abstractmethod
    def draw(self, generator: np.random.Generator, parameter: Parameter | None) -> Any:
        """Return a value.

        Args:
            generator: Source of randomness.
            parameter: Declaration of the parameter; None: the scenario does not describe itself.
        """

    @abstractmethod
    def require_drawable(self, parameter: Parameter | None) -> None:
        """Refuse a distribution without values, or for the wrong type.

        Raises:
            ParameterError: No value lies between the bounds, or the parameter is not a number.
        """


@dataclass(frozen=True)
class Choice(Distribution):
    """One of several values, with equal probabilities.

    Attributes:
        values: The values, at least one.
    """

    values: tuple[Any, ...]

    def __init__(self, values: Sequence[Any] | NDArray[Any]) -> None:
        """Take the values.

        Raises:
            ParameterError: There are no values.
        """
        plain = plain_value(values)
        if isinstance(plain, str) or not isinstance(plain, Sequence):
            raise ParameterError(f"a choice takes a list of values, not {values!r}")
        object.__setattr__(self, "values", tuple(plain))
        if not self.values:
            raise ParameterError("a choice needs at least one value")

    @property
    def examples(self) -> tuple[Any, ...]:
        return self.values

    def draw(self, generator: np.random.Generator, parameter: Parameter | None) -> Any:
        return self.values[generator.integers(len(self.values))]

    def require_drawable(self, parameter: Parameter | None) -> None:
        """See `Distribution.require_drawable`; there is nothing to refuse."""


@dataclass(frozen=True, init=False)
class Traces(Choice):
    """A capacity trace: a file of a folder's part for training, or of its held-out part.

    The name of a file determines its part, so that other files do not change it: about a fifth is
    held out. Each part has at least one file.

    Attributes:
        folder: Absolute path of the folder. Its files have a format of `read_capacity_trace()`;
            hidden files and folders in it are left out.
        part: `training` or `held_out`.
    """

    folder: str
    part: str

    def __init__(self, folder: PathLike[str] | str, part: str) -> None:
        """Find the files.

        Raises:
            ParameterError: There are fewer than two files, or there is no such part.
        """
        names = []
        with contextlib.suppress(OSError, TypeError):  # it is no folder, or no path
            path = Path(folder).absolute()
            names = [each.name for each in path.glob("[!.]*") if each.is_file()]
        if part not in _PARTS or len(names) < 2:
            raise ParameterError(
                f"traces takes a folder of at least two files and one of {list(_PARTS)}, not "
                f"{len(names)} files in {str(folder)[:_SHOWN]!r} and {part!r}"
            )
        names.sort(key=_rank)
        held_out = sum(_rank(name) < _HELD_OUT for name in names)
        cut = min(max(held_out, 1), len(names) - 1)
        chosen = names[:cut] if part == "held_out" else names[cut:]
        super().__init__(sorted(str(path / name) for name in chosen))
        object.__setattr__(self, "folder", str(path))
        object.__setattr__(self, "part", part)

    def require_drawable(self, parameter: Parameter | None) -> None:
        """See `Distribution.require_drawable`; each file is read."""
        from defiance_zoo.bridge.system.capacity_traces import read_capacity_trace

        for each in self.values:
            try:
                read_capacity_trace(each)
            except (OSError, ValueError) as error:
                raise ParameterError(f"{each}: {error}") from error


_PARTS, _SHOWN = ("training", "held_out"), 200
_HELD_OUT = 0.2
"""Expected share of held-out files."""


def _rank(name: str) -> float:
    """Return a number from 0 to 1 that follows from a name."""
    digest = hashlib.sha256(name.encode("utf-8", "surrogateescape")).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


@dataclass(frozen=True)
class Uniform(Distribution):
    """A uniformly distributed number from `low` to `high`; whole for integers and data rates.

    Attributes:
        low: Minimum of the parameter, such as `5`, `"10ms"` or `"2Mbps"`.
        high: Maximum of the parameter.
    """

    low: Any
    high: Any

    def __post_init__(self) -> None:
        """Take the bounds, Python's or NumPy's numbers or texts."""
        object.__setattr__(self, "low", plain_value(self.low))
        object.__setattr__(self, "high", plain_value(self.high))

    @property
    def examples(self) -> tuple[Any, ...]:
        return (self.low, self.high)

    def draw(self, generator: np.random.Generator, parameter: Parameter | None) -> Any:
        low, high = self._bounds(parameter)
        if parameter is not None and parameter.type in _ROUNDED:
            return self._draw_integer(generator, math.ceil(low), math.floor(high))
        return self._between(generator, low, high)

    def require_drawable(self, parameter: Parameter | None) -> None:
        low, high = self._bounds(parameter)
        if low > high:
            raise ParameterError(f"no value lies from {self.low!r} to {self.high!r}")

    def _bounds(self, parameter: Parameter | None) -> tuple[float, float]:
        low, high = (
            each if parameter is None else parameter.to_number(each) for each in self.examples
        )
        if not isinstance(low, int | float) or not isinstance(high, int | float):
            raise ParameterError(f"{self.low!r} and {self.high!r} are not numbers; use a choice")
        return low, high

    def _draw_integer(self, generator: np.random.Generator, low: int, high: int) -> int:
        if max(-low, high) >= _LARGEST_EXACT:
            return self._draw_large(generator, low, high)
        return min(math.floor(self._between(generator, low, high + 1)), high)

    def _draw_large(self, generator: np.random.Generator, low: int, high: int) -> int:
        """Return an integer from a range with integers that floats cannot represent."""
        return int(generator.integers(low, high, endpoint=True))

    def _between(self, generator: np.random.Generator, low: float, high: float) -> float:
        return float(generator.uniform(low, high))


@dataclass(frozen=True)
class LogUniform(Uniform):
    """A number from `low` to `high` with a uniformly distributed logarithm; `low` is positive."""

    def require_drawable(self, parameter: Parameter | None) -> None:
        super().require_drawable(parameter)
        if self._bounds(parameter)[0] <= 0:
            raise ParameterError(f"log_uniform must begin above 0, not at {self.low!r}")

    def _between(self, generator: np.random.Generator, low: float, high: float) -> float:
        return math.exp(generator.uniform(math.log(low), math.log(high)))

    def _draw_large(self, generator: np.random.Generator, low: int, high: int) -> int:
        return min(max(math.floor(self._between(generator, low, high)), low), high)


_WRITTEN = {"choice": Choice, "traces": Traces, "uniform": Uniform, "log_uniform": LogUniform}


def read_distribution(value: Any) -> Any:
    """Return the distribution that a value from a file or flag describes; other values unchanged.

    NumPy's numbers and texts become Python's.
    """
    value = plain_value(value)
    if not isinstance(value, Mapping) or len(value) != 1:
        return value
    ((kind, bounds),) = value.items()
    if not isinstance(bounds, list | tuple):
        return value  # values by agent
    if kind not in _WRITTEN:
        near = near_word(kind, _WRITTEN)
        raise ParameterError(f"{kind!r} is not a distribution{near}; use one of {list(_WRITTEN)}")
    if kind == "choice":
        return Choice(bounds)
    if len(bounds) != 2:
        what = "a folder and a part" if kind == "traces" else "two numbers, [low, high]"
        raise ParameterError(f"{kind} takes {what}, not {list(bounds)}")
    return _WRITTEN[kind](*bounds)


def write_distribution(value: Any) -> Any:
    """Return the value that `read_distribution` reads as a distribution; other values unchanged."""
    if not isinstance(value, Distribution):
        return value
    if isinstance(value, Traces):
        return {"traces": [value.folder, value.part]}
    kinds: dict[Any, str] = {each: name for name, each in _WRITTEN.items()}
    return {kinds[type(value)]: list(value.examples)}


def example(value: Any) -> Any:
    """Return a value, or a possible value of a distribution."""
    value = read_distribution(value)
    return value.examples[0] if isinstance(value, Distribution) else value


def read_distributions(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Convert descriptions of distributions among parameters; see `read_distribution`."""
    return {name: read_distribution(value) for name, value in parameters.items()}


def possible_values(value: Any) -> tuple[Any, ...]:
    """Return the values of agents, the examples of a distribution, or the value itself."""
    value = read_distribution(value)
    if isinstance(value, Distribution):
        return value.examples
    return tuple(value.values()) if isinstance(value, Mapping) else (value,)


def examples(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters with possible values in place of distributions."""
    return {name: example(value) for name, value in parameters.items()}


def random_stream(rng: RngState, name: str) -> np.random.Generator:
    """Return the random source of a parameter, independent of other parameters."""
    return np.random.default_rng([rng.seed, rng.run, *name.encode()])
