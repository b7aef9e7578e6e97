# SPDX-License-Identifier: GPL-2.0-only
"""partition_v0 with delays: newer messages overtake messages that a tester delays."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from partition_support import Choose, draw, follow, hashes

from benchmarks.zoo.partition_rules import expected_mask
from defiance_zoo.environments import EnvironmentSpec
from defiance_zoo.envs import partition_v0
from defiance_zoo.envs.partition.actions import DELAYS, Actions, Kind, find_actions
from defiance_zoo.envs.partition.painters import COVERAGE
from defiance_zoo.envs.partition.states import Role, read_replicas
from defiance_zoo.errors import ParameterError
from defiance_zoo.protocols.rewards import properties
from defiance_zoo.protocols.violations import first_violation, shrink_violation
from defiance_zoo.recording import read_recording

TENDERMINT = partition_v0.TENDERMINT_SPEC


@pytest.mark.parametrize(
    ("spec", "most"), [pytest.param(partition_v0.SPEC, 1, id="raft"),
                       pytest.param(TENDERMINT, 2, id="tendermint")]
)  # fmt: skip
def test_the_mask_allows_a_release_where_messages_wait(spec: EnvironmentSpec, most: int) -> None:
    env = spec.raw_env(link="local", with_delays=True, horizon=200, crash_limit=100)
    waiting = set()
    for info, _ in follow(env, draw(1)):
        assert info["action_mask"].tolist() == expected_mask(info, max_inactive=most)
        states = read_replicas(info)
        assert any(each.delayed for each in states) == (info[DELAYS] > 0)
        assert not any(each.delayed and not each.active for each in states)
        waiting.add(info[DELAYS])
    assert len(waiting) > 2
    env.close()


def test_colours_and_observations_show_delays() -> None:
    env = partition_v0.raw_env(link="local", with_delays=True, horizon=60)
    seen = set()
    for info, _ in follow(env, draw(2)):
        replicas = read_replicas(info)
        slots = [replicas[replica - 1] for replica in info["slots"]]
        painted = [json.loads(COVERAGE.paint(each).text) for each in slots]
        assert painted == json.loads(info["colors"])
        observed = env.observe("agent_0")["observation"][:48].reshape(3, 16)
        assert observed[:, 15].tolist() == [each.delayed for each in slots]
        seen |= {each.delayed for each in slots}
    assert seen == {False, True}
    env.close()


def test_episodes_with_delays_are_reproducible() -> None:
    env = partition_v0.raw_env(link="local", with_delays=True)
    first = hashes(env, draw(3))
    assert hashes(env, draw(3)) == first
    env.close()


def test_the_partitioner_delays_messages() -> None:
    actions = Actions(2, role="partitioner", with_delays=True, with_healing=True)
    kinds = [actions[number].kind for number in range(len(actions))]
    assert kinds == [
        "keep", "create", "create", "delay", "delay", "release", "release", "heal",
    ]  # fmt: skip
    env = partition_v0.raw_env(link="local", with_delays=True, roles=True, horizon=30)
    assert max(info[DELAYS] for info, _ in follow(env, draw(1))) > 0
    env.close()


def test_delays_require_held_messages() -> None:
    with pytest.raises(ParameterError, match="with_delays=true is for delivery=pool"):
        partition_v0.raw_env(with_delays=True, delivery="network").reset(seed=1)


def overtake() -> Choose:
    """Return a policy in which a follower receives the first entries again after later commits."""
    kinds: list[Kind] = ["delay", "request", "keep", "keep", "release"]
    plan: Iterator[Kind] = itertools.chain(kinds, itertools.repeat("keep"))

    def choose(info: dict[str, Any]) -> int:
        leader = next((s.id for s in read_replicas(info) if s.state == Role.LEADER), 0)
        if not leader:
            return 0
        slots = [int(replica) for replica in info["slots"]]
        follower = slots.index(next(each for each in (1, 2, 3) if each != leader))
        found = find_actions(info).find(next(plan))
        return found[follower] if len(found) > 1 else found[0]

    return choose


OVERTAKEN: dict[str, Any] = {"with_delays": True, "painter": "id", "horizon": 40}


@pytest.mark.parametrize("bug", ["R6", ""])
def test_an_overtaken_message_truncates_a_log_with_the_bug_r6(bug: str) -> None:
    env = partition_v0.raw_env(link="local", bug=bug, **OVERTAKEN)
    *_, (info, _) = follow(env, overtake())
    env.close()
    assert ("reduced_log" in properties(info)) == (bug == "R6")


def test_violations_with_delays_are_shrunk_and_replayed(tmp_path: Path) -> None:
    env = partition_v0.raw_env(record=tmp_path, bug="R6", **OVERTAKEN)
    for _ in follow(env, overtake()):
        pass
    env.close()
    (path,) = tmp_path.iterdir()
    recording = read_recording(path)
    shorter = shrink_violation(recording)  # which it replays
    assert len(shorter.rounds) < len(recording.rounds)
    found = first_violation(shorter)
    assert found is not None
    assert "reduced_log" in found[1]
