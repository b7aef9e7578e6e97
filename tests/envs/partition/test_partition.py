# SPDX-License-Identifier: GPL-2.0-only
"""partition_v0: checkers, masks, clean resets, crashes, faultless episodes, bad parameters."""

from __future__ import annotations

import functools
import hashlib
import json
from types import SimpleNamespace
from typing import Any, ClassVar

import gymnasium
import numpy as np
import pytest
from conformance import SingleAgentConformance
from gymnasium import spaces
from partition_support import CHECKERS_WARN, draw, follow, hashes, keep, request
from pettingzoo.test import max_cycles_test

from benchmarks.zoo.partition_rules import expected_mask
from defiance_zoo.environments import AgentView
from defiance_zoo.envs import partition_v0
from defiance_zoo.envs.partition.painters import COVERAGE
from defiance_zoo.envs.partition.rendering import PartitionRenderer
from defiance_zoo.envs.partition.states import Role, read_replicas
from defiance_zoo.errors import IllegalAction, ParameterError

Arguments = dict[str, Any]
AGENT = "agent_0"

pytestmark = CHECKERS_WARN


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param({}, id="default"),
        pytest.param(
            {"num_replicas": 4, "with_crashes": False, "drop_rule": "hold", "transport": "tcp"},
            id="hold-tcp",
        ),
        pytest.param(
            {"num_replicas": 5, "painter": "state,term:3", "max_inactive": 0, "link_loss": 0.1},
            id="five-lossy",
        ),
    ],
)
class TestEachMode(SingleAgentConformance):
    """The checkers, most of which ignore masks."""

    spec = partition_v0.SPEC
    short: ClassVar[Arguments] = {"horizon": 12, "illegal_actions": "keep"}


def test_max_cycles_truncates_episodes() -> None:
    make = functools.partial(partition_v0.env, illegal_actions="keep")
    parallel = functools.partial(partition_v0.parallel_env, illegal_actions="keep")
    max_cycles_test(SimpleNamespace(env=make, parallel_env=parallel))


def test_spaces_depend_on_the_parameters() -> None:
    env = partition_v0.raw_env()
    assert env.possible_agents == [AGENT]
    assert env.action_space(AGENT) == spaces.Discrete(13)
    assert env.observation_space(AGENT) == spaces.Dict(
        {
            "action_mask": spaces.Box(0, 1, (13,), np.int8),
            "observation": spaces.Box(0, 1, (3 * (12 + 3) + 4,), np.float32),
        }
    )
    for replicas, actions in ((4, 25), (5, 64), (7, 893)):
        assert partition_v0.raw_env(num_replicas=replicas).action_space(AGENT).n == actions
    halves = partition_v0.raw_env(num_replicas=10, max_blocks=2)
    assert halves.action_space(AGENT).n == 512 + 22
    env = gymnasium.make("defiance_zoo/PartitionRaft-v0")
    assert env.action_space == spaces.Discrete(13)
    env.close()


def creations(info: dict[str, Any], replicas: int) -> int:
    """Return the number of partitions that may be created."""
    mask = info["action_mask"]
    return int(mask[1 : len(mask) - 2 * replicas - 1].sum())


@pytest.mark.parametrize(
    ("replicas", "alike", "one_differs", "distinct"),
    [(3, 3, 4, 5), (4, 5, 7, 15), (5, 7, 12, 52), (7, 15, 30, 877)],
)
def test_masks_have_one_action_for_each_coloured_partition(
    replicas: int, alike: int, one_differs: int, distinct: int
) -> None:
    """Multiset partitions of n equal colours, of n - 1 equal ones and one, of n different ones."""
    env = partition_v0.raw_env(num_replicas=replicas, painter="state", horizon=60)
    for info, _ in follow(env, keep):
        roles = sorted(each.state for each in read_replicas(info))
        if roles == [Role.FOLLOWER] * replicas:
            assert creations(info, replicas) == alike
        elif roles == [Role.FOLLOWER] * (replicas - 1) + [Role.LEADER]:
            assert creations(info, replicas) == one_differs
            break
    else:
        pytest.fail("nobody became leader")
    env.close()
    env = partition_v0.raw_env(num_replicas=replicas, painter="id", horizon=1)
    info, _ = next(follow(env, keep))
    assert creations(info, replicas) == distinct
    env.close()


def test_the_mask_equals_the_legal_actions() -> None:
    """The mask follows the rules at each step, and forbidden actions are refused."""
    env = partition_v0.raw_env(
        num_replicas=4, max_inactive=2, horizon=400, crash_limit=100, num_requests=40
    )
    inactive = set()
    for info, _ in follow(env, draw(1)):
        assert info["action_mask"].tolist() == expected_mask(info, max_inactive=2)
        assert info["action_mask"].any()
        inactive.add(sum(not each.active for each in read_replicas(info)))
    assert inactive == {0, 1, 2}
    env.close()
    env = partition_v0.raw_env()
    info, _ = next(follow(env, keep))
    for index in np.flatnonzero(info["action_mask"] == 0):
        with pytest.raises(IllegalAction, match=f"forbids action {index} now; it allows 0, 1"):
            env.step(int(index))
    env.step(0)  # nothing was sent
    env.close()
    vector = partition_v0.SPEC.vector_env(1)
    vector.reset(seed=1)
    with pytest.raises(IllegalAction, match="forbids action 12 now"):
        vector.step([12])
    vector.step([0])  # nothing was sent
    vector.close()


def test_colours_equal_those_computed_in_python() -> None:
    """The simulation and `Painter` compute equal colours, and observations contain them by slot."""
    env = partition_v0.raw_env(horizon=60)
    states = set()
    for info, _ in follow(env, draw(2)):
        replicas = read_replicas(info)
        seen = [COVERAGE.paint(replicas[replica - 1]) for replica in info["slots"]]
        assert [json.loads(each.text) for each in seen] == json.loads(info["colors"])
        keys = [
            (not replicas[r - 1].active, c.hash, r)
            for r, c in zip(info["slots"], seen, strict=True)
        ]
        assert keys == sorted(keys)
        observed = env.observe(AGENT)["observation"][:45].reshape(3, 15)
        np.testing.assert_allclose(observed[:, :12], [each.features for each in seen], rtol=1e-6)
        assert observed[:, 13].tolist() == [not key[0] for key in keys]
        states.add(info["state_hash"])
    assert len(states) > 20
    env.close()


def test_state_hashes_do_not_depend_on_the_identity_of_replicas() -> None:
    """A hash depends only on the colours in each block: recomputed from infos."""
    env = partition_v0.raw_env(horizon=40, painter="state,term:4")
    for info, _ in follow(env, draw(3)):
        blocks: dict[int, list[str]] = {}
        texts = [
            json.dumps(each, sort_keys=True, separators=(",", ":"))
            for each in json.loads(info["colors"])
        ]
        for replica, text in reversed(list(zip(info["slots"], texts, strict=True))):
            blocks.setdefault(int(info["partition"][replica - 1]), []).append(_sha256(text))
        text = json.dumps(
            {
                "blocks": sorted(map(sorted, blocks.values()), key=lambda each: (len(each), each)),
                "crashes": info["remaining_crashes"],
                "repeats": info["repeat_count"],
                "requests": info["pending_requests"],
            },
            separators=(",", ":"),
        )
        assert info["state_hash"] == _sha256(text)
    env.close()


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def test_episodes_of_a_process_do_not_depend_on_earlier_ones() -> None:
    """Episodes 1, 2 and 50 of a process equal episodes of a new process."""
    fresh = partition_v0.raw_env(launch="spawn")
    expected = hashes(fresh, draw(5), seed=9)
    fresh.close()
    env = partition_v0.raw_env()
    for episode in range(1, 51):
        if episode in (1, 2, 50):
            assert hashes(env, draw(5), seed=9) == expected
        else:
            env.reset(seed=episode)
            env.step(0)
    env.close()


def test_equal_concrete_states_have_equal_successors() -> None:
    """After different histories, equal concrete states continue equally with equal actions."""
    env = partition_v0.raw_env(horizon=8, painter="state,term", election_ticks=4, heartbeat_ticks=2)
    after: dict[tuple[str, int], tuple[str, list[int]]] = {}
    compared = 0
    for episode in range(150):
        history: list[int] = []
        before: tuple[str, int] | None = None
        for info, action in follow(env, draw(episode)):
            if before is not None:
                came, through = after.setdefault(before, (info["concrete_hash"], list(history)))
                assert came == info["concrete_hash"]
                compared += through != history
            if action is not None:
                before = (info["concrete_hash"], action)
                history.append(action)
    assert compared > 50
    env.close()


def test_repetitions_of_an_action_are_counted_up_to_a_bound() -> None:
    env = partition_v0.raw_env(painter="snapshot", horizon=5)
    assert [info["repeat_count"] for info, _ in follow(env, keep)] == [0, 1, 2, 2, 2, 2]
    env.close()
    env = partition_v0.raw_env(painter="snapshot", horizon=3)
    chosen = iter([0, 5, 0])  # a counter for each action
    told = [info["repeat_count"] for info, _ in follow(env, lambda _info: next(chosen))]
    assert told == [0, 1, 0, 1]
    env.close()


def test_crashes_respect_their_limits_and_disks_survive() -> None:
    env = partition_v0.raw_env(
        num_replicas=5, max_inactive=2, crash_limit=4, horizon=150, num_requests=20
    )
    stops = 0
    previous = None
    for info, _ in follow(env, draw(4)):
        states = read_replicas(info)
        assert sum(not each.active for each in states) <= 2
        for state in [] if previous is None else states:
            before = previous[state.id - 1]
            stops += before.active and not state.active
            if state.active != before.active:
                assert state.log[: before.index] == before.log[: state.index]
                assert state.term >= before.term
        assert info["remaining_crashes"] == 4 - stops
        previous = states
    assert stops == 4
    env.close()


def test_messages_scheduled_in_a_tick_are_limited() -> None:
    env = partition_v0.raw_env(max_messages_per_tick=1, horizon=60)
    moved = [info["delivered"] + info["dropped"] for info, _ in follow(env, draw(6))]
    assert max(moved) == 3
    env.close()


@pytest.mark.parametrize("rule", ["every_tick", "first_tick", "hold"])
def test_messages_between_blocks_are_held(rule: str) -> None:
    """With every replica alone nothing is delivered; held messages arrive when all are together."""
    env = partition_v0.raw_env(drop_rule=rule, horizon=20)
    told = [info for info, _ in follow(env, lambda _info: 5)][1:]
    assert all(info["delivered"] == 0 for info in told)
    dropped = [info["dropped"] for info in told]
    pending = [info["pending_messages"] for info in told]
    if rule == "hold":
        assert sum(dropped) == 0
        assert pending == sorted(pending)
        assert pending[-1] >= 12  # each replica has been a candidate twice
    else:
        assert sum(dropped) >= 12
        assert rule == "every_tick" or dropped[1:] == pending[:-1]
    assert all(each.state != Role.LEADER for each in read_replicas(told[-1]))
    env.close()


def test_without_faults_requests_are_committed() -> None:
    """In 40 of 40 episodes every replica commits all requests in order."""
    env = partition_v0.raw_env(horizon=40)
    for seed in range(40):
        for info, _ in follow(env, request, seed):
            assert info["violations"] == ""
        for state in read_replicas(info):
            requests = [entry.request for entry in state.committed if entry.request]
            assert requests == [1, 2, 3, 4, 5]
    env.close()


@pytest.mark.parametrize("replicas", [3, 5])
def test_raft_keeps_its_guarantees_under_random_faults(replicas: int) -> None:
    """Random faults and crashes violate nothing, and there are leaders and commits."""
    env = partition_v0.raw_env(
        num_replicas=replicas, max_inactive=0, crash_limit=1000, horizon=1500, num_requests=100,
        election_ticks=6, heartbeat_ticks=2,
    )  # fmt: skip
    led, committed = set(), 0
    for info, _ in follow(env, draw(replicas)):
        assert info["violations"] == ""
        states = read_replicas(info)
        led |= {each.term for each in states if each.state == Role.LEADER}
        committed = max(committed, *(each.commit for each in states))
    assert len(led) > 10
    assert committed > 5
    env.close()


def test_an_episode_is_truncated_beyond_its_boundary() -> None:
    env = partition_v0.raw_env(boundary="term:0,commit:3", horizon=60)
    told = [info for info, _ in follow(env, keep)]
    assert [info["out_of_bounds"] for info in told] == [0] * (len(told) - 1) + [1]
    assert max(each.term for each in read_replicas(told[-1])) == 1
    assert len(told) < 30
    env.close()


def test_pictures_are_drawn() -> None:
    env = partition_v0.raw_env(render_mode="rgb_array", horizon=30)
    text = partition_v0.raw_env(render_mode="ansi", horizon=30)
    for each in (env, text):
        for _ in follow(each, draw(7)):
            picture = each.render()
        if each is env:
            assert picture.shape == (32 + 3 * 28 + 8, 640, 3)
        else:
            assert picture.count("replica ") == 3
            assert "term" in picture
        each.close()


def test_the_drawn_log_of_a_replica_covers_no_text() -> None:
    """The picture is the same without a log, except for the boxes of the log."""
    env = partition_v0.TENDERMINT_SPEC.raw_env(horizon=30)
    told = [info for info, _ in follow(env, draw(7))]
    env.close()
    for info in told:
        bare = [{**each, "log": []} for each in json.loads(info["replicas"])]
        with_log, without = (
            PartitionRenderer().render("rgb_array", {"agent_0": AgentView(None, info=each)}, 0)
            for each in (info, {**info, "replicas": json.dumps(bare)})
        )
        hidden = (with_log != without).any(axis=2) & (without < 160).all(axis=2)
        assert not hidden.any()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"crash_limit": 0}, "allow no crash"),
        ({"max_inactive": 4}, "more than num_replicas=3"),
        ({"num_replicas": 11}, "num_replicas"),
        ({"num_replicas": 8}, "max_blocks=2 takes up to 10"),
        ({"painter": "colour"}, "no field 'colour'; there are id, log, state, term"),
        ({"with_byzantine": True}, "give both, or neither"),
        ({"max_byzantine": 1}, "give both, or neither"),
        ({"with_byzantine": True, "max_byzantine": 1}, "guarantees nothing"),
        ({"delivery": "network", "drop_rule": "hold"}, "is for delivery=pool"),
        ({"delivery": "network", "max_messages_per_tick": 20}, "is for delivery=pool"),
        ({"topology": "wifi", "link_delay": "2ms"}, "topology=wifi does not use"),
        ({"topology": "csma", "num_replicas": 5}, "too short for messages"),
        ({"painter": "term:0"}, "not a number from 1 to 1000"),
        ({"painter": "state:2"}, "whose values do not grow"),
        ({"painter": "log"}, "such as log:6"),
        ({"painter": "term,term:3"}, "twice"),
        ({"painter": ""}, "names no field"),
        ({"boundary": "term"}, "field:largest"),
        ({"link_delay": "5ms"}, "too short for messages"),
        ({"heartbeat_ticks": 16}, "no leader could remain leader"),
        ({"loss": 0.1}, "link_loss"),
        ({"drop_rule": "never"}, "drop_rule"),
    ],
)
def test_bad_parameters_are_refused(arguments: Arguments, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        partition_v0.raw_env(**arguments).reset()
