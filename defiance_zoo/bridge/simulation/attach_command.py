# SPDX-License-Identifier: GPL-2.0-only
"""The command that a user runs while `launch="attach"` waits for a simulation."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from defiance_zoo.bridge.process.programs import start_words


@dataclass(frozen=True)
class StartCommand:
    """The command that starts an awaited simulation.

    Attributes:
        variables: Environment variables of the program.
        program: Path of the program.
        arguments: Arguments of the program.
    """

    variables: Mapping[str, str]
    program: Path
    arguments: Sequence[str]

    def shell(self, *tool: str) -> str:
        """Return the command as a line for a shell, after a tool such as `gdb --args` if given."""
        assignments = [f"{name}={shlex.quote(value)}" for name, value in self.variables.items()]
        words = [*tool, *start_words(self.program), *self.arguments]
        return " ".join([*assignments, shlex.join(words)])


Announce = Callable[[StartCommand], None]


def print_command(command: StartCommand) -> None:
    """Print the command to the standard error."""
    if sys.stderr is not None:
        print(
            f"Waiting for the simulation; start it with:\n  {command.shell()}",
            file=sys.stderr,
            flush=True,
        )
