# SPDX-License-Identifier: GPL-2.0-only
"""A protocol of one's own under partition_v0: the program in docs/own-protocol.md."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest
from conftest import PROGRAMS, ROOT
from own_project import build_project
from partition_support import draw, follow, request

from defiance_zoo.environments import EnvironmentSpec
from defiance_zoo.simulation import Scenario, describe
from defiance_zoo.testing import check_deterministic, play

SOURCE = ROOT / "tests" / "scenarios" / "primary-backup.cc"
PAGE = (ROOT / "docs" / "own-protocol.md").read_text()
PROGRAM = PROGRAMS / "primary_backup"
SPEC = EnvironmentSpec(
    "primary_backup_v0", Scenario("primary_backup_v0", PROGRAM, refuses_masked=True)
)


def blocks(language: str) -> str:
    """Return the only block of a language in the page."""
    (block,) = re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    return str(block)


def test_the_page_shows_the_whole_program() -> None:
    assert blocks("cpp") == SOURCE.read_text()
    assert len(SOURCE.read_text().splitlines()) < 250


def test_where_there_is_one_protocol_there_is_nothing_to_choose() -> None:
    parameters = describe(PROGRAM).parameters
    assert "protocol" not in parameters
    assert "election_ticks" not in parameters
    assert parameters["painter"].default == "default"


def test_it_does_its_work() -> None:
    """Without faults every replica has all requests, and repeats itself."""
    env = SPEC.raw_env()
    *_, (info, _) = follow(env, request)
    assert info["replicas"].count('"commit":5') == 3
    assert info["violations"] == ""
    env.close()
    check_deterministic(
        lambda: SPEC.raw_env(illegal_actions="keep"), seeds=(1, 2), second_process=False
    )


def test_random_tests_find_what_is_wrong_with_it() -> None:
    env = SPEC.raw_env(link="local", max_blocks=2)
    found: set[str] = set()
    for seed in range(300):
        *_, (info, _) = follow(env, draw(seed), seed)
        found |= set(info["violations"].splitlines())
        if found:
            break
    env.close()
    assert {each.partition(":")[0] for each in found} == {"agreement"}


def test_the_program_in_the_page_finds_it_too() -> None:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        text = blocks("python").replace("build/primary_backup", str(PROGRAM))
        exec(compile(text, "page", "exec", dont_inherit=True), {"__name__": "page"})
    assert re.match(r"seed \d+, 0\.\d+ s: agreement: replica \d has", printed.getvalue())
    assert printed.getvalue().count("PrimaryBackupState(id=") == 3


@pytest.mark.long
@pytest.mark.timeout(600)
def test_it_builds_from_what_is_installed(tmp_path: Path) -> None:
    flags = "-Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers"
    built = build_project(tmp_path, SOURCE, blocks("cmake"), flags, CMAKE_UNITY_BUILD="ON")
    own = EnvironmentSpec("own_v0", Scenario("own_v0", built / "primary_backup"))
    theirs, ours = (spec.raw_env(horizon=12, illegal_actions="keep") for spec in (own, SPEC))
    assert play(theirs, 1, episodes=1) == play(ours, 1, episodes=1)
    ours.close()
    theirs.close()
