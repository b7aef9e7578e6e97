# SPDX-License-Identifier: GPL-2.0-only
"""Simulations that run without Python."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from defiance_zoo.bridge.simulation import RngState, Scenario, StartCommand
from defiance_zoo.bridge.simulation.distributions import read_distributions
from defiance_zoo.bridge.simulation.seeding import rng_seed
from defiance_zoo.environments.arguments import RESERVED


def alone(
    scenario: Scenario, arguments: Mapping[str, Any], seed: int, *control: str, **variables: str
) -> StartCommand:
    """Return the command that starts a simulation without Python.

    Parameters that are distributions have their values in the episode of the seed. `control` are
    more arguments of the program, and `variables` are set in its environment.
    """
    ours = read_distributions({k: value for k, value in arguments.items() if k not in RESERVED})
    rng = RngState(rng_seed(seed), 1)
    command = scenario.command({**ours, **scenario.draw(ours, rng)})
    variables = {"NS_GLOBAL_VALUE": f"RngSeed={rng.seed}", **variables}
    return StartCommand(variables, command.program, [*command.arguments, *control])
