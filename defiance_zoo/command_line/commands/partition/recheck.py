# SPDX-License-Identifier: GPL-2.0-only
"""`defiance-zoo partition recheck`: a recorded violation, against a changed protocol."""

from __future__ import annotations

from pathlib import Path

import click

from defiance_zoo.command_line import output
from defiance_zoo.command_line.failures import BadInput, as_messages
from defiance_zoo.command_line.options import json_option, parameter_option, read_parameters
from defiance_zoo.command_line.recorded_options import environment_option, find_spec
from defiance_zoo.errors import SimulationError
from defiance_zoo.recording import read_recording
from defiance_zoo.recording.replaying import find_environment


@click.command
@click.argument("file", type=click.Path(path_type=Path))
@environment_option
@parameter_option
@json_option
def command(file: Path, env: str | None, parameters: tuple[str, ...], as_json: bool) -> None:
    """Play the actions of the episode in FILE again, after a change of the protocol.

    States may differ from the recorded ones; -p replaces recorded parameters. The exit status is 0
    if no guarantee is violated any more, 1 if a guarantee is violated, and 2 if the actions cannot
    be played or the simulation fails.
    """
    from defiance_zoo.protocols.violations import recheck_violation

    with as_messages():
        recording = read_recording(file)
        spec = find_spec(env) or find_environment(recording.environment)
        try:
            found = recheck_violation(recording, spec, read_parameters(parameters, spec))
        except SimulationError as error:  # status 1 would say that a guarantee is violated
            raise BadInput(str(error)) from error
    if as_json:
        output.print_json({"steps": found.steps, "violation": found.violation})
    elif found.violation:
        click.echo(f"step {found.steps}: {found.violation}")
    else:
        click.echo(f"no violation in {found.steps} steps")
    click.get_current_context().exit(1 if found.violation else 0)
