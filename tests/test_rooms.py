# SPDX-License-Identifier: GPL-2.0-only
"""The package works without the rooms that can be removed."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
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

rooms = ("bridge", "environments", "envs", "experiments", "wrappers")
count = 0
for room in rooms:
    package = importlib.import_module(f"defiance_zoo.{room}")
    for module in pkgutil.walk_packages(package.__path__, f"defiance_zoo.{room}."):
        if module.name.endswith(".scenario"):  # a program, which nothing imports
            continue
        importlib.import_module(module.name)
        count += 1
env = defiance_zoo.make("cart_pole_v0", api="parallel", max_cycles=3)
env.reset(seed=1)
while env.agents:
    env.step({agent: env.action_space(agent).sample() for agent in env.agents})
env.close()
try:
    defiance_zoo.make("cart_pole_v0", record="episodes")
except DependencyMissing as error:
    print(error)
from defiance_zoo.command_line import main
sys.argv[1:] = ["list"]
try:
    main()
except SystemExit as end:
    assert not end.code
print("modules", count)
"""


@pytest.mark.long
def test_the_remaining_package_imports_and_plays() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    refused, *listed, counted = done.stdout.splitlines()
    assert "recording needs defiance_zoo.recording" in refused
    assert any("cart_pole_v0" in line for line in listed)
    assert int(counted.split()[1]) > 250
