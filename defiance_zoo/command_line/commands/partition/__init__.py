# SPDX-License-Identifier: GPL-2.0-only
"""`defiance-zoo partition`: tests of protocols; each sub-command has a module, found by name."""

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
"""The module of this package of each sub-command."""


@click.group(cls=CommandsByModule, package=__name__, modules=COMMANDS)
def command() -> None:
    """Test replicated protocols: record, replay and shrink episodes of `partition_v0`."""
