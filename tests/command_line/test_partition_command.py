# SPDX-License-Identifier: GPL-2.0-only
"""`defiance-zoo partition`: written files, output, and refused arguments."""

from __future__ import annotations

import json
import re
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest
from command_calls import call, call_for_json
from conftest import ROOT
from partition_support import LIARS, follow, lie

from defiance_zoo.command_line.commands import partition as partition_module
from defiance_zoo.command_line.commands.partition import command as partition
from defiance_zoo.envs import partition_v0
from defiance_zoo.protocols.violations import first_violation
from defiance_zoo.recording import Effort, read_recording


@pytest.fixture(scope="module")
def violating(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of an episode that violates agreement, with steps that do not contribute."""
    folder = tmp_path_factory.mktemp("violating")
    env = partition_v0.TENDERMINT_SPEC.raw_env(record=folder, **{**LIARS, "horizon": 60})
    for _ in follow(env, lie(detours=True)):
        pass
    env.close()
    (recorded,) = folder.iterdir()
    path = folder / "violating.json"
    path.write_text(read_recording(recorded).to_json())
    return path


def test_sub_commands_are_listed() -> None:
    status, printed, _ = call("partition", "--help")
    assert status == 0
    assert all(f"  {name} " in printed for name in partition.commands)
    assert call("partition", "nothing")[0] == 2


def test_a_recorded_episode_is_replayed(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "folder"
    told = call_for_json("partition", "record", folder, "--protocol", "tendermint",
                         "--policy", "faultless", "--episodes", 2, "--seed", 7,
                         "--pcap", "-p", "horizon=4")  # fmt: skip
    assert (told["env"], told["played"]) == ("partition_tendermint_v0", 2)
    assert [(each["seed"], each["steps"]) for each in told["episodes"]] == [(7, 4), (8, 4)]
    assert len(list(folder.glob("*/*.pcap"))) == 8
    for each in told["episodes"]:
        (played,) = call_for_json("replay", each["file"])
        assert played["steps"] == 4
    status, printed, _ = call("partition", "record", folder, "-p", "horizon=3", "--episodes", 2)
    assert status == 0
    assert "partition_v0-000002 " in printed
    assert printed.endswith("\n2 played, 2 written\n")


def test_only_episodes_with_violations_are_kept(tmp_path: Path) -> None:
    """A correct protocol has none, so the command creates no folder."""
    told = call_for_json("partition", "record", tmp_path / "none", "--episodes", 3,
                         "--keep", "violations", "--stop-on", "violation", "--pcap")  # fmt: skip
    assert (told["played"], told["episodes"]) == (3, [])
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("--protocol", "paxos"), 2, "protocol='paxos' is not one of ['raft', 'tendermint']"),
        (("--policy", "rondom"), 2, "no policy 'rondom'; did you mean 'random'?"),
        (("--env", "nothing_v0"), 2, "no environment 'nothing_v0'"),
        (("--env", "nothing_v0"), 2, "--env module:nothing_v0"),
        (
            ("--env", "partition_v0", "--protocol", "raft"),
            2,
            "this package's environments; with --env",
        ),
        (("--pcap", "-p", "crash_limit=0"), 2, "with_crashes=true and crash_limit=0 allow no"),
        (("-p", "crash_limit=0"), 2, "with_crashes=true and crash_limit=0 allow no crash"),
        (("--keep", "none"), 2, "'none' is not one of 'all', 'violations'"),
        (("-o", "random.x=1"), 2, "x"),
    ],
)
def test_bad_arguments_leave_no_files_behind(
    arguments: tuple[str, ...], status: int, message: str, tmp_path: Path
) -> None:
    found, _, errors = call("partition", "record", tmp_path / "folder", *arguments)
    assert found == status
    assert message in errors
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    status, _, errors = call("partition", "record", tmp_path / "file" / "folder")
    assert status == 2
    assert "is not a folder that can be written to" in errors


def changed(path: Path, into: Path, **facts: Any) -> Path:
    """Return a copy of a recording with some changed facts."""
    copy = into / "changed.json"
    copy.write_text(json.dumps({**json.loads(path.read_text()), **facts}))
    return copy


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ({"environment": "partition_v9"}, "was recorded in partition_v9, but here is partition_v0"),
        ({"environment": "mine:my_v0"}, "recorded in mine:my_v0, which is not among"),
        ({"environment": "my_v0"}, "--env module:my_v0"),
        ({"versions": {"defiance-zoo": "0.0.1"}}, "was recorded with defiance-zoo 0.0.1, but this"),
        ({"parameters": {"protocol": "paxos"}}, "protocol='paxos' is not one of"),
        ({"rng": {"seed": 0, "run": 1}}, "is damaged: rng={'seed': 0, 'run': 1} is not possible"),
        ({"parameters": {"pcap": "/tmp/x"}}, "'pcap' is not a parameter of a recorded episode"),
        ({"parameters": {"record": "/tmp/x"}}, "'record' is not a parameter of a recorded episode"),
        ({"rounds": 3}, "is damaged: rounds is not an array"),
    ],
)
@pytest.mark.parametrize("name", sorted({*partition.commands} - {"compare", "record"}))
def test_bad_files_are_refused(
    name: str, facts: dict[str, Any], message: str, violating: Path, tmp_path: Path
) -> None:
    path = changed(violating, tmp_path, **facts)
    status, printed, errors = call("partition", name, path)
    assert (status, printed) == (2, "")
    assert message in errors
    assert list(tmp_path.iterdir()) == [path]


def test_a_replay_that_differs_fails(violating: Path, tmp_path: Path) -> None:
    plain = json.loads(violating.read_text())
    plain["rounds"][4]["asked"]["agent_0"]["info"]["concrete_hash"] = "0" * 64
    status, printed, errors = call("replay", changed(violating, tmp_path, **plain))
    assert (status, printed) == (1, "")
    assert errors.startswith("Error: step 4 (after agent_0: ")
    assert "info 'concrete_hash' of agent_0 is " in errors


def test_shrink_removes_unnecessary_steps(violating: Path, tmp_path: Path) -> None:
    path = tmp_path / "found.json"
    path.write_bytes(violating.read_bytes())
    told = call_for_json("partition", "shrink", path)
    assert told["file"] == str(tmp_path / "found.shrunk.json")
    assert (told["before"], told["steps"]) == (27, 5)
    (again,) = call_for_json("replay", told["file"])
    assert again["steps"] == 5
    step, violation = first_violation(read_recording(told["file"])) or (None, "")
    assert (step, violation) == (5, told["violation"])
    other = tmp_path / "other.json"
    status, printed, _ = call("partition", "shrink", told["file"], "--same", "text", "--out", other)
    assert status == 0
    assert f"5 steps, of which 5 are needed: {other}\nstep 5: {told['violation']}\n" == printed
    assert json.loads(other.read_text()) == json.loads(Path(told["file"]).read_text())


def test_a_recording_without_violation_cannot_be_shrunk(violating: Path, tmp_path: Path) -> None:
    call("partition", "record", tmp_path, "-p", "horizon=3")
    (path,) = tmp_path.iterdir()
    status, _, errors = call("partition", "shrink", path)
    assert status == 2
    assert "no guarantee is violated in this episode" in errors
    status, _, errors = call("partition", "shrink", violating, "--out", tmp_path / "no" / "file")
    assert status == 2
    assert "cannot be written: No such file or directory" in errors
    assert list(tmp_path.iterdir()) == [path]


def test_show_draws_the_episode(violating: Path, tmp_path: Path) -> None:
    path = tmp_path / "found.json"
    path.write_bytes(violating.read_bytes())
    assert call_for_json("partition", "show", path) == {"file": str(tmp_path / "found.html")}
    assert "agreement: replica 4" in (tmp_path / "found.html").read_text()
    status, printed, _ = call("partition", "show", path, "--out", tmp_path / "other.html")
    assert (status, printed) == (0, f"{tmp_path / 'other.html'}\n")
    assert (tmp_path / "other.html").read_text() == (tmp_path / "found.html").read_text()
    call("partition", "record", tmp_path / "dark", "-p", "message_events=false")
    (dark,) = (tmp_path / "dark").iterdir()
    status, _, errors = call("partition", "show", dark)
    assert status == 2
    assert "a chart needs an episode of partition_v0 with infos=all" in errors
    assert list((tmp_path / "dark").iterdir()) == [dark]


BROKEN = {
    "an exception": (
        'disk.update({"view": 1, "log": [], **disk})',
        'assert self.id != 2, "boom"\n        disk.update({"view": 1, "log": [], **disk})',
        "replica_crash: replica 2: AssertionError: boom",
    ),
    "an invariant": (
        "        for state in group.states:\n            for index",
        "        yield 'broken', 'from the start'\n"
        "        for state in group.states:\n            for index",
        "broken: from the start",
    ),
}
"""Changes of the primary-backup protocol that violate a property at the reset."""


@pytest.fixture
def protocol(tmp_path: Path) -> Path:
    """A file with a protocol in which random tests violate agreement."""
    return Path(shutil.copy(ROOT / "examples" / "protocols" / "primary_backup.py", tmp_path))


def change(protocol: Path, before: str, after: str) -> None:
    """Change the file of a protocol."""
    text = protocol.read_text()
    assert before in text
    protocol.write_text(text.replace(before, after))


@pytest.mark.parametrize("case", BROKEN)
def test_a_violation_at_the_reset_is_recorded(case: str, protocol: Path, tmp_path: Path) -> None:
    before, after, said = BROKEN[case]
    correct = protocol.read_text()
    change(protocol, before, after)
    _, printed, errors = call("partition", "record", tmp_path / "found", "--env", protocol,
                              "--keep", "violations", "--stop-on", "violation",
                              "--json")  # fmt: skip
    assert "no agent decided" not in errors
    told = json.loads(printed)
    (row,) = told["episodes"]
    assert (told["played"], row["steps"], row["step"]) == (1, 0, 0)
    assert row["violation"].startswith(said)
    for words in (["replay"], ["partition", "shrink"], ["partition", "show"]):
        assert call(*words, row["file"], "--env", protocol)[0] == 0, words
    assert call("partition", "recheck", row["file"], "--env", protocol)[0] == 1
    protocol.write_text(correct)
    status, printed, _ = call("partition", "recheck", row["file"], "--env", protocol)
    assert (status, printed) == (0, "no violation in 0 steps\n")


def find(protocol: Path, folder: Path) -> dict[str, Any]:
    """Return the first episode in which random tests violate agreement."""
    told = call_for_json("partition", "record", folder, "--env", protocol, "--episodes", 100,
                         "--keep", "violations", "--stop-on", "violation")  # fmt: skip
    (row,) = told["episodes"]
    return dict(row)


def test_a_fix_is_checked_against_an_old_counterexample(protocol: Path, tmp_path: Path) -> None:
    found = find(protocol, tmp_path / "found")
    status, printed, _ = call("partition", "recheck", found["file"], "--env", protocol)
    assert (status, printed) == (1, f"step {found['step']}: {found['violation']}\n")
    fixed = Path(shutil.copy(protocol, tmp_path / "fixed.py"))  # also under another file name
    change(fixed, "self.silence[id] <= TIMEOUT", "True")
    assert call_for_json("partition", "recheck", found["file"], "--env", fixed) == {
        "steps": found["steps"], "violation": "", "neighbours": 20,
    }  # fmt: skip
    status, _, errors = call("partition", "recheck", found["file"], "--env", fixed)
    assert status == 0
    assert "an episode that no longer fails proves little" in errors


def test_neighbours_find_a_bug_that_has_moved(protocol: Path, tmp_path: Path) -> None:
    """With another timeout, the recorded schedule is harmless, but the bug is still there."""
    found = find(protocol, tmp_path / "found")
    change(protocol, "TIMEOUT = 4", "TIMEOUT = 5")
    arguments = ("partition", "recheck", found["file"], "--env", protocol)
    assert call(*arguments, "--neighbours", 0)[0] == 0
    status, printed, _ = call(*arguments, "--neighbours", 200)
    assert status == 1
    assert re.match(r"step \d+ of neighbour \d+: agreement", printed)
    assert call(*arguments, "--neighbours", 200) == (status, printed, "")  # the seed decides
    assert call(*arguments, "--neighbours", 200, "--seed", 2)[1] != printed


def test_a_folder_of_counterexamples_is_a_regression_test(protocol: Path, tmp_path: Path) -> None:
    folder = tmp_path / "found"
    found = find(protocol, folder)
    single = folder / "shrunk.json"
    assert call("partition", "shrink", found["file"], "--env", protocol, "--out", single)[0] == 0
    single.with_suffix(".html").write_text("a chart")
    status, printed, errors = call("partition", "recheck", folder, "--env", protocol)
    assert (status, errors) == (1, "")
    assert printed.count(found["violation"].partition(":")[0]) == 2
    assert "2 episodes: 2 with a violation, 0 not played" in printed
    change(protocol, "self.silence[id] <= TIMEOUT", "True")
    assert call("partition", "recheck", folder, "--env", protocol)[0] == 0
    (folder / "damaged.json").write_text("{")
    (folder / "notes.txt").write_text("mine")
    status, printed, errors = call("partition", "recheck", folder, "--env", protocol)
    assert status == 2
    assert "damaged.json" in printed
    assert "3 episodes: 0 with a violation, 1 not played" in printed
    assert "Warning: not recorded episodes, and ignored: notes.txt\n" in errors
    (tmp_path / "empty").mkdir()
    assert "contains no episode" in call("partition", "recheck", tmp_path / "empty")[2]


def test_a_spent_budget_writes_the_best_episode_so_far(violating: Path, tmp_path: Path) -> None:
    out = tmp_path / "short.json"
    status, printed, _ = call("partition", "shrink", violating, "--out", out, "--budget", 0)
    assert status == 0
    assert f"27 steps, of which 27 remain: {out}\nthe budget of 0 s is spent: up to " in printed
    assert call("replay", out)[0] == 0
    told = call_for_json("partition", "shrink", out, "--budget", 600)
    assert (told["steps"], told["left"]) == (5, 0)
    assert told["plays"] > 5
    assert call("partition", "shrink", violating, "--budget", -1)[0] == 2


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_shrink_writes_the_best_episode_so_far(
    number: int, violating: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    allows = Effort.allows

    def interrupt(effort: Effort, kept: int, left: int) -> bool:
        if kept < 27:
            signal.raise_signal(number)
        return allows(effort, kept, left)

    out = tmp_path / "short.json"
    with monkeypatch.context() as patch:
        patch.setattr(Effort, "allows", interrupt)
        status, printed, _ = call("partition", "shrink", violating, "--out", out)
    assert status == 128 + number
    steps = len(read_recording(out).decisions)
    assert 5 < steps < 27
    assert f"27 steps, of which {steps} remain: {out}\ninterrupted: up to " in printed
    assert call("replay", out)[0] == 0
    assert call_for_json("partition", "shrink", out)["steps"] == 5


def test_an_interrupted_recheck_prints_the_results_so_far(
    violating: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a.json", "b.json"):
        shutil.copy(violating, tmp_path / name)

    def interrupt(path: Path) -> Any:
        if path.name == "b.json":
            signal.raise_signal(signal.SIGTERM)
        return read_recording(path)

    monkeypatch.setattr(partition_module, "read_recording", interrupt)
    status, printed, _ = call("partition", "recheck", tmp_path)
    assert status == 128 + signal.SIGTERM
    assert "1 episodes: 1 with a violation, 0 not played; interrupted, 1 left\n" in printed


def test_recorded_parameters_are_replaced_in_a_recheck(tmp_path: Path) -> None:
    """Raft in C++ with a seeded bug and without it."""
    told = call_for_json("partition", "record", tmp_path / "found", "-p", "bug=R7",
                         "-p", "healing=at_end", "-p", "horizon=12")  # fmt: skip
    (row,) = told["episodes"]
    assert row["violation"]
    status, printed, _ = call("partition", "recheck", row["file"])
    assert (status, printed) == (1, f"step {row['step']}: {row['violation']}\n")
    status, printed, _ = call("partition", "recheck", row["file"], "-p", "bug=")
    none = f"no violation in {row['steps']} steps, and none in 20 neighbours\n"
    assert (status, printed) == (0, none)
    status, _, errors = call("partition", "recheck", row["file"], "-p", "bug=R0")
    assert status == 2
    assert "bug='R0' is not one of" in errors


def test_a_failed_simulation_is_not_reported_as_a_violation_in_a_recheck(
    protocol: Path, tmp_path: Path
) -> None:
    found = find(protocol, tmp_path / "found")
    loop = "        for state in group.states:"
    change(protocol, loop, f"        assert not group.requests\n{loop}")
    status, printed, errors = call("partition", "recheck", found["file"], "--env", protocol)
    assert (status, printed) == (2, "")
    assert "assert not group.requests" in errors


def test_a_recheck_with_forbidden_actions_fails(violating: Path, tmp_path: Path) -> None:
    plain = json.loads(violating.read_text())
    plain["parameters"]["max_byzantine"] = 1
    status, printed, errors = call("partition", "recheck", changed(violating, tmp_path, **plain))
    assert (status, printed) == (2, "")
    assert "the next action is no longer allowed" in errors


def test_a_protocol_that_reads_the_clock_is_warned_of(protocol: Path, tmp_path: Path) -> None:
    change(protocol, "import json\n", "import json\nimport time\n")
    change(protocol, "[self.silence, self.has]", "[self.silence, self.has, time.time_ns()]")
    status, printed, errors = call(
        "partition", "record", tmp_path / "found", "--env", protocol, "--episodes", 100,
        "--keep", "violations", "--stop-on", "violation",
    )  # fmt: skip
    assert (status, printed.count("agreement")) == (0, 1)
    assert "primary_backup-000001 does not repeat itself: " in errors
    assert "the time of the machine, random numbers without a seed" in errors
    line = next(each for each in protocol.read_text().splitlines() if "time_ns()" in each)
    assert re.search(rf"primary_backup.py:\d+: {re.escape(line.strip())}\n", errors)


def test_the_first_line_that_does_not_repeat_is_named(protocol: Path, tmp_path: Path) -> None:
    """The effect of the line shows itself later, in another method."""
    tick = "    def tick(self, now):\n"
    change(protocol, tick, f"{tick}        self.draw()\n")
    change(protocol, tick, "    def draw(self):\n        self.odd = id(object()) >> 12\n\n" + tick)
    change(
        protocol, "[self.silence, self.has]", "[self.silence, self.has, getattr(self, 'odd', 0)]"
    )
    _, _, errors = call(
        "partition", "record", tmp_path / "found", "--env", protocol, "--episodes", 100,
        "--keep", "violations", "--stop-on", "violation",
    )  # fmt: skip
    assert re.search(r"primary_backup.py:\d+: self.odd = id\(object\(\)\) >> 12\n", errors)


@pytest.mark.parametrize(
    ("env", "said"),
    [
        (None, "name its Python file, --env FILE.py"),
        ("{file}:PrimaryBackup", "give only the file, {file}"),
        ("{folder}", "{folder} is a folder: name the Python file in it"),
        (
            "{folder}/notes.md",
            "{folder}/notes.md is not a scenario: a scenario in Python is a file",
        ),
    ],
)
def test_a_name_without_python_suffix_is_refused(
    env: str | None, said: str, protocol: Path, tmp_path: Path
) -> None:
    places = {"file": str(protocol), "folder": str(protocol.parent)}
    (protocol.parent / "notes.md").write_text("notes")
    found = find(protocol, tmp_path / "found")
    named = [] if env is None else ["--env", env.format(**places)]
    status, _, errors = call("replay", found["file"], *named)
    assert status == 2
    assert said.format(**places) in errors
    assert env is None or "module:" not in errors


def test_a_signal_ends_the_check_of_a_folder(
    protocol: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = find(protocol, tmp_path / "found")
    shutil.copytree(found["file"], tmp_path / "found" / "second")
    checked: list[Path] = []

    def interrupt(place: Path) -> Any:
        checked.append(place)
        signal.raise_signal(signal.SIGTERM)

    monkeypatch.setattr("defiance_zoo.command_line.commands.partition.read_recording", interrupt)
    status, _, _ = call("partition", "recheck", tmp_path / "found", "--env", protocol)
    assert status == 128 + signal.SIGTERM
    assert len(checked) == 1
