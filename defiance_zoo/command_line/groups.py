# SPDX-License-Identifier: GPL-2.0-only
"""Commands that have sub-commands, each in its own module."""

from __future__ import annotations

import importlib
import signal
from collections.abc import Mapping
from typing import Any

import click

from defiance_zoo.command_line.failures import as_messages
from defiance_zoo.experiments.workbench.interruption import Interruption


class CommandsByModule(click.Group):
    """A group that imports the module of a sub-command on demand."""

    def __init__(
        self, *arguments: Any, package: str, modules: Mapping[str, str], **more: Any
    ) -> None:
        """Find commands.

        Args:
            *arguments: Of a group.
            package: Package of their modules.
            modules: Module of each sub-command, by its name.
            **more: Of a group.
        """
        super().__init__(*arguments, **more)
        self.commands = {name: click.Command(name) for name in modules}  # Click suggests these
        self._package, self._modules = package, modules

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a sub-command; None: there is none of this name."""
        if cmd_name not in self._modules:
            return None
        module = importlib.import_module(f"{self._package}.{self._modules[cmd_name]}")
        command: click.Command = module.command
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run a sub-command, and turn errors of this package into messages.

        SIGINT and SIGTERM end every sub-command, with 128 plus the number of the signal as status.
        """
        try:
            with Interruption(), as_messages():
                return super().invoke(ctx)
        except KeyboardInterrupt as error:  # `Aborted`, unless a library has installed its handler
            number = getattr(error, "signal", signal.SIGINT)
        return ctx.exit(128 + number)
