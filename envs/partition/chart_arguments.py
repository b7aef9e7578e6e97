# SPDX-License-Identifier: GPL-2.0-only
"""Arguments for charts of recorded tests, for any protocol."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from defiance_zoo.bridge.simulation import Scenario

NEEDED_BY_CHARTS: Mapping[str, Any] = {"message_events": True}
"""Parameters for charts of programs that test a protocol."""


def chart_arguments(scenario: Scenario, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters with which recordings can be drawn.

    Args:
        scenario: The program's scenario; parameters that it does not declare are not added.
        parameters: Given parameters, which are kept.

    Raises:
        ScenarioNotFound: The program is missing, or is not executable.
        SimulationError: The program could not describe itself.
    """
    declaration = scenario.declaration(parameters)
    declared = declaration.parameters if declaration is not None else {}
    needed = {name: value for name, value in NEEDED_BY_CHARTS.items() if name in declared}
    return {**needed, **scenario.when_recorded, **parameters}
