# SPDX-License-Identifier: GPL-2.0-only
"""`defiance-zoo list`: the registered environments."""

from __future__ import annotations

import contextlib
from typing import Any

import click

from defiance_zoo.command_line import output
from defiance_zoo.command_line.options import json_option
from defiance_zoo.command_line.progress import quiet_option, waiting
from defiance_zoo.environments import EnvironmentSpec, lookup, registered
from defiance_zoo.errors import ParameterError, ScenarioNotFound, SimulationError

_NAMED = 3
"""Up to this number, agents are listed by name."""


@click.command
@json_option
@quiet_option
def command(as_json: bool) -> None:
    """List the registered environments, with their agents by default.

    Name your own environment with the module that registers it: my_scenario:my_scenario_v0.
    """
    with waiting("starting each environment"):
        found = [_facts(name, lookup(name)) for name in registered()]
    if as_json:
        output.print_json(found)
        return
    rows = [(each["name"], _agents(each), each["description"]) for each in found]
    output.print_table(("environment", "agents", "what it is"), rows)


def _facts(name: str, spec: EnvironmentSpec) -> dict[str, Any]:
    facts: dict[str, Any] = {"name": name, "description": spec.description}
    facts |= {"program": None, "agents": None}
    with contextlib.suppress(ScenarioNotFound):
        facts["program"] = str(spec.scenario.locate())
        # An environment that fails, or needs arguments, is still listed by name.
        failures = contextlib.suppress(SimulationError, ParameterError)
        with failures, contextlib.closing(spec.raw_env()) as env:
            facts["agents"] = env.possible_agents
    return facts


def _agents(facts: dict[str, Any]) -> str:
    """Return agents as a text for people."""
    if facts["program"] is None:
        return "not built"
    agents: list[str] | None = facts["agents"]
    if agents is None:
        return "?"
    more = f", … ({len(agents)})" if len(agents) > _NAMED else ""
    return ", ".join(agents[:_NAMED]) + more
