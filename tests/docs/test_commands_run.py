# SPDX-License-Identifier: GPL-2.0-only
"""Each command that a page shows runs, unchanged or with smaller numbers; see `page_tables.py`."""

from __future__ import annotations

from pathlib import Path

import pytest
from host_rights import needs_rights
from page_shell import block, commands_of, pages, replace, run_page, run_script
from page_tables import (
    AMID,
    BUILDS,
    COMPARES,
    FILES,
    GIVEN,
    HOSTS,
    NOT_RUN,
    REPLACED,
    SERVES,
    TRAINS,
)
from snippets import PAGES, commands

LONG = {*TRAINS, *COMPARES, *BUILDS}
SHORT = [page for page in pages() if page not in LONG]
COMMANDS = list(commands())


@pytest.mark.long
@pytest.mark.timeout(400)  # a page has up to a dozen commands
@pytest.mark.parametrize(
    "page", [pytest.param(each, marks=needs_rights) if each in HOSTS else each for each in SHORT]
)
def test_the_commands_of_a_page_run(page: str, tmp_path: Path) -> None:
    run_page(page, tmp_path)


@pytest.mark.parametrize("command", AMID)
def test_a_command_within_a_sentence_runs(command: str, tmp_path: Path) -> None:
    run_script(f"{command} {AMID[command]}", tmp_path)
    assert any(f"`{command}`" in path.read_text() for path in PAGES)


def test_each_page_is_run_by_one_test() -> None:
    """The others run them: test_trainings_run.py, test_comparisons_run.py, test_builds_run.py."""
    assert {*SHORT, *LONG} == {*pages()}
    assert len(LONG) == len(TRAINS) + len(COMPARES) + len(BUILDS)


@pytest.mark.parametrize("begin", NOT_RUN)
def test_each_command_left_out_is_on_a_page(begin: str) -> None:
    assert any(command.startswith(begin) for _, command in COMMANDS)


@pytest.mark.parametrize(
    ("page", "old", "new"),
    [(page, each.old, each.new) for page, several in REPLACED.items() for each in several],
)
def test_each_replaced_text_is_on_a_page(page: str, old: str, new: str) -> None:
    texts = [*commands_of(page), *(block(page, *place) for place in FILES.get(page, {}).values())]
    assert any(old in text for text in texts)
    assert any(new in replace(page, text) for text in texts)


@pytest.mark.parametrize(
    ("page", "begin"),
    [
        *((page, begin) for page, several in GIVEN.items() for begin in several),
        *((page, "") for page in FILES),
    ],
)
def test_each_prepared_file_is_used_by_a_command(page: str, begin: str) -> None:
    assert any(command.startswith(begin) for command in commands_of(page))


@pytest.mark.parametrize("begin", SERVES)
def test_each_command_that_runs_until_ctrl_c_is_on_a_page(begin: str) -> None:
    assert any(command.startswith(begin) for _, command in COMMANDS)


def test_a_failed_command_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = "docs/recording/recording.md"
    first = commands_of(page)[0]
    monkeypatch.setitem(GIVEN, page, {first: "cd /nowhere"})
    with pytest.raises(AssertionError, match=f"what {page} takes for granted"):
        run_page(page, tmp_path)
    monkeypatch.setitem(GIVEN, page, {first: "defiance-zoo() { return 3; }"})
    with pytest.raises(AssertionError, match=f"exit status 3: {page}: {first}"):
        run_page(page, tmp_path)
