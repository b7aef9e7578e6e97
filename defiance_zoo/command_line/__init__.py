# SPDX-License-Identifier: GPL-2.0-only
"""The console command `defiance-zoo`: each sub-command is a module, found by name."""

from __future__ import annotations

import importlib
import os
import pkgutil
import signal
import sys
from pathlib import Path
from typing import Any

import click

import defiance_zoo
from defiance_zoo.bridge.simulation import keep_programs
from defiance_zoo.bridge.system.resources import occupy_standard_descriptors
from defiance_zoo.command_line import commands
from defiance_zoo.command_line.failures import as_messages
from defiance_zoo.experiments.workbench.interruption import Interruption

COMMANDS = [each.name.replace("_", "-") for each in pkgutil.iter_modules(commands.__path__)]
"""The sub-commands: the modules in `commands`.

`--help` imports all of these modules, so a module imports slow or optional libraries in the
function that needs them.
"""


class CommandsByModule(click.Group):
    """A group that imports the module of a sub-command on demand."""

    def __init__(self, **more: Any) -> None:
        super().__init__(**more)
        self.commands = {name: click.Command(name) for name in COMMANDS}  # Click suggests these

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a sub-command; None: there is none of this name."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"{commands.__name__}.{cmd_name.replace('-', '_')}")
        command: click.Command = module.command
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run a sub-command, and turn errors of this package into messages.

        SIGINT and SIGTERM end every sub-command, with 128 plus the number of the signal as status.
        """
        try:
            with Interruption(), as_messages(), keep_programs():
                return super().invoke(ctx)
        except KeyboardInterrupt as error:  # `Aborted`, unless a library has installed its handler
            number = getattr(error, "signal", signal.SIGINT)
        if sys.stderr.isatty():
            how = "Ctrl-C" if number == signal.SIGINT else signal.Signals(number).name
            click.echo(f"stopped by {how}", err=True)
        return ctx.exit(128 + number)


@click.group(cls=CommandsByModule)
@click.version_option(defiance_zoo.__version__, prog_name="defiance-zoo")
def main() -> None:
    """PettingZoo environments whose world is a real ns-3 simulation."""
    occupy_standard_descriptors()
    if "" not in sys.path:
        sys.path.append("")  # modules of the current folder register environments
    for stream, way in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, stream) is None:  # the stream was closed when Python started
            setattr(sys, stream, Path(os.devnull).open(way, encoding="utf-8"))  # noqa: SIM115
