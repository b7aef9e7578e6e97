# SPDX-License-Identifier: GPL-2.0-only
"""Protocols in Python with all features of partition_v0."""

from __future__ import annotations

import dataclasses
import re
from contextlib import closing
from pathlib import Path
from typing import Any, ClassVar

import pytest
import yaml
from command_calls import call_for_json
from conformance import SingleAgentConformance
from conftest import ROOT
from partition_support import CHECKERS_WARN, draw, follow, hashes, request

from benchmarks.zoo.bugs import BUGS
from defiance_zoo.environments import lookup
from defiance_zoo.envs.partition.states import RaftState, read_replicas
from defiance_zoo.errors import IllegalAction
from defiance_zoo.protocols.comparison.configuration import read_comparison
from defiance_zoo.protocols.comparison.running import compare_explorers
from defiance_zoo.protocols.explorers.registry import make_explorer
from defiance_zoo.protocols.histories import check_history, read_history
from defiance_zoo.wrappers.gymnasium import GymnasiumEnv

PROTOCOLS = ROOT / "examples" / "protocols"
RAFT = str(PROTOCOLS / "raft.py")
PRIMARY_BACKUP = str(PROTOCOLS / "primary_backup.py")
RAFT_BUGS = str(ROOT / "tests" / "scenario" / "programs" / "raft_bugs.py")
ORACLES = {
    "election_safety",
    "log_matching",
    "state_machine_safety",
    "reduced_log",
    "modified_log",
    "commit_durability",
}

pytestmark = CHECKERS_WARN


@pytest.mark.parametrize("arguments", [{}])
class TestRaftInPython(SingleAgentConformance):
    """The checkers of PettingZoo, Gymnasium and RLlib; snapshots; equal episodes in processes."""

    spec = dataclasses.replace(lookup(RAFT), name=RAFT)  # the name by which RLlib's workers find it
    short: ClassVar[dict[str, Any]] = {"horizon": 12, "illegal_actions": "keep"}


def test_the_page_shows_the_whole_program_and_plays_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (ROOT / "docs" / "protocols" / "python-protocol.md").read_text()
    shown, _, played = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert shown == Path(PRIMARY_BACKUP).read_text()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "primary_backup.py").write_text(shown)
    exec(played, {})
    assert re.fullmatch(
        r"(agreement: replica \d has another entry \d+)?\n", capsys.readouterr().out
    )


def test_raft_in_python_commits_all_requests() -> None:
    """Without faults every replica has all requests, and clients get the results of registers."""
    env = lookup(RAFT).raw_env(link="local", histories=True, horizon=60, num_requests=20)
    infos = [info for info, _ in follow(env, request)]
    env.close()
    states = read_replicas(infos[-1])
    assert isinstance(states[0], RaftState)
    assert len({state.commit for state in states}) == 1
    history = read_history(infos)
    assert len(history) == 20
    assert all(each.responded is not None for each in history)
    assert check_history(history, initial=0).linearizable is True


def explore(env: Any, steps: int, explorer: str, options: dict[str, Any]) -> str:
    """Return the violated property that an explorer finds; empty if it finds none."""
    visits = make_explorer(explorer, 4, options).explore(env, steps=steps, seed=40_000_000)
    told = (visit.info["violations"] for visit in visits if visit.info["violations"])
    return str(next(told, "")).partition(":")[0]


EXPLORED = {
    "R1": ("random", {}, 500),
    "R2": ("random", {}, 12_000),
    "R3": ("random", {}, 500),
    "R4": ("random", {}, 2000),
    "R5": ("nemesis", {"fault": "late_answers", "period": 8}, 2000),
    "R6": ("random", {}, 3000),
    "R7": ("random", {}, 500),
}
"""For each seeded bug the explorer, its options, and a number of steps that finds it."""


RARE = {"R2": "thorough", "R4": "long", "R5": "long", "R6": "long"}


@pytest.mark.parametrize(
    "bug",
    [
        pytest.param(bug, marks=getattr(pytest.mark, RARE[bug]) if bug in RARE else ())
        for bug in EXPLORED
    ],
)
def test_seeded_bugs_are_found_and_the_correct_protocol_has_no_violation(bug: str) -> None:
    explorer, options, steps = EXPLORED[bug]
    with closing(GymnasiumEnv(lookup(RAFT_BUGS), link="local", bug=bug, **BUGS[bug])) as env:
        assert explore(env, steps, explorer, options) in ORACLES
    with closing(GymnasiumEnv(lookup(RAFT_BUGS), link="local", **BUGS[bug])) as env:
        assert explore(env, min(steps, 1000), explorer, options) == ""


def test_a_recording_is_replayed_shrunk_and_drawn(tmp_path: Path) -> None:
    told = call_for_json("partition", "record", tmp_path / "found", "--env", PRIMARY_BACKUP,
                         "--episodes", 300, "--keep", "violations",
                         "--stop-on", "violation")  # fmt: skip
    (path,) = (tmp_path / "found").iterdir()
    assert told["episodes"][0]["violation"].startswith("agreement: ")
    assert call_for_json("replay", path, "--env", PRIMARY_BACKUP)
    shrunk = call_for_json("partition", "shrink", path, "--env", PRIMARY_BACKUP)
    assert shrunk["steps"] < shrunk["before"]
    shown = call_for_json("partition", "show", shrunk["file"], "--env", PRIMARY_BACKUP)
    assert "[1, 0, [" in Path(shown["file"]).read_text()


@pytest.mark.long
def test_explorers_are_compared_on_a_python_protocol(tmp_path: Path) -> None:
    """A comparison plays the protocol, with predicates of Raft and each fault of the nemesis."""
    described = {
        "systems": {"Mine": {"env": RAFT, "hierarchies": ["LogGap2"]}},
        "policies": {"Random": {"explorer": "random"}, "Nemesis": {"explorer": "nemesis"}},
        "seeds": 1,
        "steps": 100,
    }
    file = tmp_path / "mine.yaml"
    file.write_text(yaml.safe_dump(described))
    assert compare_explorers(read_comparison(file), tmp_path / "out", workers=1).failed == 0


def test_an_action_that_the_mask_forbids_is_refused() -> None:
    with closing(lookup(PRIMARY_BACKUP).raw_env()) as env:
        env.reset(seed=1)
        mask = env.last()[4]["action_mask"]
        with pytest.raises(IllegalAction):
            env.step(int(mask.argmin()))
        env.step(0)
    with closing(lookup(PRIMARY_BACKUP).raw_env(illegal_actions="keep")) as env:
        env.reset(seed=1)
        env.step(int(mask.argmin()))
        assert env.agents


def test_a_healing_phase_ends_with_the_check_of_the_protocol(tmp_path: Path) -> None:
    path = tmp_path / "healed.py"
    text = Path(PRIMARY_BACKUP).read_text()
    path.write_text(
        text.replace(
            "    def check(self, group):",
            """    def healed(self, group):
        yield "handed_over", f"{group.requests} requests"

    def check(self, group):""",
        )
    )
    with closing(lookup(str(path)).raw_env(healing="at_end", horizon=3, num_requests=0)) as env:
        infos = [info for info, _ in follow(env, lambda info: int(info["action_mask"].argmax()))]
    told = [info["violations"] for info in infos if info["violations"]]
    assert told == ["handed_over: 2 requests"]  # the requests of the healing phase, at its end


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [({"bug": "R10"}, ["stability"]), ({}, []), ({"election_ticks": 600}, [])],
)
def test_healing_requires_a_stable_leader(arguments: dict[str, Any], expected: list[str]) -> None:
    env = lookup(RAFT_BUGS).raw_env(link="local", healing="at_end", horizon=3, **arguments)
    with closing(env):
        *_, (info, _) = follow(env, lambda info: int(info["action_mask"].argmax()))
    assert [line.partition(":")[0] for line in info["violations"].splitlines()] == expected
    assert info["healing_ticks"] > 0


@pytest.mark.parametrize("rotates", [False, True])
def test_takers_may_change_if_the_protocol_rotates_them(tmp_path: Path, rotates: bool) -> None:
    path = tmp_path / "rotating.py"
    text = Path(PRIMARY_BACKUP).read_text()
    takers = "        return [id for _, id in leaders[-1:]]\n"
    assert takers in text
    path.write_text(
        text.replace(
            takers,
            "        return [id for _, id in leaders[-1:] if self.ticks % 3]\n",
        )
        .replace("    painter =", f"    rotates = {rotates}\n    ticks = 0\n    painter =")
        .replace(
            "    def check(self, group):\n",
            "    def check(self, group):\n        self.ticks += 1\n",
        )
    )
    with closing(lookup(str(path)).raw_env(healing="at_end", horizon=3, healing_ticks=90)) as env:
        *_, (info, _) = follow(env, lambda info: int(info["action_mask"].argmax()))
    assert info["violations"].startswith("" if rotates else "stability: leadership has changed")
    assert bool(info["violations"]) != rotates


def test_hashes_are_equal_in_other_folders_and_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = hashes(lookup(RAFT).raw_env(), draw(1))
    monkeypatch.setenv("PYTHONHASHSEED", "7")
    copy = tmp_path / "copied.py"
    copy.write_text(Path(RAFT).read_text())
    for launch in ("fork", "spawn"):
        with closing(lookup(str(copy)).raw_env(link="local", launch=launch)) as env:
            assert hashes(env, draw(1)) == expected
