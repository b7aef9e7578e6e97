# SPDX-License-Identifier: GPL-2.0-only
"""Simulations that run without Python."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from defiance_zoo.bridge.simulation import Scenario, StartCommand
from defiance_zoo.bridge.simulation.seeding import rng_seed
from defiance_zoo.environments.arguments import RESERVED


def alone(
    scenario: Scenario, arguments: Mapping[str, Any], seed: int, *control: str, **variables: str
) -> StartCommand:
    """Return how to start a simulation in which no Python decides.

    Args:
        scenario: What to simulate.
        arguments: Of the environment; those that say how Python starts simulations are left out.
        seed: As for `reset()`.
        *control: More arguments of the program.
        **variables: To be in its environment.

    Raises:
        ParameterError: A parameter is not allowed.
        ScenarioNotFound: The program is missing.
    """
    ours = {name: value for name, value in arguments.items() if name not in RESERVED}
    command = scenario.command(ours)
    variables = {"NS_GLOBAL_VALUE": f"RngSeed={rng_seed(seed)}", **variables}
    return StartCommand(variables, command.program, [*command.arguments, *control])
