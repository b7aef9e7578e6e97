# SPDX-License-Identifier: GPL-2.0-only
"""The forty lines of examples/queue_rate.py are an environment like any other."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from conformance import SingleAgentConformance
from interfaces import INTERFACES, compare_with_uninterrupted

from defiance_zoo import EnvironmentSpec, Scenario
from defiance_zoo.environments.testing import play
from defiance_zoo.errors import ParameterError, ScenarioNotFound
from defiance_zoo.registration import ENTRIES

ROOT = Path(__file__).resolve().parents[2]
SPEC = EnvironmentSpec(
    "queue_rate_v0", Scenario.python("queue_rate", ROOT / "examples" / "queue_rate.py")
)


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ENTRIES, "queue_rate_v0", SPEC)


@pytest.mark.parametrize("arguments", [{"duration": "0.6s"}])
class TestQueueRate(SingleAgentConformance):
    spec = SPEC


@pytest.mark.parametrize("link", ["zmq", "local"])
def test_all_links_give_the_same_episode(link: str) -> None:
    env, other = (
        SPEC.raw_env(duration="0.6s", launch="spawn"),
        SPEC.raw_env(duration="0.6s", link=link),
    )
    assert play(env, 5) == play(other, 5)
    env.close()
    other.close()


@pytest.mark.parametrize("interface", INTERFACES)
def test_restored_episodes_equal_uninterrupted_ones(interface: str) -> None:
    compare_with_uninterrupted(SPEC, interface, duration="0.6s")


def test_parameters_are_checked_before_anything_starts() -> None:
    with pytest.raises(ParameterError, match="delay"):
        SPEC.raw_env(delay="2s")
    declared = SPEC.scenario.declaration({})
    assert declared is not None
    assert declared.parameters["delay"].default == "5ms"
    assert declared.forks


def test_lock_links_of_editors_are_ignored(tmp_path: Path) -> None:
    """Emacs creates a broken link next to a file that is being edited."""
    file = tmp_path / "queue_rate.py"
    shutil.copy(ROOT / "examples" / "queue_rate.py", file)
    (tmp_path / ".#queue_rate.py").symlink_to("me@host.1234:5678")
    declared = Scenario.python("queue_rate", file).declaration({})
    assert declared is not None
    assert "delay" in declared.parameters


def test_files_without_a_scenario_are_refused() -> None:
    with pytest.raises(ValueError, match=r"NAME\.py"):
        Scenario.python("none", "none.cc")
    with pytest.raises(ScenarioNotFound, match="name another file"):
        EnvironmentSpec("none_v0", Scenario.python("none", "none.py")).raw_env()
