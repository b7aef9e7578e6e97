# SPDX-License-Identifier: GPL-2.0-only
"""The console command `defiance-zoo`: one module a sub-command, found by name."""

from __future__ import annotations

import click

import defiance_zoo
from defiance_zoo.command_line.groups import CommandsByModule

COMMANDS = {
    "cmake-dir": "cmake_dir",
    "dataset": "dataset",
    "debug": "debug",
    "doctor": "doctor",
    "eval": "eval",
    "export": "export",
    "info": "info",
    "list": "list",
    "new": "new",
    "partition": "partition",
    "population": "population",
    "random": "random",
    "replay": "replay",
    "report": "report",
    "resume": "resume",
    "study": "study",
    "train": "train",
    "watch": "watch",
}
"""Sub-commands, and the module of `commands` whose `command` each is.

`--help` imports all of these, so what is slow to import, or optional, a module imports in the
function that needs it.
"""


@click.group(cls=CommandsByModule, package=f"{__name__}.commands", modules=COMMANDS)
@click.version_option(defiance_zoo.__version__, prog_name="defiance-zoo")
def main() -> None:
    """PettingZoo environments whose world is a real ns-3 simulation."""
