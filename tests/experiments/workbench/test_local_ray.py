# SPDX-License-Identifier: GPL-2.0-only
"""Ray that the package starts serves this user's processes only."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
import ray
from programs import Program
from ray._private import ray_constants

from defiance_zoo.errors import ClusterLost
from defiance_zoo.experiments.workbench import ray_cluster
from defiance_zoo.experiments.workbench.ray_cluster import local_ray

pytestmark = [pytest.mark.long, pytest.mark.timeout(300)]

OTHER = """
import sys
import ray
try:
    ray.init(sys.argv[1], log_to_driver=False, logging_level="CRITICAL")
except Exception as error:
    print(f"refused: {error}")
else:
    print("connected")
"""


def call_other(address: str, **variables: str) -> str:
    """Connect from another process, which has this process's environment without its token."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("RAY_AUTH")}
    kept[ray_constants.ENABLE_RAY_CLUSTERS_ENV_VAR] = "0"  # Ray can connect to loopback
    command = [sys.executable, "-c", OTHER, address]
    done = subprocess.run(
        command, env={**kept, **variables}, stdout=subprocess.PIPE, text=True, check=True
    )
    return done.stdout


@pytest.fixture(autouse=True)
def read_variables_again() -> Iterator[None]:
    """Let Ray read the environment after the tests that change it; it remembers the mode."""
    yield
    ray_cluster._read_variables()


def test_other_accounts_neither_reach_nor_join_a_local_ray(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("RAY_AUTH_MODE", "RAY_AUTH_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    with local_ray(1):
        token = os.environ["RAY_AUTH_TOKEN"]
        assert ray.get(ray.remote(lambda: os.getpid()).remote()) != os.getpid()
        context = ray.get_runtime_context()
        processes = [psutil.Process(), *psutil.Process().children(recursive=True)]
        listening = {
            each.laddr.ip.removeprefix("::ffff:")
            for process in processes
            for each in process.net_connections("inet")
            if each.status == psutil.CONN_LISTEN
        }
        assert listening == {"127.0.0.1"}
        assert not any(token in word for process in processes for word in process.cmdline())
        assert not (tmp_path / ".ray").exists()  # where Ray writes its token for all to read
        folder = Path(context.get_temp_dir())
        assert stat.S_IMODE(folder.parent.stat().st_mode) == 0o700
        variables = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": token}
        assert call_other(context.gcs_address, **variables) == "connected\n"
        assert call_other(context.gcs_address).startswith("refused")
        variables["RAY_AUTH_TOKEN"] = "0" * 64
        assert call_other(context.gcs_address, **variables).startswith("refused")
    assert not folder.exists()
    assert "RAY_AUTH_TOKEN" not in os.environ
    assert "RAY_AUTH_MODE" not in os.environ


def test_a_token_of_the_user_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    ray.init("local", num_cpus=1, include_dashboard=False, log_to_driver=False)  # keeps its token
    ray.shutdown()
    monkeypatch.setenv("RAY_AUTH_TOKEN", "1" * 64)
    with local_ray(1):
        assert os.environ["RAY_AUTH_TOKEN"] == "1" * 64
    assert os.environ["RAY_AUTH_TOKEN"] == "1" * 64


def test_a_server_of_an_earlier_ray_may_still_end(tmp_path: Path) -> None:
    (tmp_path / "raylet").symlink_to("/bin/true")
    with Program([tmp_path / "raylet"]), local_ray(1):  # a zombie until the end
        assert ray.is_initialized()


def test_a_ray_that_does_not_start_is_an_error_that_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def init(*_: Any, **__: Any) -> None:
        raise Exception("The current node timed out during startup.")

    monkeypatch.setattr(ray, "init", init)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(ray_cluster, "_LONGEST", len(str(tmp_path)))
    with pytest.raises(ClusterLost, match=r"try again: .* timed out"), local_ray(1):
        pass
    assert list(tmp_path.iterdir()) == []
