# SPDX-License-Identifier: GPL-2.0-only
"""The console command `defiance-zoo`: each sub-command is a module or package, found by name."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

import defiance_zoo
from defiance_zoo.bridge.system.resources import occupy_standard_descriptors
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
    "serve": "serve",
    "study": "study",
    "train": "train",
    "tune": "tune",
}
"""The module in `commands` of each sub-command.

`--help` imports all of these modules, so a module imports slow or optional libraries in the
function that needs them.
"""


@click.group(cls=CommandsByModule, package=f"{__name__}.commands", modules=COMMANDS)
@click.version_option(defiance_zoo.__version__, prog_name="defiance-zoo")
def main() -> None:
    """PettingZoo environments whose world is a real ns-3 simulation."""
    occupy_standard_descriptors()
    if "" not in sys.path:
        sys.path.append("")  # modules of the current folder register environments
    for stream, way in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, stream) is None:  # the stream was closed when Python started
            setattr(sys, stream, Path(os.devnull).open(way, encoding="utf-8"))  # noqa: SIM115
