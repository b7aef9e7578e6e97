# SPDX-License-Identifier: GPL-2.0-only
"""`defiance-zoo list`: the registered environments."""

from __future__ import annotations

import contextlib
from typing import Any

import click

from defiance_zoo.command_line import output
from defiance_zoo.command_line.options import json_option
from defiance_zoo.environments import lookup, registered
from defiance_zoo.errors import ScenarioNotFound


@click.command
@json_option
def command(as_json: bool) -> None:
    """List the registered environments; no simulation starts.

    Name your own environment with the module that registers it: my_scenario:my_scenario_v0.
    """
    output.show([_facts(name) for name in registered()], as_json, _print)


def _facts(name: str) -> dict[str, Any]:
    spec, program = lookup(name), None
    with contextlib.suppress(ScenarioNotFound):
        program = str(spec.scenario.locate())
    return {"name": name, "description": spec.description, "program": program}


def _print(facts: list[dict[str, Any]]) -> None:
    rows = [
        (each["name"], each["description"] if each["program"] else "not built") for each in facts
    ]
    output.print_table(("environment", "what it is"), rows)
