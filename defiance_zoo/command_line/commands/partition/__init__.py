# SPDX-License-Identifier: GPL-2.0-only
"""`defiance-zoo partition`: testing protocols; one module a sub-command, found by name."""

from __future__ import annotations

import click

from defiance_zoo.command_line.groups import CommandsByModule

COMMANDS = {
    "compare": "compare",
    "recheck": "recheck",
    "record": "record",
    "replay": "replay",
    "show": "show",
    "shrink": "shrink",
}
"""Sub-commands, and the module of this package whose `command` each is."""


@click.group(cls=CommandsByModule, package=__name__, modules=COMMANDS)
def command() -> None:
    """Test replicated protocols: what `partition_v0` plays, as files."""
