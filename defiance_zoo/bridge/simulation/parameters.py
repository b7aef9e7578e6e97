# SPDX-License-Identifier: GPL-2.0-only
"""Scenario parameters: declared by the program, and checked before simulations start."""

from __future__ import annotations

import contextlib
import functools
import math
import re
import signal
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from google.protobuf.message import DecodeError

from defiance_zoo._proto.defiance.v1 import environment_pb2 as pb
from defiance_zoo.bridge.process.ask_program import ask
from defiance_zoo.bridge.process.programs import describe_exit, is_python, start_words
from defiance_zoo.bridge.process.simulation_process import ATTEMPTS
from defiance_zoo.bridge.simulation.kept_programs import program_digest
from defiance_zoo.bridge.system.imports import file_stamp
from defiance_zoo.bridge.system.plain_values import plain_value
from defiance_zoo.bridge.system.resources import failure
from defiance_zoo.bridge.system.single_process import require_player
from defiance_zoo.bridge.system.spelling import known_words, near_word, require_choice, snake_case
from defiance_zoo.errors import (
    MalformedMessage,
    ParameterError,
    ScenarioError,
    SimulationCrashed,
    SimulationTimeout,
    UnknownParameter,
)

DESCRIBE_TIMEOUT_S = 30.0

_TIME_UNITS_S = {
    "y": 31536000.0,
    "d": 86400.0,
    "h": 3600.0,
    "min": 60.0,
    "s": 1.0,
    "ms": 1e-3,
    "us": 1e-6,
    "ns": 1e-9,
}
"""ns-3 counts nanoseconds, and ends the process when it reads a time in a smaller unit."""
_RATE_PREFIXES = {"": 1.0, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
_RATE_PREFIXES |= {"Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "Ti": 2.0**40}
_AGENT = re.compile(r"[^=,]+")
_NUMBER = r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
_TIME = re.compile(_NUMBER + r"(y|d|h|min|s|ms|us|ns)?")
_RATE = re.compile(_NUMBER + r"(?:(k|K|M|G|T|Ki|Mi|Gi|Ti|)(?:(bps|b/s)|(Bps|B/s)))?")


class ParameterType(Enum):
    """The type of a parameter's value; the texts are ns-3's names."""

    BOOLEAN = "bool"
    INTEGER = "integer"
    REAL = "number"
    TEXT = "text"
    TIME = 'time, such as "10ms"'
    DATA_RATE = 'data rate, such as "5Mbps"'


_UNITS = {
    ParameterType.TIME: ("s", "s", "ms"),
    ParameterType.DATA_RATE: ("bit/s", "bps", "Mbps"),
}
"""The unit of a number without a unit in words and as text, and another unit, by type."""
_NOT_NUMERIC = (ParameterType.BOOLEAN, ParameterType.TEXT)


@dataclass(frozen=True)
class Parameter:
    """A parameter that a scenario declares.

    Attributes:
        name: Name in Python and on the program's command line.
        type: Type of its value.
        help: The scenario's explanation.
        default: Default as on the command line.
        minimum: Smallest value, or None.
        maximum: Largest value, or None.
        choices: Allowed values; empty: no restriction.
        per_agent: Whether agents may have different values.
    """

    name: str
    type: ParameterType
    help: str
    default: str
    minimum: str | None = None
    maximum: str | None = None
    choices: tuple[str, ...] = ()
    per_agent: bool = False

    @property
    def value(self) -> Any:
        """The default, of the type that `to_argument()` takes."""
        match self.type:
            case ParameterType.BOOLEAN:
                return self.default == "true"
            case ParameterType.INTEGER | ParameterType.REAL:
                number = int if self.type is ParameterType.INTEGER else float
                with contextlib.suppress(ValueError):  # a value for each agent
                    return number(self.default)
        return self.default

    def to_argument(self, value: Any) -> str:
        """Return a value in the notation of the command line.

        Args:
            value: A bool, int, float or str, Python's or NumPy's, that fits the type. A plain
                number for a time is in seconds, for a data rate in bits per second. If agents may
                have different values, also a dict of values by agent.

        Raises:
            ParameterError: The value is of the wrong type, out of range or not a choice.
        """
        value = plain_value(value)
        if not self.per_agent or not isinstance(value, Mapping):
            return self._to_text(value)
        for agent in value or [""]:
            if not isinstance(agent, str) or not _AGENT.fullmatch(agent):
                raise ParameterError(
                    f"{self.name}={value!r} names {agent!r}, which is not an agent"
                )
        return ",".join(f"{agent}={self._to_text(each)}" for agent, each in value.items())

    def _to_text(self, value: Any) -> str:
        text = self._write(value)
        if text is None:
            raise ParameterError(f"{self.name}={value!r} is not of type {self.type.value}")
        if self.choices:
            require_choice(self.name, text, self.choices)
        self._check_range(value, text)
        return text

    def to_number(self, value: Any) -> float | None:
        """Return a value as a number, with a unit in seconds or bits per second; None for a text.

        Raises:
            ParameterError: As for `to_argument()`.
        """
        text = self.to_argument(value)
        return None if self.type in _NOT_NUMERIC else self._size(text)

    def find_missing_unit(self, value: Any) -> str:
        """Return a warning about the missing unit of a value, or of a value of one agent.

        The warning names the unit that was assumed; it is empty if no unit is missing.
        """
        try:
            number = float(value) if self.type in _UNITS and self._to_text(value) else 0.0
        except (TypeError, ValueError):  # also a `ParameterError`, which is raised elsewhere
            return ""
        if number == 0:
            return ""
        unit, same, other = _UNITS[self.type]
        return (
            f"{self.name}={value} was read as {value} {unit}: write {value}{same} or {value}{other}"
        )

    def _write(self, value: Any) -> str | None:
        """Return `value` in ns-3's notation, or None if it is not of this parameter's type."""
        is_number = (
            isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
        )
        match self.type:
            case ParameterType.BOOLEAN:
                return str(value).lower() if isinstance(value, bool) else None
            case ParameterType.INTEGER:
                return str(int(value)) if is_number and value == math.floor(value) else None
            case ParameterType.REAL:
                return repr(value) if is_number else None
            case ParameterType.TEXT:
                return value if isinstance(value, str) else None
            case ParameterType.TIME:
                text = f"{value!r}s" if is_number else value
                if not isinstance(text, str) or (match := _TIME.fullmatch(text)) is None:
                    return None
                return text if match[2] else f"{text}s"
            case ParameterType.DATA_RATE:
                text = f"{value!r}bps" if is_number else value
                if not isinstance(text, str) or (match := _RATE.fullmatch(text)) is None:
                    return None
                return f"{text}bps" if match[2] is None else text

    def _is_in_range(self, text: str) -> bool:
        size = self._size(text)
        return not (self.minimum is not None and size < self._size(self.minimum)) and not (
            self.maximum is not None and size > self._size(self.maximum)
        )

    def _find_unit(self, value: Any, text: str) -> str:
        """Return a hint at the unit that a number out of range may lack; else empty."""
        unit, same, other = _UNITS.get(self.type, ("", "", ""))
        if text != f"{value}{same}" or not other or not self._is_in_range(f"{value}{other}"):
            return ""
        return f"; a number is in {unit}: write {value}{other}?"

    def _check_range(self, value: Any, text: str) -> None:
        if not self._is_in_range(text):
            low = "any" if self.minimum is None else self.minimum
            high = "any" if self.maximum is None else self.maximum
            hint = self._find_unit(value, text)
            raise ParameterError(f"{self.name}={value!r} is not within [{low}, {high}]{hint}")

    def _size(self, text: str) -> float:
        """Return a value from text as a number, in seconds or bits per second if it has a unit."""
        if self.type is ParameterType.TIME and (match := _TIME.fullmatch(text)):
            return float(match[1]) * _TIME_UNITS_S[match[2] or "s"]
        if self.type is ParameterType.DATA_RATE and (match := _RATE.fullmatch(text)):
            return float(match[1]) * _RATE_PREFIXES[match[2] or ""] * (8 if match[4] else 1)
        if self.type is ParameterType.INTEGER:
            return int(text)  # a float does not represent each integer of 64 bits
        if self.type is ParameterType.REAL:
            return float(text)
        return 0.0


@dataclass(frozen=True)
class Declaration:
    """The description that a scenario program prints of itself.

    Attributes:
        scenario: Its name.
        ns3_version: The ns-3 version it was built with.
        parameters: By name, in the order of declaration.
        forks: Whether the program can be a fork server.
    """

    scenario: str
    ns3_version: str
    parameters: Mapping[str, Parameter]
    forks: bool = False

    def to_arguments(self, values: Mapping[str, Any]) -> list[str]:
        """Return values as command-line arguments.

        Raises:
            UnknownParameter: A name is not declared.
            ParameterError: A value is not allowed.
        """
        arguments = []
        for name, value in values.items():
            if name not in self.parameters:
                near = near_parameter(name, self.parameters)
                there = known_words(name, sorted(self.parameters), "it has", near)
                raise UnknownParameter(
                    f"unexpected keyword argument {name!r}: scenario {self.scenario!r} has no "
                    f"such parameter{there}"
                )
            arguments.append(f"--{name}={self.parameters[name].to_argument(value)}")
        return arguments


def near_parameter(name: str, declared: Collection[str]) -> str:
    """Return a hint at the parameter that an unknown name may mean; empty without one."""
    if (snake := snake_case(name)) in declared:
        return f"; it is called {snake!r}, as parameters are written in lower_snake_case."
    return near_word(name, declared)


def describe(program: Path) -> Declaration:
    """Return the description of a scenario program, which is cached until the program changes."""
    if not is_python(program):
        return _describe(program, file_stamp(program))
    beside = sorted(program.parent.glob("*.py"))  # any of them may be imported
    digest = program_digest(program) if program.is_file() else None
    return _describe(program, (digest, *((file, file_stamp(file)) for file in beside)))


@functools.lru_cache(maxsize=64)
def _describe(program: Path, _stamps: tuple[object, ...] | None) -> Declaration:
    require_player(f"{program.name} --describe")
    for _ in range(ATTEMPTS):
        status, answer, words = _run(program)
        if status != -signal.SIGKILL:  # unrelated to the program
            break
    if is_python(program) and (status > 0 or (status == 0 and not answer)):
        raise ScenarioError(
            f"{program} cannot be loaded: its process {describe_exit(status)}", last_words=words
        )
    if status != 0:
        hint = "; a program that does not use RlSimulation needs Scenario(describes_itself=False)"
        raise SimulationCrashed(
            f"{program} --describe ended with status {status}{'' if is_python(program) else hint}",
            last_words=words,
        )
    try:
        return _decode(pb.ScenarioDescription.FromString(answer))
    except (DecodeError, ValueError) as error:
        raise MalformedMessage(
            f"{program} --describe did not write a description: {error}", last_words=words
        ) from None


def _run(program: Path) -> tuple[int, bytes, str]:
    """Run a program with `--describe`; return status, output and last words."""
    try:
        return ask([*start_words(program), "--describe"], DESCRIBE_TIMEOUT_S)
    except TimeoutError as error:
        raise SimulationTimeout(
            f"{program} --describe did not answer within {DESCRIBE_TIMEOUT_S} s",
            last_words=str(error),
        ) from None
    except OSError as error:
        raise failure(error, f"{program} cannot be started to describe its parameters") from None


def _decode(message: pb.ScenarioDescription) -> Declaration:
    parameters = {each.name: _decode_parameter(each) for each in message.parameters}
    if len(parameters) < len(message.parameters):
        raise ValueError(f"parameters {[each.name for each in message.parameters]}, one twice")
    return Declaration(message.scenario, message.ns3_version, parameters, message.forks)


def _decode_parameter(message: pb.Parameter) -> Parameter:
    name = pb.ParameterType.Name(message.type).removeprefix("PARAMETER_TYPE_")
    if name not in ParameterType.__members__:
        raise ValueError(f"parameter {message.name!r} has no type")
    return Parameter(
        name=message.name,
        type=ParameterType[name],
        help=message.help,
        default=message.value,
        minimum=message.minimum if message.HasField("minimum") else None,
        maximum=message.maximum if message.HasField("maximum") else None,
        choices=tuple(message.choices),
        per_agent=message.per_agent,
    )


def plain_arguments(values: Mapping[str, Any]) -> list[str]:
    """Return values as arguments of a program that declares nothing."""
    return [f"--{name}={_plain(value)}" for name, value in values.items()]


def _plain(value: Any) -> str:
    value = plain_value(value)
    return str(value).lower() if isinstance(value, bool) else str(value)
