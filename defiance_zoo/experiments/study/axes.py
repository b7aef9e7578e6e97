# SPDX-License-Identifier: GPL-2.0-only
"""Axes of the grid, and their values as numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from defiance_zoo.bridge.simulation import Parameter, ParameterType, describe
from defiance_zoo.environments import lookup
from defiance_zoo.experiments.study.configuration import StudyConfig
from defiance_zoo.experiments.study.study_file import POLICY

_UNITS = {ParameterType.TIME: "s", ParameterType.DATA_RATE: "bps"}


@dataclass(frozen=True)
class Axis:
    """An axis of the grid, or the policies.

    Attributes:
        name: Name of the argument, or `policy`.
        values: Values in the study.
        parameter: Declaration of the parameter, or None.
    """

    name: str
    values: Sequence[Any]
    parameter: Parameter | None

    @property
    def unit(self) -> str:
        """Unit of its numbers; empty for plain numbers and texts."""
        return _UNITS.get(self.parameter.type, "") if self.parameter else ""

    @property
    def is_numeric(self) -> bool:
        """Whether its values are numbers, times or rates."""
        return all(self.number(value) is not None for value in self.values)

    def number(self, value: Any) -> float | None:
        """Return a value as a number, in `unit`; None for a text."""
        if self.parameter is not None:
            return self.parameter.to_number(value)
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
        return float(value)


def find_axes(config: StudyConfig) -> dict[str, Axis]:
    """Return the axes of a study by name, policies first."""
    scenario = lookup(config.env).scenario
    declared: Mapping[str, Parameter] = {}
    if scenario.describes_itself:
        program = scenario.locate({**scenario.defaults, **config.parameters})
        declared = describe(program).parameters
    grid = {name: Axis(name, each, declared.get(name)) for name, each in config.axes.items()}
    return {POLICY: Axis(POLICY, list(config.policies), None), **grid}
