# SPDX-License-Identifier: GPL-2.0-only
"""partition_v0 with Tendermint: its preset, checkers, guarantees, and lies that break them."""

from __future__ import annotations

import json
from typing import Any, ClassVar

import gymnasium
import numpy as np
import pytest
from conformance import SingleAgentConformance
from gymnasium import spaces
from partition_support import CHECKERS_WARN, draw, follow, keep, partition, request

from defiance_zoo.envs import partition_v0
from defiance_zoo.envs.partition.painters import TENDERMINT_COVERAGE
from defiance_zoo.envs.partition.states import Step, read_replicas
from defiance_zoo.errors import ParameterError

Arguments = dict[str, Any]
SPEC = partition_v0.TENDERMINT_SPEC

pytestmark = CHECKERS_WARN


def test_the_size_of_reports_does_not_grow_with_logs() -> None:
    """Reports of ten steps are as long after a hundred decisions as after ten."""
    env = SPEC.raw_env(link="local", horizon=400, infos="hashes", communication_report=True)
    told: list[int] = []
    for step, _ in enumerate(follow(env, keep)):
        if step % 10 == 0:
            flows = env.communication_report().flows
            told.append(sum(f.tx_bytes for f in flows if f.receiver == "agent_0"))
    each = np.diff(told)
    assert each[-10:].mean() == pytest.approx(each[2:12].mean(), rel=0.1)
    env.close()


@pytest.mark.parametrize(
    "arguments", [pytest.param({"with_byzantine": True, "max_byzantine": 2}, id="byzantine")]
)
class TestEachMode(SingleAgentConformance):
    """The checkers, most of which ignore masks."""

    spec = SPEC
    short: ClassVar[Arguments] = {"horizon": 12, "illegal_actions": "keep"}


def test_the_preset_has_the_values_of_the_document() -> None:
    """Eleven documented values, and this project's own."""
    assert partition_v0.TENDERMINT == {
        "protocol": "tendermint",
        "num_replicas": 4,
        "ticks_between_partition": 3,
        "max_messages_per_tick": 20,
        "stay_same_state_upto": 2,
        "with_crashes": True,
        "crash_limit": 10,
        "max_inactive": 2,
        "num_requests": 20,
        "timeout_propose": "200ms",
        "timeout_prevote": "100ms",
        "timeout_precommit": "100ms",
        "timeout_commit": "100ms",
        "tick_interval": "20ms",
    }
    env = gymnasium.make("defiance_zoo/PartitionTendermint-v0")
    assert env.action_space == spaces.Discrete(1 + 15 + 4 + 4 + 1)
    _, info = env.reset(seed=1)
    assert info["virtual_time"] == 0.02
    assert (info["pending_requests"], info["remaining_crashes"]) == (20, 10)
    env.close()


def test_without_faults_requests_are_committed() -> None:
    """In 20 of 20 episodes every replica decides all requests in order and in round 0."""
    env = SPEC.raw_env(horizon=100, infos="hashes")
    for seed in range(19):
        for info, _ in follow(env, request, seed):
            assert info["violations"] == info["warnings"] == ""
    env.close()
    env = SPEC.raw_env(horizon=100)
    *_, (info, _) = follow(env, request, 19)
    for state in read_replicas(info):
        assert [entry.request for entry in state.log if entry.request] == list(range(1, 21))
        assert {entry.term for entry in state.log} == {0}
    env.close()


def test_replicas_wait_for_the_proposer_until_the_timeout() -> None:
    """With the proposer of the first height isolated, the others prevote nil after ten ticks."""
    env = SPEC.raw_env(painter="id", ticks_between_partition=1, horizon=30)
    cut = iter([True])
    steps = [
        read_replicas(info)[1].step
        for info, _ in follow(
            env, lambda info: partition(info, {1}, {2, 3, 4}) if next(cut, False) else 0
        )
    ]
    assert steps.index(Step.PROPOSE) == 5  # after timeout_commit
    assert steps.index(Step.PREVOTE) == 15
    env.close()


def test_tendermint_keeps_its_guarantees_under_random_faults() -> None:
    """Random faults violate nothing; there are further rounds, locks, stops and liars."""
    env = SPEC.raw_env(horizon=1000, crash_limit=1000, with_byzantine=True, max_byzantine=1)
    rounds, locked, heights, liars = set(), 0, 0, 0
    for info, _ in follow(env, draw(1)):
        assert info["violations"] == ""
        states = read_replicas(info)
        rounds |= {each.round for each in states}
        locked += any(each.locked for each in states)
        liars = max(liars, sum(each.byzantine for each in states))
        heights = max(heights, *(each.height for each in states))
    assert max(rounds) >= 2
    assert locked > 100
    assert heights > 20
    assert liars == 1
    env.close()


def test_too_many_liars_cause_a_violation_of_agreement() -> None:
    """Two of four: the oracle reports the decisions, and the episode ends with a reward."""
    env = SPEC.raw_env(painter="id", with_byzantine=True, max_byzantine=2, horizon=40)
    env.reset(seed=1)
    made = 0
    rewards = 0.0
    for _agent in env.agent_iter():
        _, reward, terminated, truncated, info = env.last()
        rewards += reward
        action = 0
        if terminated or truncated:
            break
        slots = list(info["slots"])
        if made < 2:
            made += 1
            action = 25 + slots.index(made)
        elif info["pending_requests"] > 15:
            action = 24
        env.step(action)
    assert terminated
    assert rewards == 1
    assert [each.byzantine for each in read_replicas(info)] == [True, True, False, False]
    assert info["violations"] == (
        "agreement: replica 4 has decided request 0 at height 1, where request 1 was decided"
    )
    env.close()


def test_colours_equal_those_computed_in_python() -> None:
    env = SPEC.raw_env(horizon=60, with_byzantine=True, max_byzantine=1)
    observed = set()
    for info, _ in follow(env, draw(2)):
        replicas = read_replicas(info)
        seen = [TENDERMINT_COVERAGE.paint(replicas[replica - 1], 4) for replica in info["slots"]]
        assert [json.loads(each.text) for each in seen] == json.loads(info["colors"])
        features = env.observe("agent_0")["observation"][:36].reshape(4, 9)
        for slot, each in enumerate(seen):
            assert features[slot, :6].tolist() == pytest.approx(each.features, rel=1e-6)
            state = replicas[info["slots"][slot] - 1]
            assert features[slot, 7:].tolist() == [state.active, state.byzantine]
        observed |= {each.text[:12] for each in seen}
    assert {'{"byzantine"', '{"inactive":'} <= observed
    env.close()


def test_pictures_are_drawn() -> None:
    env = SPEC.raw_env(render_mode="ansi", horizon=20)
    for _ in follow(env, request):
        text = env.render()
    assert text.count("replica ") == 4
    assert "prevote height 3 round 0, committed 2, log 0:1 0:2" in text
    env.close()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"painter": "term"}, "no field 'term'; there are id, log, height, round"),
        ({"painter": "step:2"}, "whose values do not grow"),
        ({"boundary": "term:3"}, "fields are height round step"),
        ({"election_ticks": 5}, "are parameters of protocol=raft"),
        ({"timeout_propose": "50ms"}, "less than three ticks"),
        ({"max_byzantine": 5, "with_byzantine": True}, "more than num_replicas=4"),
        ({"protocol": "raft", "timeout_commit": "1s"}, "are parameters of protocol=tendermint"),
        ({"protocol": "paxos"}, "protocol='paxos' is not one of"),
    ],
)
def test_bad_parameters_are_refused(arguments: Arguments, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        SPEC.raw_env(**arguments).reset()
