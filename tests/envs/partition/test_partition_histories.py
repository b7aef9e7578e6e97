# SPDX-License-Identifier: GPL-2.0-only
"""The property `linearizability`: answers to clients are checked in every command."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from command_calls import call, call_for_json
from conftest import ROOT
from partition_support import draw, follow

from defiance_zoo.bridge.simulation import Fragment
from defiance_zoo.environments import lookup
from defiance_zoo.envs import partition_v0
from defiance_zoo.errors import ParameterError
from defiance_zoo.protocols.comparison.configuration import read_comparison
from defiance_zoo.protocols.comparison.running import compare_explorers
from defiance_zoo.protocols.explorers.registry import make_explorer
from defiance_zoo.protocols.histories import judge
from defiance_zoo.wrappers.gymnasium import GymnasiumEnv

RAFT = str(ROOT / "tests" / "scenario" / "programs" / "raft_bugs.py")
SERVED: dict[str, Any] = {
    "histories": True,
    "num_requests": 30,
    "horizon": 60,
    "max_blocks": 1,
    "with_crashes": False,
}
"""Few faults and many requests; a cache then returns an old value within a few steps."""
GIVEN = [f"-p{name}={json.dumps(value)}" for name, value in SERVED.items()]


def test_a_stale_read_is_recorded_replayed_shrunk_and_rechecked(tmp_path: Path) -> None:
    """No oracle of the protocol sees the bug: only the clients do."""
    recorded = ("partition", "record", tmp_path / "found", "--env", RAFT, *GIVEN, "--episodes", 5)
    buggy = ("--keep", "violations", "--stop-on", "violation", "-p", "bug=cache")
    (found,) = call_for_json(*recorded, *buggy)["episodes"]
    assert found["violation"].startswith("linearizability: stale read: key ")
    assert found["step"] == found["steps"] < SERVED["horizon"]  # it ends the episode
    assert not found["diverged"]
    shrunk = call_for_json("partition", "shrink", found["file"], "--env", RAFT)
    assert shrunk["violation"].startswith("linearizability: ")
    assert shrunk["steps"] < shrunk["before"]
    again = ("partition", "recheck", shrunk["file"], "--env", RAFT)
    status, printed, _ = call(*again)
    assert (status, shrunk["violation"] in printed) == (1, True)
    assert not call_for_json(*again, "-p", "bug=")["violation"]
    silent = call_for_json(*recorded, "--keep", "violations")
    assert (silent["played"], silent["undecided"], silent["episodes"]) == (5, 0, [])


@pytest.mark.long
def test_a_stale_read_is_counted_and_shrunk_by_a_comparison(tmp_path: Path) -> None:
    described = {
        "systems": {
            bug or "correct": {"env": RAFT, "parameters": {**SERVED, "bug": bug}}
            for bug in ("cache", "")
        },
        "policies": {"Random": {"explorer": "random"}},
        "seeds": 1,
        "steps": 120,
        "until": "violation",
    }
    file = tmp_path / "mine.yaml"
    file.write_text(yaml.safe_dump(described))
    done = compare_explorers(read_comparison(file), tmp_path / "out", workers=0)
    assert [row["violated"] for row in done.tables["cells"]] == ["linearizability", ""]
    (example,) = done.tables["counterexamples"]
    assert example["system"] == "cache"
    assert example["shrunk"] < example["steps"]


def test_a_violation_is_rewarded_as_others_and_ends_the_episode_only_if_others_do() -> None:
    ends = []
    for stops in (True, False):
        env = GymnasiumEnv(
            lookup(RAFT), link="local", bug="cache", stop_on_violation=stops, **SERVED
        )
        with closing(env):
            env.reset(seed=1)
            explorer = make_explorer("random", 1, {})
            visits = [v for v in explorer.explore(env, steps=60, seed=1) if v.episode == 0]
        first = next(v for v in visits if v.info["violations"])
        ends.append((first.step, first.info["violations"]))
        assert first.ended == stops
        assert visits[-1].step == (first.step if stops else SERVED["horizon"])
    assert ends[0] == ends[1]


def test_snapshots_and_branches_continue_the_history() -> None:
    with closing(lookup(RAFT).raw_env(link="local", bug="cache", **SERVED)) as env:
        played = [(info["violations"], action) for info, action in follow(env, draw(1))]
        (told, _), last = played[-1], len(played) - 2
        assert told
        env.reset(seed=1)
        for _, action in played[:last]:
            env.step(action)
        with env.snapshot() as snapshot, closing(env.branch()) as branch:
            for each in (env, branch, env):
                each.step(played[last][1])
                assert each.last()[4]["violations"] == told
                env.restore(snapshot)


@pytest.mark.parametrize("bug", ["R8", ""])
def test_a_stale_read_of_raft_in_cpp_is_found_by_an_explorer(bug: str) -> None:
    env = GymnasiumEnv(
        partition_v0.SPEC, link="local", histories=True, bug=bug, horizon=40, num_requests=40
    )
    with closing(env):
        visits = make_explorer("nemesis", 1, {}).explore(env, steps=300, seed=1)
        told = {v.info["violations"].partition(":")[0] for v in visits} - {""}
    assert told == ({"linearizability"} if bug else set())


@pytest.mark.parametrize("consistency", ["linearizability", "sessions"])
def test_a_check_beyond_its_budget_is_undecided(
    consistency: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judge, "MOST_STATES", 8)
    told = call_for_json(
        *("partition", "record", tmp_path / "found", "--env", RAFT, *GIVEN, "-p", "bug=cache"),
        *("-p", f"consistency={consistency}", "--keep", "violations", "--episodes", 2),
    )
    assert (told["played"], told["undecided"], told["episodes"]) == (2, 2, [])


def test_a_violation_remains_if_the_check_of_another_register_is_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(judge, "MOST_STATES", 5)
    events = [
        event
        for number, key in enumerate("xyyyyy", 1)
        for event in (
            {"event": "invoked", "operation": "read", "arguments": [], "key": key},
            {"event": "responded", "result": int(key == "x"), "replica": 1},
        )
        if event.update(request=number, time_ns=number) is None
    ]
    added = judge.HistoryJudge().judge([{"history": json.dumps(events)}])
    assert "unknown value: key 'x'" in added["violations"]
    assert "undecided from here on" in added["warnings"]


def test_no_policy_plays_inside_simulations_whose_histories_are_checked() -> None:
    episodes = lookup(RAFT).episodes(
        "sequential", link="local", histories=True, illegal_actions="keep"
    )
    with closing(episodes):
        episodes.begin(1, {})
        with pytest.raises(ParameterError, match="with histories=True"):
            episodes.submit_fragment(Fragment(b"", np.zeros((1, 1), np.float32), ""))


def test_sessions_are_recorded_shrunk_and_rechecked(tmp_path: Path) -> None:
    given = [*GIVEN, "-pconsistency=sessions"]
    recorded = ("partition", "record", tmp_path / "found", "--env", RAFT, *given, "--episodes", 5)
    buggy = ("--keep", "violations", "--stop-on", "violation", "-p", "bug=cache")
    (found,) = call_for_json(*recorded, *buggy)["episodes"]
    name = found["violation"].partition(":")[0]
    assert "read_your_writes" in name
    assert not found["diverged"]
    shrunk = call_for_json("partition", "shrink", found["file"], "--env", RAFT)
    assert shrunk["violation"].startswith(f"{name}: at first 0; client ")
    again = ("partition", "recheck", shrunk["file"], "--env", RAFT)
    status, printed, _ = call(*again)
    assert (status, f"{name}: " in printed) == (1, True)
    assert not call_for_json(*again, "-p", "bug=")["violation"]
    silent = call_for_json(*recorded, "--keep", "violations")
    assert (silent["played"], silent["undecided"], silent["episodes"]) == (5, 0, [])


@pytest.mark.parametrize(
    ("consistency", "name"),
    [("sequential_consistency", "sequential_consistency"), ("sessions", "read_your_writes")],
)
@pytest.mark.parametrize("bug", ["R8", ""])
def test_weaker_guarantees_of_raft_are_checked(consistency: str, name: str, bug: str) -> None:
    """A stale read breaks them only where its client knew better."""
    given: dict[str, Any] = {"consistency": consistency, "horizon": 40, "num_requests": 40}
    with closing(
        GymnasiumEnv(partition_v0.SPEC, link="local", histories=True, bug=bug, **given)
    ) as env:
        visits = make_explorer("nemesis", 1, {}).explore(env, steps=1100, seed=1)
        told = {v.info["violations"].partition(":")[0] for v in visits} - {""}
    assert told == ({name} if bug else set())


def test_a_consistency_needs_histories() -> None:
    with pytest.raises(ParameterError, match="consistency=sessions is for histories"):
        partition_v0.raw_env(consistency="sessions").reset(seed=1)
