# SPDX-License-Identifier: GPL-2.0-only
"""`defiance-zoo doctor`: missing programs and libraries, and how to install them."""

from __future__ import annotations

import click

from defiance_zoo.command_line import output
from defiance_zoo.command_line.doctor_checks import Finding, groups
from defiance_zoo.command_line.options import json_option


@click.command
@json_option
def command(as_json: bool) -> None:
    """Report missing programs and libraries, and how to install them.

    The exit status is 1 if something is missing that every use needs.
    """
    found = {group: [check() for check in checks] for group, checks in groups().items()}
    needed = next(iter(found))
    healthy = all(finding.present for finding in found[needed])
    if as_json:
        listed = {group: [vars(finding) for finding in each] for group, each in found.items()}
        output.print_json({"healthy": healthy, "groups": listed})
    else:
        _print(found)
    if not healthy:
        click.get_current_context().exit(1)


def _print(found: dict[str, list[Finding]]) -> None:
    for group, findings in found.items():
        click.secho(group, bold=True)
        for each in findings:
            mark = click.style("ok     ", fg="green") if each.present else "missing"
            click.echo(f"  {mark} {each.what}")
            if not each.present:
                click.echo(f"          {each.remedy}")
