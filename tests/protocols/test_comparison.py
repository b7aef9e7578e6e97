# SPDX-License-Identifier: GPL-2.0-only
"""Comparisons from their file to their report, also after a kill during the work."""

from __future__ import annotations

import csv
import json
import re
import shutil
import signal
import subprocess
import sys
from contextlib import closing
from html import unescape
from pathlib import Path
from typing import Any

import psutil
import pyarrow.parquet as pq
import pytest
import yaml
from conftest import ROOT
from programs import Program

from benchmarks.publishing.headless import measure_on_phone, open_browser
from defiance_zoo.environments import lookup
from defiance_zoo.errors import ParameterError, ReplayDiverged
from defiance_zoo.experiments.workbench.interruption import Aborted
from defiance_zoo.protocols.comparison import comparison_results, counterexamples
from defiance_zoo.protocols.comparison.configuration import read_comparison
from defiance_zoo.protocols.comparison.running import compare_explorers
from defiance_zoo.protocols.violations import shrink_violation
from defiance_zoo.recording import Effort, read_recording, replay
from defiance_zoo.recording.replaying import open_recorded
from defiance_zoo.wrappers.gymnasium import GymnasiumEnv

SMALL: dict[str, Any] = {
    "systems": {
        "Raft": {
            "parameters": {"horizon": 10, "election_ticks": 4, "heartbeat_ticks": 2},
            "hierarchies": ["LeaderInTerm4"],
        },
        "Tendermint": {"env": "partition_tendermint_v0", "parameters": {"horizon": 10}},
    },
    "policies": {
        "Random": {"explorer": "random"},
        "BonusMax": {"explorer": "bonus_max"},
        "Branch": {"explorer": "branch", "options": {"snapshots": 3}, "systems": ["Raft"]},
    },
    "seeds": 2,
    "steps": 40,
    "points": 2,
}
TABLES = [
    f"{name}.{suffix}" for name in ("cells", "curves", "summary") for suffix in ("csv", "parquet")
]


def write(folder: Path, **changes: Any) -> Path:
    path = folder / "mine.yaml"
    path.write_text(yaml.safe_dump({**SMALL, **changes}, sort_keys=False))
    return path


def start(file: Path, out: Path, workers: int) -> Program[str]:
    command = [sys.executable, "-m", "defiance_zoo", "partition", "compare", str(file), "--json"]
    command += ["--out", str(out), "--workers", str(workers)]
    return Program(command, stdout=subprocess.PIPE, text=True)


def found(folder: Path) -> dict[str, bytes]:
    """Return all files of a comparison, without times."""
    return {name: (folder / name).read_bytes() for name in [*TABLES, "report.html"]}


def rows(path: Path) -> list[dict[str, str]]:
    with path.open() as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small comparison, run by one worker without interruption."""
    folder = tmp_path_factory.mktemp("comparisons")
    with start(write(folder), folder / "out", 1) as process:
        printed, _ = process.communicate()
    assert process.returncode == 0
    events = [json.loads(line) for line in printed.splitlines()]
    told = [event["event"] for event in events if event["event"] != "exploring"]
    assert told == ["planned", *["cell"] * 10, "finished"]
    points = [(e["step"], e["steps"]) for e in events if e["event"] == "exploring"]
    assert points == [(20, 40)] * 10
    return folder / "out"


@pytest.mark.long
def test_the_tables_contain_coverage_violations_and_counts(whole: Path) -> None:
    cells = rows(whole / "cells.csv")
    assert len(cells) == 10
    assert {row["steps"] for row in cells} == {"40"}
    curves = rows(whole / "curves.csv")
    assert len(curves) == 2 * 10
    for cell in cells:
        places = [(cell[axis]) for axis in ("system", "policy", "seed")]
        mine = [c for c in curves if [c[axis] for axis in ("system", "policy", "seed")] == places]
        assert [row["step"] for row in mine] == ["20", "40"]
        seen = [int(row["coverage"]) for row in mine]
        assert seen == sorted(seen)
        assert seen[-1] == int(cell["coverage"]) > 10
    assert pq.read_table(whole / "cells.parquet").num_rows == 10
    summary = rows(whole / "summary.csv")
    coverage = [row for row in summary if (row["system"], row["measure"]) == ("Raft", "coverage")]
    assert [row["policy"] for row in coverage] == list(SMALL["policies"])
    assert [bool(row["p"]) for row in coverage] == [False, True, True]
    mine = [
        float(c["coverage"]) for c in cells if c["system"] == "Raft" and c["policy"] == "Random"
    ]
    assert float(coverage[0]["mean"]) == sum(mine) / 2


def test_the_report_is_a_single_self_contained_file(whole: Path) -> None:
    text = (whole / "report.html").read_text()
    assert not re.findall(r'(?:src|href)="(?!data:)|url\(|<script|<link', text)
    assert text.count("<img ") == 3  # coverage of both, and the final predicate of Raft
    assert "BonusMax did not beat Random" in text or "BonusMax saw more than Random" in text


@pytest.mark.long
def test_records_of_before_are_read(whole: Path, tmp_path: Path) -> None:
    """They have no counts of clients' requests."""
    out = tmp_path / "out"
    shutil.copytree(whole, out)
    for path in (out / "cells").iterdir():
        record = json.loads(path.read_text())
        for name in ("requests", "answers", "answered_writes"):
            del record[name]
        path.write_text(json.dumps(record))
    outcome = compare_explorers(read_comparison(write(tmp_path)), out, workers=1)
    assert outcome.failed == 0
    assert found(out)["summary.csv"] == found(whole)["summary.csv"]


@pytest.mark.long
def test_the_report_keeps_words_whole_on_a_phone(whole: Path) -> None:
    with open_browser() as browser:
        assert measure_on_phone(browser, whole / "report.html") <= 420
        script = """return [...document.querySelectorAll("td")]
            .filter(each => each.textContent === arguments[0])
            .map(each => each.getBoundingClientRect().height)"""
        heights = browser.execute_script(script, "BonusMax")
        assert len(heights) > 3
        assert max(heights) < 30  # one line


@pytest.mark.long
def test_failed_plots_keep_the_report_and_the_tables(
    whole: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fail(*_arguments: Any) -> Any:
        raise ValueError("no room")

    out = tmp_path / "out"
    shutil.copytree(whole, out)
    monkeypatch.setattr(comparison_results, "_draw", fail)
    events: list[dict[str, Any]] = []
    compare_explorers(read_comparison(write(tmp_path)), out, workers=1, report=events.append)
    undrawn = [each["picture"] for each in events if each["event"] == "not_drawn"]
    assert undrawn == ["01-coverage", "02-final-LeaderInTerm4", "03-coverage"]
    text = (out / "report.html").read_text()
    assert text.count("was not drawn: ValueError: no room") == 3
    assert {name: found(out)[name] for name in TABLES} == {
        name: found(whole)[name] for name in TABLES
    }


@pytest.mark.long
def test_two_workers_and_a_kill_give_the_same_results(whole: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    file = write(tmp_path)
    with start(file, out, 2) as process:
        assert process.stdout is not None
        cells = 0
        while cells < 2:
            cells += json.loads(process.stdout.readline())["event"] == "cell"
        children = psutil.Process(process.pid).children(recursive=True)
        process.send_signal(signal.SIGKILL)
    assert len(children) >= 2
    assert psutil.wait_procs(children, timeout=20)[1] == []
    kept = {path: path.stat().st_mtime_ns for path in (out / "cells").glob("[!.]*.json")}
    assert 2 <= len(kept) < 10
    assert not (out / "cells.csv").exists()
    with start(file, out, 2) as process:
        printed, _ = process.communicate()
    events = [json.loads(line) for line in printed.splitlines()]
    assert events[0]["finished"] == len(kept)
    assert kept == {path: path.stat().st_mtime_ns for path in kept}
    assert found(out) == found(whole)


@pytest.mark.thorough
def test_a_ray_cluster_gives_the_same_results(whole: Path, local_ray: None, tmp_path: Path) -> None:
    # Tests share a cluster to which this process is already connected.
    comparison = read_comparison(write(tmp_path, ray_address="auto"))
    compare_explorers(comparison, tmp_path / "out")
    for name in TABLES:
        assert (tmp_path / "out" / name).read_bytes() == (whole / name).read_bytes()


def test_a_system_may_have_fewer_episodes_than_others(tmp_path: Path) -> None:
    parameters = {"horizon": 5}
    systems = {
        "long": {"parameters": parameters},
        "short": {"parameters": parameters, "episodes": 1},
    }
    changes = {"systems": systems, "policies": {"Random": {"explorer": "random"}}, "seeds": 1}
    comparison = read_comparison(write(tmp_path, episodes=2, steps=100, **changes))
    compare_explorers(comparison, tmp_path / "out", workers=0)
    steps = {row["system"]: row["steps"] for row in rows(tmp_path / "out" / "cells.csv")}
    assert steps == {"long": "10", "short": "5"}


FAULTY = """
from defiance_zoo.protocols.predicates import Predicate

WRONG = (Predicate("wrong", lambda s: any(1 // (1 - each.term) < 0 for each in s)),)
"""


@pytest.mark.long
def test_a_failed_cell_is_reported_and_retried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A predicate divides by zero when a replica reaches term 1."""
    (tmp_path / "faulty_predicates.py").write_text(FAULTY)
    monkeypatch.syspath_prepend(tmp_path)
    parameters = SMALL["systems"]["Raft"]["parameters"]
    systems = {"Raft": {"parameters": parameters, "hierarchies": ["faulty_predicates:WRONG"]}}
    policies = {"Random": {"explorer": "random"}}
    comparison = read_comparison(write(tmp_path, systems=systems, policies=policies, seeds=1))
    for _ in range(2):
        events: list[dict[str, Any]] = []
        done = compare_explorers(comparison, tmp_path / "out", workers=1, report=events.append)
        assert done.failed == 1
        assert [event["event"] for event in events] == ["planned", "failed", "finished"]
        assert "ZeroDivisionError" in (tmp_path / "out" / "cells.csv").read_text()
        assert "1 cells failed" in (tmp_path / "out" / "report.html").read_text()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"baseline": "Radom"}, "baseline='Radom' is not known; did you mean 'Random'"),
        ({"systems": {"Raft": {"parameters": {"horizn": 5}}}}, "systems.Raft.*'horizn'"),
        ({"systems": {"Raft": {"parameters": {"infos": "hashes"}}}}, "set by the comparison"),
        ({"systems": {"Raft": {"hierarchies": ["LogGap3"]}}}, "hierarchy='LogGap3' is not known"),
        ({"policies": {"A": {"explorer": "bonusmax"}}}, "did you mean 'bonus_max'"),
        ({"policies": {"A": {"explorer": "random", "systems": ["raft"]}}}, "did you mean 'Raft'"),
        ({"seeds": 0}, "seeds"),
        ({"sedes": 3}, "sedes"),
    ],
)
def test_invalid_comparisons_are_refused(
    tmp_path: Path, changes: dict[str, Any], said: str
) -> None:
    with pytest.raises(ParameterError, match=said):
        read_comparison(write(tmp_path, **changes))
    assert [path.name for path in tmp_path.iterdir()] == ["mine.yaml"]


LIARS: dict[str, Any] = {
    "env": "partition_tendermint_v0",
    "parameters": {
        "with_byzantine": True,
        "max_byzantine": 2,
        "with_crashes": False,
        "ticks_between_partition": 10,
        "tick_interval": "5ms",
        "timeout_propose": "40ms",
        "timeout_prevote": "20ms",
        "timeout_precommit": "20ms",
        "timeout_commit": "20ms",
    },
}
"""Half of these replicas may lie, more than Tendermint tolerates."""


def test_a_counterexample_of_a_python_protocol_is_shrunk_and_drawn(tmp_path: Path) -> None:
    protocol = ROOT / "examples" / "protocols" / "primary_backup.py"
    changes = {"policies": {"Random": {"explorer": "random"}}, "seeds": 1, "steps": 500}
    file = write(tmp_path, systems={"Mine": {"env": str(protocol)}}, until="violation", **changes)
    compare_explorers(read_comparison(file), tmp_path / "out", workers=0)
    found = {path.name for path in (tmp_path / "out" / "counterexamples").iterdir()}
    assert {"Mine-agreement.json", "Mine-agreement.html"} <= found


def test_a_violation_is_shrunk_only_once_also_after_an_interruption(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    protocol = ROOT / "examples" / "protocols" / "primary_backup.py"
    changes = {"policies": {"Random": {"explorer": "random"}}, "seeds": 2, "steps": 500}
    systems = {"Mine": {"env": str(protocol)}}
    comparison = read_comparison(write(tmp_path, systems=systems, until="violation", **changes))
    whole, out = tmp_path / "whole", tmp_path / "out"
    compare_explorers(comparison, whole, workers=0)

    events: list[dict[str, Any]] = []
    allows, plays, left = Effort.allows, 0, 0

    def count(effort: Effort, kept: int, rest: int) -> bool:
        nonlocal plays, left
        plays, left = plays + 1, left - 1
        if left == 0:
            signal.raise_signal(signal.SIGTERM)
        return allows(effort, kept, rest)

    monkeypatch.setattr(Effort, "allows", count)
    for after in (2, 40):  # in the first violation, and later
        left = after
        with pytest.raises(Aborted):
            compare_explorers(comparison, out, workers=0, report=events.append)
        (stopped,) = (each for each in events if each["event"] == "shrinking_stopped")
        assert len(read_recording(Path(stopped["file"])).decisions) == stopped["shrunk"]
        events.clear()
    compare_explorers(comparison, out, workers=0)
    assert found(out) == found(whole)
    assert {p.name: p.read_bytes() for p in (out / "shrunk").iterdir()} == {
        p.name: p.read_bytes() for p in (whole / "shrunk").iterdir()
    }
    plays = 0
    compare_explorers(comparison, out, workers=0)
    assert plays == 0


def write_broken(folder: Path, **parameters: Any) -> dict[str, Any]:
    """Return a system that violates a property at each reset."""
    protocol = folder / "broken.py"
    text = (ROOT / "examples" / "protocols" / "primary_backup.py").read_text()
    check = "    def check(self, group):\n"
    protocol.write_text(text.replace(check, f"{check}        yield 'broken', 'from the start'\n"))
    return {"env": str(protocol), "parameters": {"horizon": 3, **parameters}}


@pytest.mark.filterwarnings("ignore:no agent decided")
@pytest.mark.parametrize("stops", [True, False])
def test_a_violation_at_the_reset_is_counted_once_per_episode(stops: bool, tmp_path: Path) -> None:
    system = write_broken(tmp_path, stop_on_violation=stops)
    changes = {"policies": {"Random": {"explorer": "random"}}, "seeds": 1, "steps": 6}
    out = tmp_path / "out"
    compare_explorers(
        read_comparison(write(tmp_path, systems={"Mine": system}, **changes)), out, workers=0
    )
    (cell,) = (json.loads(path.read_text()) for path in (out / "cells").iterdir())
    known = cell["violations"]["broken"]
    assert (known["step"], known["actions"]) == (0, [])
    assert known["times"] == cell["episodes"]
    assert (out / "counterexamples" / "Mine-broken.html").is_file()


@pytest.mark.filterwarnings("ignore:no agent decided")
def test_counterexamples_of_similar_names_have_visible_files_of_their_own(tmp_path: Path) -> None:
    systems = dict.fromkeys(["Mine, own", "Mine own", ".."], write_broken(tmp_path))
    changes = {"policies": {"Random": {"explorer": "random"}}, "seeds": 1, "steps": 6}
    file = write(tmp_path, systems=systems, points=1_000_000, **changes)
    compare_explorers(read_comparison(file), tmp_path / "out", workers=0)
    found = sorted((tmp_path / "out" / "counterexamples").glob("*.json"))
    assert [each.name for each in found] == [
        "Mine_own-broken-2.json", "Mine_own-broken.json", "broken.json"
    ]  # fmt: skip
    cells = (json.loads(path.read_text()) for path in (tmp_path / "out" / "cells").iterdir())
    assert all(len(cell["curve"]) < 8 for cell in cells)


@pytest.mark.thorough
def test_a_cell_ends_at_a_violation_that_its_actions_reproduce(tmp_path: Path) -> None:
    policies = {"Random": {"explorer": "random"}, "Branch": {"explorer": "branch"}}
    changes = {"policies": policies, "seeds": 1, "steps": 1000, "until": "violation"}
    comparison = read_comparison(write(tmp_path, systems={"Liars": LIARS}, **changes))
    done = compare_explorers(comparison, tmp_path / "out", workers=2)
    assert done.failed == 0
    violations = rows(tmp_path / "out" / "violations.csv")
    assert {row["property"] for row in violations} == {"agreement"}
    assert len(violations) == 2
    spec = lookup(LIARS["env"])
    with closing(GymnasiumEnv(spec, link="local", **LIARS["parameters"])) as env:
        for row in violations:
            _, info = env.reset(seed=int(row["episode_seed"]))
            terminated = False
            for action in map(int, row["actions"].split()):
                assert not terminated
                *_, terminated, _, info = env.step(action)
            assert terminated
            assert info["violations"] == row["said"]
    cells = rows(tmp_path / "out" / "cells.csv")
    assert {row["violated"] for row in cells} == {"agreement"}
    steps = {row["policy"]: row["first_step"] for row in violations}
    assert steps == {row["policy"]: row["steps"] for row in cells}
    assert "has decided" in (tmp_path / "out" / "report.html").read_text()


@pytest.mark.thorough
@pytest.mark.timeout(300)
def test_the_smallest_of_the_shortest_violations_is_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changes = {"policies": {"Random": {"explorer": "random"}}, "seeds": 2, "steps": 1000}
    comparison = read_comparison(
        write(tmp_path, systems={"Liars": LIARS}, until="violation", **changes)
    )
    out = tmp_path / "out"
    events: list[dict[str, Any]] = []
    compare_explorers(comparison, out, workers=2, report=events.append)
    (shrunk,) = [event for event in events if event["event"] == "shrunk"]
    violations = rows(out / "violations.csv")
    sizes = {}
    for each in violations:
        known = {
            "seed": int(each["episode_seed"]),
            "actions": list(map(int, each["actions"].split())),
        }
        played = counterexamples._record(comparison.config.systems["Liars"], known)
        sizes[len(known["actions"])] = len(shrink_violation(played).decisions)
    assert len(sizes) == 2
    assert shrunk["shrunk"] == min(sizes.values())
    assert sizes[shrunk["steps"]] == shrunk["shrunk"] < shrunk["steps"]
    (row,) = rows(out / "counterexamples.csv")
    assert row["property"] == "agreement"
    recording = read_recording(out / "counterexamples" / "Liars-agreement.json")
    assert len(recording.decisions) == shrunk["shrunk"]
    with closing(open_recorded(recording)) as episodes:
        replay(recording, episodes)
    chart = (out / "counterexamples" / "Liars-agreement.html").read_text()
    report = (out / "report.html").read_text()
    (inner,) = re.findall(r'<iframe sandbox="" [^>]* srcdoc="([^"]*)"', report)
    assert unescape(inner) == chart

    def diverge(_recording: Any, **_options: Any) -> Any:
        raise ReplayDiverged("it went elsewhere")

    # If a violation cannot be shrunk, there are still tables and a report.
    shutil.rmtree(out / "shrunk")
    monkeypatch.setattr(counterexamples, "shrink_violation", diverge)
    assert compare_explorers(comparison, out, workers=1, report=events.append).failed == 0
    assert events[-2]["event"] == "not_drawn"
    said = "the counterexample of Liars, agreement was not drawn: ReplayDiverged: it went elsewhere"
    assert said in (out / "report.html").read_text()
    assert rows(out / "violations.csv") == violations


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"roles": True}, r"systems.Raft has the agents \['agent_0', 'agent_1', 'agent_2'\]"),
        ({"crash_limit": 0}, "systems.Raft: .*crash_limit"),
    ],
)
def test_an_invalid_system_is_refused_before_cells_are_played(
    tmp_path: Path, parameters: dict[str, Any], said: str
) -> None:
    policies = {"Random": {"explorer": "random"}}
    systems = {"Raft": {"parameters": parameters}}
    comparison = read_comparison(write(tmp_path, systems=systems, policies=policies))
    with pytest.raises(ParameterError, match=said):
        compare_explorers(comparison, tmp_path / "out", workers=1)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("system", "policy", "said"),
    [
        ({"hierarchies": ["AnyLocked"]}, {"explorer": "random"}, "systems.Raft: .*of tendermint"),
        (
            {},
            {"explorer": "waypoint", "options": {"hierarchy": "AnyLocked"}},
            "policies.Policy, systems.Raft: .*of tendermint",
        ),
    ],
)
def test_a_hierarchy_of_another_protocol_is_refused_before_cells_are_played(
    tmp_path: Path, system: dict[str, Any], policy: dict[str, Any], said: str
) -> None:
    path = write(tmp_path, systems={"Raft": system}, policies={"Policy": policy})
    with pytest.raises(ParameterError, match=said):
        compare_explorers(read_comparison(path), tmp_path / "out", workers=1)
    assert not (tmp_path / "out").exists()
