# SPDX-License-Identifier: GPL-2.0-only
"""PySyncObj from PyPI as the tested protocol: two leaders and lost writes in 0.3.15, none later."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT
from partition_support import draw, follow, hashes

from defiance_zoo.environments import lookup

PAGE = (ROOT / "docs" / "protocols" / "library.md").read_text()
ADAPTER = ROOT / "examples" / "protocols" / "pysyncobj_store.py"
STEPS = int(os.environ.get("PYSYNCOBJ_STEPS", "1000"))
"""Steps in which a later version must violate nothing; `make test-pysyncobj` has more."""
LATER = ("0.3.16", "0.3.17")
RESTARTS: dict[str, Any] = {
    "max_inactive": 0,
    "crash_limit": 1000,
    "crash_point": "start",  # as in the figures of the page
    "horizon": 250,
    "num_requests": 1000,
    "tick_interval": "50ms",
    "ticks_between_partition": 12,
    "stop_on_violation": False,
}
"""Parameters with which all replicas may be stopped together, and elections fit into a step."""

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the adapter, two versions of the library, and a file for each."""
    folder = tmp_path_factory.mktemp("pysyncobj")
    shutil.copy(ADAPTER, folder)
    shown, *_ = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    for version in ("0.3.15", *LATER):
        target = folder / f"pysyncobj-{version}"
        install = ["install", "-q", "--no-deps", "--target", target, f"pysyncobj=={version}"]
        subprocess.run([sys.executable, "-m", "pip", *install], check=True)
        path = folder / f"store_{version.replace('.', '_')}.py"
        path.write_text(shown.replace("0.3.15", version))
    return folder


def explore(file: Path, seed: int, steps: int, **arguments: Any) -> Iterator[tuple[int, str]]:
    """Play random tests; yield each violation, and the number of steps before it."""
    choose, played = draw(seed), 0
    with closing(lookup(str(file)).raw_env(link="local", **RESTARTS, **arguments)) as env:
        for episode in range(steps):
            for info, action in follow(env, choose, 1000 * seed + episode):
                yield from ((played, each) for each in info["violations"].splitlines())
                played += action is not None
                if played == steps:
                    return


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_violations_are_found_in_an_old_version(seed: int, folder: Path) -> None:
    """It stores neither term nor vote (its public report #201)."""
    first: dict[str, int] = {}
    for step, violation in explore(folder / "store_0_3_15.py", seed, 3000, infos="hashes"):
        first.setdefault(violation.partition(":")[0], step)
        if len(first) == 2:
            break
    print(f"seed {seed}: {first}")
    assert first["election_safety"] <= 500
    assert first["agreement"] <= 3000


@pytest.mark.parametrize("rule", ["every_tick", "hold"])
@pytest.mark.parametrize("version", LATER)
def test_no_violation_is_found_in_a_later_version(version: str, rule: str, folder: Path) -> None:
    file = folder / f"store_{version.replace('.', '_')}.py"
    assert list(explore(file, 1, STEPS, infos="hashes", drop_rule=rule)) == []


def test_episodes_with_the_library_are_reproducible(folder: Path) -> None:
    """With its journal on a disk in memory, in a copied and in a new process."""
    told = []
    for launch in ("fork", "spawn"):
        env = lookup(str(folder / "store_0_3_17.py")).raw_env(link="local", launch=launch)
        told.append(hashes(env, draw(5)))
        env.close()
    assert told[0] == told[1]


def test_branches_have_separate_journals(folder: Path) -> None:
    file = str(folder / "store_0_3_17.py")
    with closing(lookup(file).raw_env(link="local", **{**RESTARTS, "horizon": 12})) as env:
        env.reset(seed=1)
        for _ in range(6):
            env.step(0)
        snapshot = env.snapshot()
        told: list[list[str]] = []
        for _ in range(3):
            env.restore(snapshot)
            choose = draw(2)
            told.append([])
            while env.agents:
                *_, terminated, truncated, info = env.last()
                told[-1].append(info["concrete_hash"])
                env.step(None if terminated or truncated else choose(info))
        assert told[0] == told[1] == told[2]
