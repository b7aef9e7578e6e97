# SPDX-License-Identifier: GPL-2.0-only
"""The infos of partition_v0, and their reproducibility: snapshots, vectors, hash seeds."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from conftest import TESTS
from partition_support import draw, follow, hashes, keep

from defiance_zoo.envs import partition_v0
from defiance_zoo.envs.partition.actions import Actions, find_actions
from defiance_zoo.envs.partition.states import read_replicas
from defiance_zoo.errors import ParameterError
from defiance_zoo.wrappers.gymnasium import GymnasiumEnv


def test_message_events_report_the_fate_of_each_message() -> None:
    env = partition_v0.raw_env(horizon=200, message_events=True)
    events: dict[tuple[int, int], list[str]] = {}
    times: dict[tuple[int, int], int] = {}
    for info, _ in follow(env, draw(6)):
        told = json.loads(info["message_events"])
        for each in told:
            message = (each["from"], each["number"])
            events.setdefault(message, []).append(each["event"])
            if each["event"] == "sent":
                assert each["text"].split()[1:3] == [f"from={each['from']}", f"to={each['to']}"]
                times[message] = each["time_ns"]
            elif each["event"] == "arrived":
                assert 200_000 < each["time_ns"] - times[message] < 300_000
        kinds = [each["event"] for each in told]
        assert kinds.count("delivered") == info["delivered"]
        assert kinds.count("dropped") >= info["dropped"]  # a crash discards messages, too
    ways = {tuple(each) for each in events.values()}
    assert ways <= {
        ("sent",),  # to a stopped replica
        ("sent", "arrived"),
        ("sent", "arrived", "delivered"),
        ("sent", "arrived", "dropped"),
    }
    assert len(ways) == 4
    env.close()


@pytest.mark.parametrize(
    "arguments",
    [
        {"num_replicas": 4},
        {"max_blocks": 2},
        # as many actions as without Byzantine replicas and with two blocks
        {"max_blocks": 1, "with_byzantine": True, "max_byzantine": 1, "protocol": "tendermint"},
        {"with_delays": True, "healing": "on_demand"},
    ],
)
def test_action_hashes_equal_those_computed_in_python(arguments: dict[str, Any]) -> None:
    env = partition_v0.raw_env(max_inactive=2, horizon=60, action_hashes=True, **arguments)
    for info, _ in follow(env, draw(5)):
        actions, legal = find_actions(info), np.flatnonzero(info["action_mask"])
        expected = [actions.hash(int(index), info) for index in legal]
        assert info["action_hashes"].split("\n") == expected
    env.close()


def test_fewer_infos_change_no_observation_or_reward() -> None:
    few = partition_v0.raw_env(infos="hashes")
    all_of_them = partition_v0.raw_env()
    told = [info for info, _ in follow(few, draw(7))]
    assert not {"colors", "slots", "replicas"} & set(told[0])
    assert [(i["state_hash"], i["concrete_hash"]) for i in told] == hashes(all_of_them, draw(7))
    few.close()
    all_of_them.close()


def test_the_initial_hash_is_the_same_in_every_version() -> None:
    """The hash is computed as documented: canonical JSON, SHA-256, blocks, counts."""
    env = partition_v0.raw_env(horizon=1)
    info, _ = next(follow(env, keep))
    assert info["state_hash"] == (
        "09552bd85f746af158d52d9d4ba0a376ed02518d59c33e06f7b2e2b118fe9946"
    )
    env.close()


def test_a_lack_of_progress_is_reported_once() -> None:
    """With every packet lost no leader is elected; separated replicas need not progress."""
    env = partition_v0.raw_env(link_loss=1.0, no_progress_ticks=20, horizon=30)
    warned = [step for step, (info, _) in enumerate(follow(env, keep)) if info["warnings"]]
    assert warned == [7]  # of three ticks each; the first state has no predecessor
    env.close()
    env = partition_v0.raw_env(no_progress_ticks=20, horizon=30)
    assert all(not info["warnings"] for info, _ in follow(env, lambda _: 5))
    env.close()


def test_snapshots_of_the_protocol_replace_logs() -> None:
    """A snapshot brings a lagging replica up to date, without a violation."""
    env = partition_v0.raw_env(
        compaction=2, num_requests=500, horizon=1000, crash_limit=1000, election_ticks=6,
        heartbeat_ticks=2, message_events=True,
    )  # fmt: skip
    installed, longest = 0, 0
    for info, _ in follow(env, draw(11)):
        assert info["violations"] == ""
        states = read_replicas(info)
        for state in states:
            assert state.index == state.snapshot + len(state.log)
            assert state.commit >= state.snapshot
            longest = max(longest, state.snapshot)
        installed += info["message_events"].count("InstallSnapshot")
    assert longest > 30
    assert installed > 3
    env.close()


def test_messages_in_the_pool_are_in_snapshots_and_branches() -> None:
    env = partition_v0.raw_env(drop_rule="hold", horizon=60, link="local")
    env.reset(seed=1)
    while env.last()[4]["pending_messages"] < 6:
        env.step(5)
    held = env.last()[4]["pending_messages"]

    def play_on(other: Any, seed: int) -> list[tuple[str, int]]:
        told = []
        choose = draw(seed)
        for _ in range(20):
            other.step(choose(other.last()[4]))
            info = other.last()[4]
            told.append((info["concrete_hash"], info["delivered"]))
        return told

    snapshot, branch = env.snapshot(), env.branch()
    first = play_on(env, 1)
    assert sum(delivered for _, delivered in first) > held
    env.restore(snapshot)
    assert env.last()[4]["pending_messages"] == held
    assert play_on(env, 2) != first
    assert play_on(branch, 1) == first
    env.restore(snapshot)
    assert play_on(env, 1) == first
    branch.close()
    env.close()


def test_vectors_play_the_same_episodes() -> None:
    """Eight simulations of a vector play like single ones."""
    plan = np.random.default_rng(1).integers(0, 2, (24, 8))  # keep the partition, or unite all
    vector = partition_v0.SPEC.vector_env(8)
    _, infos = vector.reset(seed=list(range(8)))
    told = [list(infos["concrete_hash"])]
    for actions in plan:
        *_, infos = vector.step(actions)
        told.append(list(infos["concrete_hash"]))
    vector.close()
    env = GymnasiumEnv(partition_v0.SPEC, link="local")
    for row in range(8):
        _, info = env.reset(seed=row)
        alone = [info["concrete_hash"]]
        for actions in plan:
            alone.append(env.step(int(actions[row]))[4]["concrete_hash"])
        assert alone == [each[row] for each in told]
    env.close()


def test_hash_seeds_of_python_do_not_matter() -> None:
    code = (
        "from partition_support import draw, hashes\n"
        "from defiance_zoo.envs import partition_v0\n"
        "env = partition_v0.raw_env()\n"
        "print(hashes(env, draw(5), seed=9))\n"
        "env.close()\n"
    )
    told = set()
    for seed in ("1", "2"):
        path = os.pathsep.join([f"{TESTS}/support", *filter(None, [os.environ.get("PYTHONPATH")])])
        variables = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": path}
        done = subprocess.run(
            [sys.executable, "-c", code], env=variables, check=True, stdout=subprocess.PIPE
        )
        told.add(done.stdout)
    assert len(told) == 1
    env = partition_v0.raw_env()
    assert told == {f"{hashes(env, draw(5), seed=9)}\n".encode()}
    env.close()


@pytest.mark.parametrize("replicas", [-1, 0, 11, 10**19])
def test_actions_of_too_many_replicas_are_refused(replicas: int) -> None:
    with pytest.raises(ParameterError, match="must be from 1 to 10"):
        Actions(replicas)
