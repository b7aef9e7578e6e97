# SPDX-License-Identifier: GPL-2.0-only
"""The package works without the rooms that can be removed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "defiance_zoo"
COMMANDS = {
    "population": {"population"},
    "protocols": {"partition"},
    "recording": {"dataset", "partition", "replay", "report"},
    "scenario": set(),
}
"""Each room that can be removed, with the commands that go with it."""

IMPORTS = """
import importlib, pkgutil, sys

GONE = ("population", "protocols", "recording", "scenario")


class Gone:
    def find_spec(self, name, path=None, target=None):
        for room in GONE:
            if f"{name}.".startswith(f"defiance_zoo.{room}."):
                raise ModuleNotFoundError(f"no {name}", name=f"defiance_zoo.{room}")


sys.meta_path.insert(0, Gone())
import defiance_zoo
from defiance_zoo.errors import DependencyMissing

count = 0
for room in ("bridge", "environments", "envs", "experiments", "wrappers"):
    package = importlib.import_module(f"defiance_zoo.{room}")
    for module in pkgutil.walk_packages(package.__path__, f"defiance_zoo.{room}."):
        if module.name.endswith(".scenario"):  # a program, which nothing imports
            continue
        try:
            importlib.import_module(module.name)
        except ModuleNotFoundError as error:
            if error.name.partition(".")[0] not in ("benchmarl", "tensordict", "torchrl"):
                raise  # these are in build/clients/benchmarl
        count += 1
try:
    defiance_zoo.make("cart_pole_v0", record="episodes")
except DependencyMissing as error:
    print(error)
print("modules", count)
"""

USE = """
import sys

import defiance_zoo
from defiance_zoo.command_line import main

assert defiance_zoo.__path__ == [sys.argv[1]]
main(["--help"], standalone_mode=False)
env = defiance_zoo.make("cart_pole_v0", api="parallel", max_cycles=3)
env.reset(seed=1)
while env.agents:
    env.step({agent: env.action_space(agent).sample() for agent in env.agents})
env.close()
train = ["train", "--env", "cart_pole_v0", "--steps", "64", "-p", "duration=400ms", "--out", "run"]
if "trains" in sys.argv:
    main([*train, "--evaluation-episodes", "1"], standalone_mode=False)
"""


@pytest.mark.long
def test_every_module_of_the_remaining_package_can_be_imported() -> None:
    done = subprocess.run(
        [sys.executable, "-c", IMPORTS], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    refused, counted = done.stdout.splitlines()
    assert "recording needs defiance_zoo.recording" in refused
    assert int(counted.split()[1]) > 200


def copy_without(rooms: tuple[str, ...], copy: Path) -> None:
    """Link the package's files into a copy that lacks rooms and their commands."""
    gone = {command for room in rooms for command in COMMANDS[room]}
    link(PACKAGE, copy, {*rooms, "command_line"})
    link(PACKAGE / "command_line", copy / "command_line", {"commands"})
    files = {f"{name}.py" for name in gone} | gone
    link(PACKAGE / "command_line" / "commands", copy / "command_line" / "commands", files)


def link(folder: Path, copy: Path, without: set[str]) -> None:
    copy.mkdir()
    for entry in folder.iterdir():
        if entry.name not in without | {"__pycache__"}:
            (copy / entry.name).symlink_to(entry)


@pytest.mark.long
@pytest.mark.parametrize("rooms", [*((each,) for each in COMMANDS), tuple(COMMANDS)], ids="+".join)
def test_package_without_rooms_plays_and_trains(rooms: tuple[str, ...], tmp_path: Path) -> None:
    """It trains without all of them at once, as a training takes a dozen seconds."""
    copy = tmp_path / "defiance_zoo"
    copy_without(rooms, copy)
    trains = len(rooms) > 1
    done = subprocess.run(
        [sys.executable, "-c", USE, copy, *(["trains"] if trains else [])],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONSAFEPATH": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    listed = {line.split()[0] for line in done.stdout.splitlines() if line.startswith("  ")}
    assert {"train", "study"} <= listed
    assert not listed & {command for room in rooms for command in COMMANDS[room]}
    assert (tmp_path / "run" / "evaluation.json").is_file() == trains
