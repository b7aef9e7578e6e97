# SPDX-License-Identifier: GPL-2.0-only
"""Commands that record episodes, replay them, and convert them to datasets."""

from __future__ import annotations

import json
import re
from pathlib import Path

import minari
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from test_without_extras import without_extras

from defiance_zoo import command_line
from defiance_zoo.recording import find_episodes, read_episode


def invoke(*arguments: object) -> tuple[int, str]:
    """Run the command in this process; return its exit status and its output."""
    result = CliRunner().invoke(command_line.main, [str(each) for each in arguments])
    return result.exit_code, result.output


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two episodes of random actions."""
    folder = tmp_path_factory.mktemp("recorded")
    status, printed = invoke(
        "random", "cart_pole_v0", "-p", "transport=udp", "--episodes", 2, "--record", folder
    )
    assert status == 0, printed
    return folder


def test_random_episodes_are_recorded_and_replayed(recorded: Path) -> None:
    folders = find_episodes(recorded)
    assert [each.name for each in folders] == ["cart_pole_v0-000001", "cart_pole_v0-000002"]
    episodes = [read_episode(each) for each in folders]
    assert [each.header.seed for each in episodes] == [1, 2]
    assert {each.header.outcome for each in episodes} == {"ended"}
    status, printed = invoke("replay", recorded, "--json")
    assert status == 0, printed
    found = json.loads(printed)
    assert [each["path"] for each in found] == [str(each) for each in folders]
    steps = [len(each.recording().decisions) for each in episodes]
    assert [each["steps"] for each in found] == steps
    status, printed = invoke("replay", folders[0])
    assert printed == f"{folders[0]}: the same in all {steps[0]} steps\n"


def test_replay_reports_the_first_different_observation(recorded: Path, tmp_path: Path) -> None:
    folder = tmp_path / "changed"
    folder.mkdir()
    original = recorded / "cart_pole_v0-000001"
    (folder / "episode.json").write_bytes((original / "episode.json").read_bytes())
    table = pq.read_table(original / "steps.parquet")
    observations = table["observation"].to_pylist()
    observations[4][1] += 1e-5
    place = table.column_names.index("observation")
    changed = pa.array(observations, table["observation"].type)
    pq.write_table(table.set_column(place, "observation", changed), folder / "steps.parquet")
    status, printed = invoke("replay", folder)
    assert status == 1
    assert "is the first difference: the observation of agent_0 is [" in printed
    assert "Error: step 4 (after agent_0: " in printed


def test_a_dataset_is_written(
    recorded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    arguments = ("dataset", recorded, "--id", "carts/chance-v0", "--algorithm", "random")
    status, printed = invoke(*arguments, "--json")
    assert status == 0, printed
    (made,) = json.loads(printed)
    dataset = minari.load_dataset("carts/chance-v0")
    assert (made["episodes"], made["steps"]) == (2, dataset.total_steps)
    assert dataset.storage.metadata["algorithm_name"] == "random"
    status, printed = invoke(*arguments)
    assert (status, "there is a dataset 'carts/chance-v0' already" in printed) == (2, True)


def test_policies_are_recorded_one_after_the_other(tmp_path: Path) -> None:
    status, printed = invoke(
        "eval", "cart_pole_v0", "--episodes", 1, "--policy", "random", "--policy",
        "state_feedback", "-p", "duration=300ms", "--record", tmp_path / "all",
    )  # fmt: skip
    assert status == 0, printed
    episodes = [read_episode(each) for each in find_episodes(tmp_path / "all")]
    assert [each.path.name for each in episodes] == [
        "cart_pole_v0-random-000001",
        "cart_pole_v0-state_feedback-000001",
    ]
    assert {each.header.seed for each in episodes} == {1000}
    status, printed = invoke("eval", "run", "--leaderboard", "--record", tmp_path)
    assert (status, "--record and --leaderboard exclude each other" in printed) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("random", "cart_pole_v0", "--record", "{}/x"), "recordings need 'pyarrow'.*\\[record\\]"),
        (("replay", "{}"), "recordings need 'pyarrow'.*\\[record\\]"),
        (("dataset", "{}", "--id", "x-v0"), "datasets need 'minari'.*\\[dataset\\]"),
    ],
)
def test_missing_files_are_reported(
    arguments: tuple[str, ...], message: str, recorded: Path
) -> None:
    with without_extras() as call:
        done = call(*(each.format(recorded / "cart_pole_v0-000001") for each in arguments))
    assert done.returncode == 1
    assert re.match(f"Error: {message}", done.stderr), done.stderr
