# SPDX-License-Identifier: GPL-2.0-only
"""etcd's raft library as the tested protocol; `make test-etcd` builds it with Debian's packages."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from contextlib import closing
from typing import Any

import pytest
from conftest import ROOT
from partition_support import draw, follow, hashes

from defiance_zoo.environments import EnvironmentSpec, lookup

EXAMPLES = ROOT / "examples" / "protocols"
STEPS = int(os.environ.get("ETCD_STEPS", "600"))
"""Steps with each seed, during which no property may be violated."""
ARGUMENTS: dict[str, Any] = {
    "link": "local",
    "infos": "hashes",
    "tick_interval": "20ms",
    "ticks_between_partition": 12,
    "horizon": 50,
    "num_requests": 200,
    "max_inactive": 0,
    "crash_limit": 1000,
    "crash_point": "start",  # as in the figures of the page
    "stop_on_violation": False,
}


def read(info: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the fields of all replicas."""
    replicas: list[dict[str, Any]] = json.loads(info["replicas"])
    return replicas


pytestmark = pytest.mark.timeout(3600)


@pytest.fixture(scope="module")
def spec(tmp_path_factory: pytest.TempPathFactory) -> EnvironmentSpec:
    """The environment, with its program built by the command of docs/protocols/library.md."""
    folder = tmp_path_factory.mktemp("etcd")
    shutil.copytree(EXAMPLES / "etcd_raft", folder / "etcd_raft")
    shutil.copy(EXAMPLES / "etcd_raft.py", folder)
    variables = {"GOPATH": "/usr/share/gocode", "GO111MODULE": "off", "GOCACHE": str(folder / "c")}
    build = ["go", "build", "-ldflags=-w", "-o", folder / "etcd-raft", "."]
    subprocess.run(build, cwd=folder / "etcd_raft", env={**os.environ, **variables}, check=True)
    return lookup(str(folder / "etcd_raft.py"))


def test_episodes_are_reproducible_in_copies_and_other_processes(
    spec: EnvironmentSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []
    for launch, seed in (("fork", "1"), ("spawn", "2")):
        monkeypatch.setenv("PYTHONHASHSEED", seed)
        with closing(spec.raw_env(**ARGUMENTS, launch=launch)) as env:
            found.append(hashes(env, draw(3), seed=7))
    with closing(spec.raw_env(**ARGUMENTS)) as env:
        env.reset(seed=7)
        choose, told = draw(3), []
        for step in range(len(found[0])):
            *_, terminated, truncated, info = env.last()
            told.append((info["state_hash"], info["concrete_hash"]))
            if step == 20:
                env.restore(env.snapshot())
            env.step(None if terminated or truncated else choose(info))
    assert found[0] == found[1] == told
    assert len(set(told)) > 40


@pytest.mark.parametrize("pre_vote", [False, True])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_no_property_is_violated(seed: int, pre_vote: bool, spec: EnvironmentSpec) -> None:
    choose, played, found = draw(seed), 0, []
    committed = 0
    with closing(spec.raw_env(**{**ARGUMENTS, "infos": "all"}, pre_vote=pre_vote)) as env:
        while played < STEPS:
            for info, action in follow(env, choose, 1000 * seed + played):
                found += info["violations"].splitlines()
                committed = max(committed, *(each["commit"] for each in read(info)))
                played += action is not None
    print(f"seed {seed}, pre_vote={pre_vote}: {played} steps, {found}")
    assert not found
    assert committed > 2  # replicas are stopped too often for more
