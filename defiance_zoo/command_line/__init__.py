# SPDX-License-Identifier: GPL-2.0-only
"""The console command `defiance-zoo`: one module a sub-command, found by name."""

from __future__ import annotations

import importlib

import click

import defiance_zoo

COMMANDS = {
    "cmake-dir": "cmake_dir",
    "debug": "debug",
    "doctor": "doctor",
    "eval": "eval",
    "export": "export",
    "info": "info",
    "list": "list",
    "new": "new",
    "population": "population",
    "random": "random",
    "resume": "resume",
    "study": "study",
    "train": "train",
}
"""Sub-commands, and the module of `commands` whose `command` each is.

`--help` imports all of these, so what is slow to import, or optional, a module imports in the
function that needs it.
"""


class _CommandsByModule(click.Group):
    """A group that imports a sub-command's module when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"{__name__}.commands.{COMMANDS[cmd_name]}")
        command: click.Command = module.command
        return command


@click.group(cls=_CommandsByModule)
@click.version_option(defiance_zoo.__version__, prog_name="defiance-zoo")
def main() -> None:
    """PettingZoo environments whose world is a real ns-3 simulation."""
