# SPDX-License-Identifier: GPL-2.0-only
"""partition_v0 with seeded bugs: the list of bugs, and what clients observe of one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from conftest import ROOT
from partition_support import Choose, draw, follow, keep, partition, request

from defiance_zoo.envs import partition_v0
from defiance_zoo.envs.partition.actions import find_actions
from defiance_zoo.envs.partition.states import Role, read_replicas
from defiance_zoo.errors import ParameterError
from defiance_zoo.protocols.histories import Operation, read_history
from defiance_zoo.protocols.rewards import properties

SEED = 17
"""A seed with which the first request is a write, and the second reads its register."""
BUGS = [f"R{number}" for number in range(1, 11)] + [f"T{number}" for number in range(1, 9)]


@pytest.mark.parametrize(
    ("spec", "arguments", "says"),
    [
        (partition_v0.SPEC, {"bug": "R11"}, "is not one of"),
        (partition_v0.SPEC, {"bug": "T1"}, "bug=T1 is not a bug of protocol=raft, which has R1 R2"),
        (partition_v0.TENDERMINT_SPEC, {"bug": "R1"}, "protocol=tendermint, which has T1 T2"),
        (partition_v0.SPEC, {"bug": "R8"}, "give histories=true"),
        (partition_v0.SPEC, {"histories": True, "compaction": 3}, "cannot do so with compaction"),
    ],
)
def test_invalid_bugs_are_refused(spec: Any, arguments: dict[str, Any], says: str) -> None:
    with pytest.raises(ParameterError, match=says):
        spec.raw_env(**arguments).reset(seed=1)


def test_each_bug_is_described() -> None:
    page = (ROOT / "docs" / "reference" / "seeded-bugs.md").read_text()
    assert [
        line.split()[1] for line in page.splitlines() if line.startswith(("| R", "| T"))
    ] == BUGS


OVERTAKING: dict[str, Any] = {"delivery": "network", "link_jitter": "50ms", "horizon": 100}
LIAR: dict[str, Any] = {
    "num_replicas": 5,
    "with_byzantine": True,
    "max_byzantine": 1,
    "max_blocks": 2,
}

ROUNDS: dict[str, Any] = {
    "timeout_propose": "60ms",
    "timeout_prevote": "40ms",
    "timeout_precommit": "40ms",
    "timeout_commit": "20ms",
    "timeout_delta": "0ms",
    "horizon": 100,
}
"""Arguments with which many rounds fit into an episode."""


def find(bug: str, episodes: int, **arguments: Any) -> set[str]:
    """Return the violated properties that random tests find first."""
    tendermint = bug.startswith("T")
    spec = partition_v0.TENDERMINT_SPEC if tendermint else partition_v0.SPEC
    short = {} if tendermint else {"election_ticks": 4, "heartbeat_ticks": 2}
    env = spec.raw_env(link="local", infos="hashes", bug=bug, **short, **arguments)
    found: set[str] = set()
    for seed in range(episodes):
        for info, _ in follow(env, draw(seed), seed):
            found |= {each.partition(":")[0] for each in info["violations"].splitlines()}
        if found:
            break
    env.close()
    return found


@pytest.mark.parametrize(
    ("bug", "arguments", "expected"),
    [
        ("R1", {}, {"election_safety"}),
        ("R3", {}, {"commit_durability", "modified_log", "state_machine_safety"}),
        ("R4", {}, {"log_matching"}),
        ("R6", OVERTAKING, {"commit_durability", "reduced_log", "state_machine_safety"}),
        ("R7", {}, {"election_safety", "commit_durability"}),
        ("T1", ROUNDS, {"broken_lock"}),
        ("T2", ROUNDS, {"broken_lock"}),
        ("T3", LIAR, {"agreement", "unproved_precommit"}),
        ("T4", {}, {"double_vote", "unproved_precommit"}),
        ("T5", ROUNDS, {"unproved_precommit"}),
        ("T7", {}, {"proposer_agreement"}),
    ],
)
def test_random_tests_find_bugs(bug: str, arguments: dict[str, Any], expected: set[str]) -> None:
    """Bugs that are found fast; the others have scripted histories in the ns-3 suites."""
    found = find(bug, 100, **arguments)
    assert found
    assert found <= expected


@pytest.mark.parametrize("bug", ["R1", "T4"])
def test_some_bugs_need_crashes(bug: str) -> None:
    """These bugs concern the state that survives a crash."""
    assert find(bug, 20, with_crashes=False) == set()


@pytest.mark.parametrize("spec", [partition_v0.SPEC, partition_v0.TENDERMINT_SPEC])
def test_clients_get_the_results_of_a_single_register(spec: Any) -> None:
    """Without faults requests are executed one after the other, and each is answered."""
    env = spec.raw_env(link="local", histories=True, horizon=120, num_requests=20)
    infos = [info for info, _ in follow(env, request)]
    history = read_history(infos)
    assert len(history) == 20
    assert {each.operation for each in history} == {"read", "write", "compare_and_swap"}
    assert all(each.responded is not None for each in history)
    committed = [entry.request for entry in read_replicas(infos[-1])[0].committed]
    registers = {"x": 0, "y": 0}
    for number in filter(None, committed):
        told = history[number - 1]
        before = registers[told.key]
        if told.operation == "read":
            assert told.result == before
        elif told.operation == "write":
            assert told.arguments == (number,)
            registers[told.key] = number
        else:
            assert told.result is (told.arguments[0] == before)
            registers[told.key] = number if told.result else before
    env.close()


def read_at_an_old_leader(bug: str, seed: int) -> list[Operation]:
    """Write at a second leader, stop it, and read at the isolated first leader."""
    env = partition_v0.raw_env(
        link="local", histories=True, bug=bug, horizon=200, painter="id", stop_on_violation=False
    )
    infos: list[dict[str, Any]] = []

    def play(choose: Choose, until: Callable[[dict[str, Any]], bool]) -> None:
        while not until(infos[-1]):
            env.step(choose(infos[-1]))
            infos.append(env.last()[4])

    def leaders(info: dict[str, Any]) -> list[int]:
        """Return the first leader that committed an entry, and the last one elected."""
        states = [s for s in read_replicas(info) if s.state == Role.LEADER and s.active]
        return [s.id for s in sorted(states, key=lambda s: s.term) if s.commit > 0]

    def is_answered(_: dict[str, Any]) -> bool:
        return any(each.responded is not None for each in read_history(infos))

    env.reset(seed=seed)
    infos.append(env.last()[4])
    play(keep, lambda info: bool(leaders(info)))
    (first,) = leaders(infos[-1])
    apart = partition(infos[-1], {first}, {1, 2, 3} - {first})
    env.step(apart)
    infos.append(env.last()[4])
    play(keep, lambda info: len(leaders(info)) == 2)
    env.step(find_actions(infos[-1]).find("request")[0])
    infos.append(env.last()[4])
    play(keep, is_answered)
    second = leaders(infos[-1])[-1]
    slot = [int(each) for each in infos[-1]["slots"]].index(second)
    env.step(find_actions(infos[-1]).find("stop")[slot])
    infos.append(env.last()[4])
    env.step(find_actions(infos[-1]).find("request")[0])
    infos.append(env.last()[4])
    for _ in range(5):
        env.step(0)
        infos.append(env.last()[4])
    env.close()
    assert {each for info in infos for each in properties(info)} <= {"linearizability"}
    return read_history(infos)


def test_a_stale_read_is_found_by_its_history_only() -> None:
    wrote, read = read_at_an_old_leader("R8", SEED)
    assert (wrote.operation, wrote.arguments, read.operation) == ("write", (1,), "read")
    assert wrote.key == read.key
    assert wrote.responded is not None
    assert wrote.responded < read.invoked
    assert read.result == 0  # as before the write
    wrote, read = read_at_an_old_leader("", SEED)
    assert wrote.responded is not None
    assert read.responded is None  # a majority does not answer
