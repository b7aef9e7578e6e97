# SPDX-License-Identifier: GPL-2.0-only
"""`defiance-zoo list`: which environments there are."""

from __future__ import annotations

import click

from defiance_zoo.command_line import output
from defiance_zoo.command_line.options import json_option
from defiance_zoo.environments import lookup, registered
from defiance_zoo.errors import ScenarioNotFound


@click.command
@json_option
def command(as_json: bool) -> None:
    """List the environments that are registered.

    One of your own is named with the module that registers it: my_scenario:my_scenario_v0.
    """
    found = [{"name": name, "program": _program(name)} for name in registered()]
    if as_json:
        output.print_json(found)
        return
    rows = [(each["name"] or "", each["program"] or "not built") for each in found]
    output.print_table(("environment", "program"), rows)


def _program(name: str) -> str | None:
    try:
        return str(lookup(name).scenario.locate())
    except ScenarioNotFound:
        return None
