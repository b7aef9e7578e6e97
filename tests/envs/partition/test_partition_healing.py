# SPDX-License-Identifier: GPL-2.0-only
"""partition_v0 with healing phases: the violations they find, and correct protocols in them."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from conformance import Conformance
from conftest import PROGRAMS
from partition_support import CHECKERS_WARN, LIARS, draw, follow, keep, partition

from defiance_zoo.bridge.simulation import Scenario
from defiance_zoo.environments import EnvironmentSpec, SimulationAECEnv
from defiance_zoo.envs import partition_v0
from defiance_zoo.envs.partition.actions import HEALING, Actions, find_actions
from defiance_zoo.envs.partition.partition_v0 import BASELINES
from defiance_zoo.envs.partition.states import read_replicas
from defiance_zoo.errors import IllegalAction, ParameterError
from defiance_zoo.protocols.chart import draw_page, read_story
from defiance_zoo.protocols.chart.page import MOST_MESSAGES
from defiance_zoo.protocols.explorers.registry import make_explorer
from defiance_zoo.protocols.histories import check_history, read_history
from defiance_zoo.protocols.violations import shrink_violation
from defiance_zoo.recording import read_recording, replay
from defiance_zoo.recording.replaying import open_recorded
from defiance_zoo.wrappers.gymnasium import GymnasiumEnv

RAFT, TENDERMINT = partition_v0.SPEC, partition_v0.TENDERMINT_SPEC
SHORT: dict[str, Any] = {"election_ticks": 4, "heartbeat_ticks": 2}

pytestmark = [
    *CHECKERS_WARN,
    # Roles have different actions, and so different masks.
    pytest.mark.filterwarnings("ignore:Agents have different"),
]


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param({"healing": "both"}, id="tester"),
        pytest.param({"healing": "both", "roles": True}, id="roles"),
        pytest.param(
            {"healing": "at_end", "topology": "csma", "delivery": "network", "link_loss": 0.3,
             "link_jitter": "30ms", "link_duplication": 0.1},
            id="csma-network",
        ),
    ],
)  # fmt: skip
class TestEachMode(Conformance):
    """The checkers, most of which ignore masks."""

    spec = RAFT
    short: ClassVar[dict[str, Any]] = {"horizon": 12, "illegal_actions": "keep"}


def properties(info: dict[str, Any]) -> set[str]:
    """Return the properties that a step violates."""
    return {line.partition(":")[0] for line in info["violations"].splitlines()}


def play_last(env: SimulationAECEnv, seed: int, choose: Any = None) -> dict[str, Any]:
    """Play an episode, with random actions by default, and return its last info."""
    *_, (info, _) = follow(env, choose or draw(seed), seed)
    return info


# ---------------------------------------------------------------------- violations found


@pytest.mark.parametrize("seed", range(5))
def test_a_kept_lock_is_found_in_the_first_healed_episode(seed: int) -> None:
    env = TENDERMINT.raw_env(link="local", bug="T8", healing="at_end")
    info = play_last(env, seed)
    env.close()
    assert properties(info) == {"liveness"}


def lag(info: dict[str, Any], step: int) -> int:
    """Let replica 3 lag behind a leader, then elect another leader with 3's missing entries."""
    mask, slots = info["action_mask"], list(info["slots"])
    (request,) = find_actions(info).find("request")
    leader = next((each.id for each in read_replicas(info) if each.leader == each.id), 0)
    if step == 0:
        return partition(info, {1, 2}, {3})
    if mask[-1]:
        return len(mask) - 1  # only healing remains
    if step < 30:
        return request if step > 20 and mask[request] and leader in (1, 2) else 0
    return 6 + slots.index(leader)  # stop the leader


def test_an_index_that_is_never_walked_back_is_found_in_the_first_healed_episode() -> None:
    found = {}
    for bug in ("R9", ""):
        steps = itertools.count()
        env = RAFT.raw_env(
            link="local", bug=bug, healing="at_end", painter="id", horizon=31, **SHORT
        )
        info = play_last(env, 1, lambda info, steps=steps: lag(info, next(steps)))
        env.close()
        found[bug] = properties(info)
    assert found == {"R9": {"convergence"}, "": set()}


@pytest.mark.parametrize(("bug", "expected"), [("R10", {"stability"}), ("", set())])
def test_endless_elections_are_found_in_the_first_healed_episode(
    bug: str, expected: set[str]
) -> None:
    env = RAFT.raw_env(link="local", bug=bug, healing="at_end")
    assert properties(play_last(env, 1)) == expected
    env.close()


SEVEN = {"num_replicas": 7, "max_inactive": 0, "max_messages_per_tick": 100}
SHORT_ROUNDS = {f"timeout_{name}": "20ms" for name in ("prevote", "precommit", "commit", "delta")}
LONGER_ROUNDS = {"timeout_prevote": "40ms", "timeout_precommit": "40ms", "timeout_delta": "0ms"}


@pytest.mark.parametrize(
    ("seed", "parameters"),
    [
        # Rounds fail although no replica does, because a replica is always late.
        (218, {**SEVEN, "max_blocks": 2, "ticks_between_partition": 30, **SHORT_ROUNDS}),
        # Crashes between the record of a vote and its message, which comes after the restart.
        (559, {"max_inactive": 1, "max_messages_per_tick": 1, **LONGER_ROUNDS}),
    ],
)
def test_correct_tendermint_has_no_violation(seed: int, parameters: dict[str, Any]) -> None:
    """Random actions of the benchmark `healing`, which reported these two."""
    usual = {"num_replicas": 3, "max_blocks": 0, "ticks_between_partition": 1, "crash_limit": 100}
    usual |= {"num_requests": 100, "horizon": 40, "healing": "both", "drop_rule": "every_tick"}
    usual |= {"gossip_ticks": 20, "timeout_propose": "60ms", "timeout_commit": "20ms"}
    env = GymnasiumEnv(TENDERMINT, link="local", infos="hashes", **{**usual, **parameters})
    rng, ended = np.random.default_rng(seed), False
    observation, _ = env.reset(seed=seed)
    while not ended:
        action = rng.choice(np.flatnonzero(observation["action_mask"]))
        observation, _, terminated, truncated, info = env.step(int(action))
        assert not info["violations"]
        ended = terminated or truncated
    env.close()


@pytest.mark.parametrize(
    ("spec", "bug"),
    [
        pytest.param(RAFT, "R9", id="R9"),
        pytest.param(RAFT, "R10", id="R10"),
        pytest.param(TENDERMINT, "T8", id="T8"),
    ],
)
def test_violations_are_not_found_without_healing(spec: EnvironmentSpec, bug: str) -> None:
    env = spec.raw_env(link="local", infos="hashes", bug=bug)
    for seed in range(10):
        for info, _ in follow(env, draw(seed), seed):
            assert not info["violations"]
            assert HEALING not in info
    env.close()


HARD: list[Any] = [
    pytest.param(RAFT, {}, id="raft"),
    pytest.param(RAFT, SHORT | {"horizon": 60}, id="raft-short"),
    pytest.param(RAFT, SHORT | {"num_replicas": 5, "compaction": 2, "drop_rule": "hold",
                                "max_inactive": 0, "horizon": 60}, id="raft-compaction"),
    pytest.param(RAFT, SHORT | {"num_replicas": 7, "max_blocks": 2, "drop_rule": "hold",
                                "max_messages_per_tick": 3}, id="raft-seven"),
    pytest.param(RAFT, {"delivery": "network", "link_loss": 0.5, "link_duplication": 0.3,
                        "link_jitter": "50ms"}, id="raft-lossy"),
    pytest.param(RAFT, {"topology": "wifi", "delivery": "network", "link_loss": 0.3},
                 id="raft-wifi"),
    pytest.param(TENDERMINT, {}, id="tendermint"),
    pytest.param(TENDERMINT, {"horizon": 100, "timeout_propose": "60ms", "timeout_delta": "0ms",
                              "timeout_prevote": "40ms", "timeout_precommit": "40ms",
                              "timeout_commit": "20ms"}, id="tendermint-rounds"),
    pytest.param(TENDERMINT, {"with_byzantine": True, "max_byzantine": 1}, id="tendermint-liar"),
    pytest.param(TENDERMINT, {"delivery": "network", "topology": "csma", "link_loss": 0.3,
                              "max_messages_per_tick": 100}, id="tendermint-csma"),
]  # fmt: skip
"""Systems in which healing must not find violations."""


@pytest.mark.long
@pytest.mark.parametrize(("spec", "arguments"), HARD)
def test_correct_protocols_pass_the_healing_phase(
    spec: EnvironmentSpec, arguments: dict[str, Any]
) -> None:
    env = spec.raw_env(link="local", infos="hashes", healing="both", **arguments)
    phases = 0
    for seed in range(10):
        for info, _ in follow(env, draw(seed), seed):
            assert not info["violations"]
            phases += info[HEALING] > 0
        assert info[HEALING] > 0
    assert phases > 10
    env.close()


def test_a_replica_that_lacks_thousands_of_heights_is_healed() -> None:
    """The length of the phase follows from the missing heights."""
    env = TENDERMINT.raw_env(
        link="local",
        infos="hashes",
        healing="at_end",
        ticks_between_partition=1000,
        timeout_commit="20ms",
        horizon=10,
    )
    isolate = 2
    info = play_last(
        env, 1, lambda info: isolate if info["action_mask"][isolate] else keep_or_heal(info)
    )
    assert info[HEALING] > 0
    assert not info["violations"]
    env.close()


def test_rounds_end_although_gossip_is_rare() -> None:
    """The steps of failing rounds leave no 200 ticks in which replicas would gossip."""
    env = TENDERMINT.raw_env(
        link="local",
        healing="at_end",
        gossip_ticks=200,
        max_messages_per_tick=1,
        max_inactive=0,
        drop_rule="hold",
        with_delays=True,
        horizon=10,
    )
    actions = iter([25, 0, 14, 8, 4, 12, 16, 6, 18, 1, 33])
    info = play_last(env, 29, lambda info: next(actions))
    assert info[HEALING] > 0
    assert not info["violations"]
    env.close()


# ---------------------------------------------------------------------- steps


def test_the_last_step_of_an_episode_heals() -> None:
    env = RAFT.raw_env(healing="at_end", horizon=4, num_requests=0, painter="id")
    told = list(follow(env, lambda info: int(np.flatnonzero(info["action_mask"])[-1])))
    env.close()
    masks = [info["action_mask"].tolist() for info, _ in told]
    assert [mask[-1] for mask in masks[:4]] == [0] * 4
    assert masks[4] == [0] * 13 + [1]
    assert [info[HEALING] > 0 for info, _ in told] == [False] * 5 + [True]
    info, _ = told[-1]
    assert set(info["partition"]) == {0}
    assert info["pending_messages"] < 20
    assert info["pending_requests"] == 0
    for state in read_replicas(info):
        assert [entry.request for entry in state.committed if entry.request] == [1, 2]


def test_a_tester_may_heal_at_any_step() -> None:
    env = RAFT.raw_env(healing="on_demand", horizon=6, painter="id")
    heal = len(Actions(3, with_healing=True)) - 1
    steps = itertools.count()
    told = list(follow(env, lambda info: heal if next(steps) in (1, 3) else 5))
    env.close()
    assert len(told) == 7  # no step is added
    assert [info[HEALING] > 0 for info, _ in told] == [n in (2, 4) for n in range(7)]
    assert [len(set(info["partition"])) for info, _ in told] == [1, 3, 1, 3, 1, 3, 3]
    requests = [entry.request for entry in read_replicas(told[-1][0])[0].log if entry.request]
    assert requests == [1, 2, 3, 4]
    assert told[-1][0]["pending_requests"] == 5  # the clients' requests are still pending


def test_boundaries_are_followed_by_healing() -> None:
    env = RAFT.raw_env(healing="at_end", boundary="term:0")
    told = [info for info, _ in follow(env, keep_or_heal)]
    env.close()
    assert 2 < len(told) < 26
    assert [info["out_of_bounds"] for info in told[-3:]] == [0, 1, 1]
    assert told[-1][HEALING] > 0


def keep_or_heal(info: dict[str, Any]) -> int:
    """Keep the network unchanged, unless only healing is allowed."""
    return int(np.argmax(info["action_mask"]))


def test_one_of_several_episodes_is_healed() -> None:
    """The seed determines which episodes."""
    env = RAFT.raw_env(link="local", healing="at_end", healing_every=4, horizon=1)
    healed = [play_last(env, seed, keep_or_heal)[HEALING] > 0 for seed in range(80)]
    assert 10 < sum(healed) < 30
    assert healed[:10] == [play_last(env, seed, keep_or_heal)[HEALING] > 0 for seed in range(10)]
    env.close()


def test_the_partitioner_heals() -> None:
    env = RAFT.raw_env(healing="at_end", roles=True, horizon=2)
    told: list[tuple[str, list[int]]] = []
    for info, _ in follow(env, keep_or_heal):
        told.append((info["role"], info["action_mask"].tolist()))
    env.close()
    assert told[6:9] == [
        ("client", [1, 0]), ("crasher", [1] + [0] * 6), ("partitioner", [0] * 6 + [1]),
    ]  # fmt: skip
    assert info[HEALING] > 0


def test_healing_is_illegal_before_the_end() -> None:
    env = RAFT.raw_env(healing="at_end")
    env.reset(seed=1)
    with pytest.raises(IllegalAction):
        env.step(13)
    env.close()


@pytest.mark.parametrize("healing_ticks", [1, 7])
def test_a_healing_phase_has_the_configured_number_of_ticks(healing_ticks: int) -> None:
    env = RAFT.raw_env(healing="at_end", healing_ticks=healing_ticks, horizon=1)
    info = play_last(env, 1, keep_or_heal)
    env.close()
    assert info[HEALING] == info["ticks"] == healing_ticks
    assert info["violations"] == (
        f"liveness: no replica has committed new request 1 of 2 after {healing_ticks} ticks of "
        "healing"
    )


def test_liars_need_not_make_progress_in_healing() -> None:
    env = TENDERMINT.raw_env(healing="at_end", link="local", **{**LIARS, "max_byzantine": 1})
    liar = iter([25])
    info = play_last(env, 1, lambda info: next(liar, None) or keep_or_heal(info))
    assert sum(state.byzantine for state in read_replicas(info)) == 1
    assert info[HEALING] > 0
    assert not info["violations"]
    env.close()


# ---------------------------------------------------------------------- other features with healing


def test_equal_histories_are_healed_equally() -> None:
    """An episode, its repetition, and a continuation from a snapshot."""
    env = GymnasiumEnv(TENDERMINT, link="local", healing="at_end", horizon=10)
    rng = np.random.default_rng(1)
    _, info = env.reset(seed=5)
    for _ in range(10):
        _, _, _, truncated, info = env.step(int(rng.choice(np.flatnonzero(info["action_mask"]))))
        assert not truncated
    snapshot = env.snapshot()
    ends = []
    for _ in range(2):
        *_, terminated, truncated, info = env.step(len(info["action_mask"]) - 1)
        assert (terminated, truncated) == (False, True)
        ends.append((info["concrete_hash"], info[HEALING], info["virtual_time"]))
        env.restore(snapshot)
    snapshot.release()
    assert ends[0] == ends[1]
    env.close()


@pytest.mark.parametrize("explorer", ["random", "bonus_max", "nemesis", "branch"])
def test_explorers_find_violations_of_healing_phases(explorer: str) -> None:
    env = GymnasiumEnv(TENDERMINT, link="local", healing="both", bug="T8", horizon=8)
    visits = make_explorer(explorer, 1, {}).explore(env, steps=400, seed=1)
    assert any("liveness" in properties(dict(visit.info)) for visit in visits)
    env.close()


def test_the_faultless_baseline_hands_over_requests_with_healing() -> None:
    policy = BASELINES["faultless"].make(None, 0, None)
    info = {"action_mask": np.array([1] * 13 + [0]), "partition": np.zeros(3), HEALING: 0}
    assert policy.act("agent_0", None, info) == 12
    info["action_mask"] = np.array([0] * 13 + [1])
    assert policy.act("agent_0", None, info) == 13


def test_histories_include_clients_of_healing_phases() -> None:
    env = RAFT.raw_env(healing="at_end", histories=True, link="local")
    infos = [info for info, _ in follow(env, draw(3), 3)]
    env.close()
    history = read_history(infos)
    assert len([each for each in history if each.responded is not None]) >= 2
    assert check_history(history, initial=0).linearizable


def test_a_recording_is_replayed_shrunk_and_drawn(tmp_path: Path) -> None:
    """A kept lock is found without a fault: only the step that heals is needed."""
    env = TENDERMINT.raw_env(
        record=tmp_path,
        link="local",
        healing="at_end",
        bug="T8",
        horizon=10,
        message_events=True,
        healing_ticks=200,
    )
    play_last(env, 2)
    env.close()
    (path,) = tmp_path.iterdir()
    recording = read_recording(path)
    assert len(recording.decisions) == 11
    episodes = open_recorded(recording)
    replay(recording, episodes)
    episodes.close()
    shorter = shrink_violation(recording)
    assert shorter.parameters == {**recording.parameters, "healing": "both"}
    (action,) = (each["agent_0"] for each in shorter.decisions)
    assert Actions(4, with_healing=True)[action].kind == "heal"
    sent = json.loads(shorter.rounds[-1].first_message().info["message_events"])
    assert sum(each["event"] == "sent" for each in sent) > MOST_MESSAGES
    page = draw_page(read_story(shorter))
    assert "1  heal (" in page
    assert "more messages)" in page
    assert page.count('class="message ') == MOST_MESSAGES
    assert "liveness: no replica has committed" in page


# ---------------------------------------------------------------------- refused parameters


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"healing": "always"}, "is not one of"),
        ({"healing_ticks": 9}, "healing_ticks=9 .* give healing=at_end, on_demand or both"),
        ({"stable_ticks": 9}, "stable_ticks=9 .* give healing=at_end, on_demand or both"),
        ({"healing": "on_demand", "healing_every": 2}, "give healing=at_end or both"),
        (
            {"healing": "at_end", "delivery": "network", "link_delay": "5ms"},
            "healing=at_end needs messages that arrive within tick_interval=",
        ),
        (
            {"healing": "at_end", "election_ticks": 2, "heartbeat_ticks": 1},
            "election_ticks=2 is less than 3",
        ),
        (
            {
                "healing": "at_end",
                "protocol": "tendermint",
                "num_replicas": 4,
                "timeout_delta": "0ms",
                "with_byzantine": True,
                "max_byzantine": 1,
            },
            "Byzantine replicas can prevent all decisions if timeouts do not grow",
        ),
        (
            {
                "healing": "at_end",
                "protocol": "tendermint",
                "num_replicas": 6,
                "with_byzantine": True,
                "max_byzantine": 2,
            },
            "max_byzantine=2 is a third of num_replicas=6 or more",
        ),
        (
            {
                "healing": "at_end",
                "protocol": "tendermint",
                "timeout_propose": "100s",
                "timeout_delta": "100s",
            },
            "protocol=tendermint may need 11020515 ticks of tick_interval=.*10ms.* healing_ticks",
        ),
    ],
)
def test_bad_parameters_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        RAFT.raw_env(**arguments).reset()


def test_a_users_protocol_is_healed_by_its_commits() -> None:
    """It has a field `commit`, and needs nothing else."""
    scenario = Scenario("primary_backup_v0", PROGRAMS / "primary_backup")
    env = EnvironmentSpec("primary_backup_v0", scenario).raw_env(healing="at_end", link="local")
    info = play_last(env, 1, lambda info: keep(info) if info["action_mask"][0] else 13)
    env.close()
    assert info[HEALING] > 0
    assert not info["violations"]
