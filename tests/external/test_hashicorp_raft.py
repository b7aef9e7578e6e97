# SPDX-License-Identifier: GPL-2.0-only
"""Servers of hashicorp/raft under faults; `make test-raft` builds them with Debian's packages."""

from __future__ import annotations

import json
import subprocess
from contextlib import closing
from typing import Any

import pytest
from conftest import ROOT
from host_rights import needs_rights

import defiance_zoo

PROGRAM = ROOT / "examples" / "real_programs" / "raft_nemesis.py"
pytestmark = [needs_rights, pytest.mark.timeout(300)]


@pytest.mark.parametrize("bug", ["none", "local_read"])
def test_only_reads_from_the_memory_of_one_server_are_stale(bug: str) -> None:
    subprocess.run(["make", "-C", ROOT, "raft-registers"], check=True)
    env: Any = defiance_zoo.make(
        str(PROGRAM), api="gymnasium", max_lag="20s", rate=20.0, bug=bug, duration="30s"
    )
    with closing(env):
        actions = json.loads(env.reset(seed=1)[1]["actions"])
        found, failed = "", 0
        for name in ["partition 1", *["nothing"] * 6, "partition 2", *["nothing"] * 6, "heal"]:
            *_, terminated, truncated, info = env.step(actions.index(name))
            found, failed = found or info["violations"], info["failed"]
            if terminated or truncated:
                break
    assert failed > 20  # servers that do not lead
    assert bool(found) == (bug == "local_read")
    assert info["answered"] > 20
