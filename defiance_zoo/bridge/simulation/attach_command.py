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
        variables: To be in its environment.
        program: Its path.
        arguments: Arguments of the program.
    """

    variables: Mapping[str, str]
    program: Path
    arguments: Sequence[str]

    def shell(self, *tool: str) -> str:
        """Return it as a line for a shell; in a tool, such as `gdb --args`, if one is given."""
        assignments = [f"{name}={shlex.quote(value)}" for name, value in self.variables.items()]
        words = [*tool, *start_words(self.program), *self.arguments]
        return " ".join([*assignments, shlex.join(words)])


Announce = Callable[[StartCommand], None]


def print_command(command: StartCommand) -> None:
    """Tell whoever reads the standard error."""
    if sys.stderr is not None:
        print(
            f"Waiting for the simulation; start it with:\n  {command.shell()}",
            file=sys.stderr,
            flush=True,
        )
