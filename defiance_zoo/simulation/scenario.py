# SPDX-License-Identifier: GPL-2.0-only
"""Scenarios: ns-3 programs, and where they are."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from defiance_zoo.errors import ScenarioNotFound

NATIVE = Path(__file__).resolve().parent.parent / "_native"
"""Where the package's own programs and libraries are installed."""


@dataclass(frozen=True)
class Scenario:
    """An ns-3 program that talks to `OpenGymMultiAgentInterface`.

    Attributes:
        name: What it is called in messages.
        program: The program; a bare name is looked for among those that the package ships.
        defaults: Parameters that differ from the program's own defaults.
        describes_itself: The program declares its parameters through `RlSimulation`. If not, it
            gets each parameter as `--name=value`, unchecked, for its own `CommandLine`.
    """

    name: str
    program: str | os.PathLike[str]
    defaults: dict[str, Any] = field(default_factory=dict)
    describes_itself: bool = True

    def locate(self) -> Path:
        """Return the path of the program.

        Raises:
            ScenarioNotFound: It is missing or may not be executed.
        """
        path = Path(self.program)
        build = "build it, or name another one"
        if path.name == str(self.program):
            path = NATIVE / "bin" / path
            build = "'make build' in a checkout of defiance-zoo builds it"
        if not path.is_file():
            raise ScenarioNotFound(f"scenario {self.name!r}: there is no program {path}; {build}")
        if not os.access(path, os.X_OK):
            raise ScenarioNotFound(f"scenario {self.name!r}: {path} may not be executed")
        return path
