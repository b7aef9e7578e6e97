# SPDX-License-Identifier: GPL-2.0-only
"""A user's own protocol in partition_v0: the program in docs/protocols/own-protocol.md."""

from __future__ import annotations

import csv
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
import yaml
from command_calls import call, call_for_json
from conftest import PROGRAMS, ROOT
from own_project import build_project
from partition_support import draw, follow, request

from defiance_zoo.bridge.simulation import Scenario, describe
from defiance_zoo.environments import EnvironmentSpec
from defiance_zoo.environments.testing import check_deterministic, play
from defiance_zoo.envs.partition.states import read_replicas
from defiance_zoo.errors import ParameterError
from defiance_zoo.protocols.comparison.configuration import read_comparison
from defiance_zoo.protocols.comparison.running import compare_explorers
from defiance_zoo.protocols.explorers import Nemesis
from defiance_zoo.protocols.explorers.registry import make_explorer
from defiance_zoo.recording import read_recording
from defiance_zoo.registration import ENTRIES
from defiance_zoo.wrappers.gymnasium import GymnasiumEnv

SOURCE = ROOT / "tests" / "scenarios" / "primary-backup.cc"
PAGE = (ROOT / "docs" / "protocols" / "own-protocol.md").read_text()
PROGRAM = PROGRAMS / "primary_backup"
SPEC = EnvironmentSpec("primary_backup_v0", Scenario("primary_backup_v0", PROGRAM))


def blocks(language: str) -> str:
    """Return the only block of a language in the page."""
    (block,) = re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    return str(block)


def test_the_page_shows_the_whole_program() -> None:
    assert blocks("cpp") == SOURCE.read_text()
    assert len(SOURCE.read_text().splitlines()) < 260


def test_a_program_with_one_protocol_has_no_protocol_parameter() -> None:
    parameters = describe(PROGRAM).parameters
    assert "protocol" not in parameters
    assert "election_ticks" not in parameters
    assert parameters["painter"].default == "default"


def test_the_protocol_commits_all_requests() -> None:
    """Without faults every replica has all requests, and episodes are reproducible."""
    env = SPEC.raw_env()
    *_, (info, _) = follow(env, request)
    assert info["replicas"].count('"commit":5') == 3
    assert info["violations"] == ""
    env.close()
    check_deterministic(
        lambda: SPEC.raw_env(illegal_actions="keep"), seeds=(1, 2), second_process=False
    )


def test_random_tests_find_the_bug_of_the_protocol() -> None:
    env = SPEC.raw_env(link="local", max_blocks=2)
    found: set[str] = set()
    for seed in range(300):
        *_, (info, _) = follow(env, draw(seed), seed)
        found |= set(info["violations"].splitlines())
        if found:
            break
    env.close()
    assert {each.partition(":")[0] for each in found} == {"agreement"}


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The page's Python file in an importable folder, next to the program that it names."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "build").mkdir()
    (folder / "build" / "primary_backup").symlink_to(PROGRAM)
    path = folder / "primary_backup.py"
    path.write_text(blocks("python"))
    with pytest.MonkeyPatch.context() as patch, mock.patch.dict(ENTRIES):
        patch.syspath_prepend(folder)
        yield path


def test_the_python_file_of_the_page_finds_the_bug(module: Path) -> None:
    command = [sys.executable, str(module)]
    printed = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    assert re.match(r"seed \d+, 0\.\d+ s: agreement: replica \d has", printed)
    assert printed.count("PrimaryBackupState(id=") == 3


NAME = "primary_backup:primary_backup_v0"


def test_a_recording_is_replayed_shrunk_and_drawn(module: Path, tmp_path: Path) -> None:
    told = call_for_json("partition", "record", tmp_path / "found", "--env", NAME,
                         "--episodes", 300, "--keep", "violations",
                         "--stop-on", "violation")  # fmt: skip
    (path,) = (tmp_path / "found").iterdir()
    assert told["episodes"][0]["violation"].startswith("agreement: ")
    assert call_for_json("replay", path, "--env", NAME)
    shrunk = call_for_json("partition", "shrink", path, "--env", NAME)
    assert shrunk["steps"] < shrunk["before"]
    shown = call_for_json("partition", "show", shrunk["file"], "--env", NAME)
    assert "Log view=1 commit=0" in Path(shown["file"]).read_text()
    assert "Has view=1 entries=" in read_recording(path).to_json()


def test_a_recording_of_an_unregistered_environment_names_the_missing_option(
    module: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    call("partition", "record", tmp_path / "found", "--env", NAME, "-p", "horizon=2")
    (path,) = (tmp_path / "found").iterdir()
    monkeypatch.delitem(ENTRIES, "primary_backup_v0")
    for command in (["replay"], ["partition", "show"]):
        status, _, errors = call(*command, path)
        assert status == 2
        assert "--env module:primary_backup_v0" in errors


def compare(folder: Path, systems: dict[str, Any], **policies: Any) -> Path:
    """Compare explorers, and return the folder of the comparison."""
    described = {"systems": systems, "policies": policies, "seeds": 1, "steps": 2000}
    file = folder / "mine.yaml"
    file.write_text(yaml.safe_dump({**described, "until": "violation"}))
    assert compare_explorers(read_comparison(file), folder / "out", workers=1).failed == 0
    return folder / "out"


RANDOM = {"explorer": "random"}


@pytest.mark.long
@pytest.mark.parametrize("drawn", [True, False])
def test_a_comparison_draws_plots_and_counterexamples(
    drawn: bool, module: Path, tmp_path: Path
) -> None:
    parameters = {} if drawn else {"message_events": False}
    out = compare(tmp_path, {"Mine": {"env": NAME, "parameters": parameters}}, Random=RANDOM)
    with (out / "counterexamples.csv").open() as file:
        assert [row["property"] for row in csv.DictReader(file)] == ["agreement"]
    assert (out / "counterexamples" / "Mine-agreement.json").exists()
    assert (out / "counterexamples" / "Mine-agreement.html").exists() == drawn
    report = (out / "report.html").read_text()
    assert ("There is no chart" in report) != drawn
    assert ("<iframe" in report) == drawn


PREDICATES = """
from defiance_zoo.protocols.predicates import Predicate

LATER = (Predicate("view 2", lambda s: any(each.view >= 2 for each in s)),)
NONE = ()
"""


def test_a_users_hierarchy_leads_the_explorer(module: Path, tmp_path: Path) -> None:
    (module.parent / "own_predicates.py").write_text(PREDICATES)
    led = {"explorer": "waypoint", "options": {"hierarchy": "own_predicates:LATER"}}
    system = {"env": NAME, "hierarchies": ["own_predicates:LATER"]}
    out = compare(tmp_path, {"Mine": system}, Led=led)
    with (out / "cells.csv").open() as file:
        (cell,) = csv.DictReader(file)
    assert int(cell["final/own_predicates:LATER"]) > 0
    for name, said in (
        ("own_predicates:NONE", "must be a tuple"),
        ("nothing:X", "cannot be imported"),
    ):
        with pytest.raises(ParameterError, match=said):
            make_explorer("waypoint", 1, {"hierarchy": name})


@pytest.mark.parametrize(
    ("system", "policy", "said"),
    [
        (
            {},
            {"explorer": "waypoint", "options": {"hierarchy": "LogGap2"}},
            "is for states of raft",
        ),
        (
            {},
            {"explorer": "branch", "options": {"hierarchy": "AnyLocked"}},
            "for states of tenderm",
        ),
        ({"hierarchies": ["AnyLocked"]}, RANDOM, "systems.Mine: hierarchy='AnyLocked': .*tendermi"),
    ],
)
def test_options_that_do_not_fit_the_protocol_are_refused_before_cells_are_played(
    system: dict[str, Any], policy: dict[str, Any], said: str, module: Path, tmp_path: Path
) -> None:
    with pytest.raises(ParameterError, match=said):
        compare(tmp_path, {"Mine": {"env": NAME, **system}}, Policy=policy)
    assert not (tmp_path / "out").exists()


def test_the_leader_is_recognised() -> None:
    """The field `leads` and the latest view determine the leader."""
    env = GymnasiumEnv(SPEC, link="local", num_requests=0, painter="id", horizon=4)
    visits = list(Nemesis(1, fault="isolated_leader").explore(env, steps=4))
    env.close()
    first = visits[1].info
    (leader,) = (s.id for s in read_replicas(visits[0].info) if s.leads)
    mine = first["partition"][leader - 1]
    assert [int(block) for block in first["partition"]].count(int(mine)) == 1


@pytest.mark.thorough
@pytest.mark.timeout(600)
def test_the_program_builds_with_the_installed_package(tmp_path: Path) -> None:
    flags = "-Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers"
    built = build_project(tmp_path, SOURCE, blocks("cmake"), flags, CMAKE_UNITY_BUILD="ON")
    own = EnvironmentSpec("own_v0", Scenario("own_v0", built / "primary_backup"))
    theirs, ours = (spec.raw_env(horizon=12, illegal_actions="keep") for spec in (own, SPEC))
    assert play(theirs, 1, episodes=1) == play(ours, 1, episodes=1)
    ours.close()
    theirs.close()
