# SPDX-License-Identifier: GPL-2.0-only
"""Differences in replays are found, and recordings that cannot be played are refused."""

from __future__ import annotations

import contextlib
import json
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from gymnasium.spaces import Discrete
from partition_support import follow, keep
from recording_support import play_again, record_violation

from defiance_zoo.bridge.simulation import Scenario
from defiance_zoo.environments import EnvironmentSpec
from defiance_zoo.envs import partition_v0
from defiance_zoo.errors import (
    InvalidRecording,
    OtherVersion,
    ParameterError,
    ReplayDiverged,
    SimulationCrashed,
)
from defiance_zoo.recording import Record, Recording, read_recording, replay
from defiance_zoo.recording.replaying import open_recorded

AGENT = "agent_0"
RAFT, TENDERMINT = partition_v0.SPEC, partition_v0.TENDERMINT_SPEC


@pytest.fixture(scope="module")
def violating(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recording of an episode that violates agreement, in a single file."""
    folder = tmp_path_factory.mktemp("violating")
    path = folder / "violating.json"
    path.write_text(read_recording(record_violation(folder / "episodes")).to_json())
    return path


def change(path: Path, into: Path, *where: Any, value: Any) -> Path:
    """Write a copy of a recording with one changed value."""
    plain = json.loads(path.read_text())
    place = plain
    for key in where[:-1]:
        place = place[key]
    assert place[where[-1]] != value
    place[where[-1]] = value
    changed = into / "changed.json"
    changed.write_text(json.dumps(plain))
    return changed


@pytest.mark.parametrize(
    ("where", "value", "message"),
    [
        (("asked", AGENT, "info", "state_hash"), "0" * 64,
         r"step 3 \(after agent_0: 24\) is the first difference: info 'state_hash' of agent_0"),
        (("asked", AGENT, "info", "concrete_hash"), "0" * 64, r"step 3 .*'concrete_hash'"),
        (("asked", AGENT, "info", "violations"), "agreement: 1", r"step 3 .*'violations'"),
        (("time_ns",), 5, "step 3 .*the simulated time in ns is [0-9]+, but was 5"),
        (("asked", AGENT, "reward"), 1.0, r"step 3 .*the reward of agent_0 is 0.0, but was 1.0"),
    ],
)  # fmt: skip
def test_differences_in_a_replay_are_found(
    where: tuple[Any, ...], value: Any, message: str, violating: Path, tmp_path: Path
) -> None:
    changed = change(violating, tmp_path, "rounds", 3, *where, value=value)
    with pytest.raises(ReplayDiverged, match=message):
        play_again(read_recording(changed))


def test_other_spaces_in_a_replay_are_found(tmp_path: Path) -> None:
    recording = read_recording(record_violation(tmp_path))
    observations, actions = recording.spaces[AGENT]
    others = {AGENT: (observations, Discrete(int(actions.n) + 1))}
    message = r"the reset is the first difference: the action space of agent_0 is Discrete\("
    with pytest.raises(ReplayDiverged, match=message):
        play_again(replace(recording, spaces=others))


@pytest.mark.parametrize(
    ("where", "value", "error", "message"),
    [
        (("recording",), 2, OtherVersion, "version 2 of the format, but this version reads 1"),
        (("versions", "defiance-zoo"), "9.9", OtherVersion, "recorded with defiance-zoo 9.9, but"),
        (("environment",), "partition_v7", OtherVersion, "in partition_v7, but here is "),
        (("parameters", "protocol"), "paxos", ParameterError, "protocol='paxos' is not one of"),
        (("parameters", "bugs"), 1, ParameterError, "has no such parameter"),
        (("rounds", 2, "actions"), {}, InvalidRecording, r"\['agent_0'\] must act, but \[\] act"),
        (("rounds", 2, "time_ns"), "later", InvalidRecording, r"rounds\[2\].time_ns is not a w"),
        (("rounds",), [], InvalidRecording, "it has no rounds"),
        (("outcome",), "well", InvalidRecording, "outcome='well' is not one of"),
    ],
)  # fmt: skip
def test_bad_files_are_refused(
    where: tuple[Any, ...], value: Any, error: type[Exception], message: str,
    violating: Path, tmp_path: Path,
) -> None:  # fmt: skip
    if where == ("parameters", "bugs"):
        plain = json.loads(violating.read_text())
        plain["parameters"]["bugs"] = 1
        changed = tmp_path / "changed.json"
        changed.write_text(json.dumps(plain))
    else:
        changed = change(violating, tmp_path, *where, value=value)
    with pytest.raises(error, match=message):
        open_recorded(read_recording(changed))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is damaged, or not a recording"),
        (b'{"recording": 1', "is damaged, or not a recording"),
        (b"\xff\xfe\x00", "is damaged, or not a recording"),
        (b"[" * 100_000, "is damaged, or not a recording"),
        (b"[1]", "is not a recording: it is not an object"),
        (b'{"recording": 1}', "is damaged: it has no versions"),
        (b'{"recording": true}', "recording is not a whole number"),
    ],
)
def test_files_that_are_no_recording_are_refused(
    content: bytes, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "file.json"
    path.write_bytes(content)
    with pytest.raises(InvalidRecording, match=message):
        read_recording(path)
    with pytest.raises(InvalidRecording, match="cannot be read: No such file"):
        read_recording(tmp_path / "missing.json")


@pytest.mark.parametrize(
    ("action", "message"), [(20, "the action_mask of agent_0 forbids action 20"), ("no", "")]
)
def test_a_forbidden_action_is_refused_in_the_replay(
    action: Any, message: str, violating: Path, tmp_path: Path
) -> None:
    changed = change(violating, tmp_path, "rounds", 2, "actions", AGENT, value=action)
    with pytest.raises(InvalidRecording, match=f"round 2 cannot be played: {message}"):
        play_again(read_recording(changed))


def test_an_action_outside_of_a_masked_space_is_refused_in_the_replay(tmp_path: Path) -> None:
    env = RAFT.raw_env(record=tmp_path, illegal_actions="keep", horizon=3)
    for _ in follow(env, keep):
        pass
    env.close()
    (folder,) = tmp_path.iterdir()
    path = tmp_path / "single.json"
    path.write_text(read_recording(folder).to_json())
    changed = change(path, tmp_path, "rounds", 1, "actions", AGENT, value=99)
    with pytest.raises(InvalidRecording, match=r"round 1 cannot be played: .*Discrete\(13\)"):
        play_again(read_recording(changed))


def test_failures_are_recorded_and_repeated(tmp_path: Path) -> None:
    """A simulation that aborted aborts again; the replay of a killed one continues."""
    told: list[Recording] = []
    record = Record(tmp_path, keep=lambda recording: not told.append(recording))
    scenario = Scenario("partition_v0", "partition", refuses_masked=False)
    careless = EnvironmentSpec("partition_v0", scenario)
    env = careless.raw_env(record=record)
    for action in (12, 0):  # illegal, or received in time for the end of its process
        env.reset(seed=1)
        env.step(0)
        if action == 0:
            _, process = env._episodes.launcher.require().conversation
            assert process is not None
            signal.pidfd_send_signal(process.exit_fd, signal.SIGKILL)
        with pytest.raises(SimulationCrashed):
            env.step(action)
    env.close()
    assert len(list(tmp_path.iterdir())) == 2
    assert [each.outcome for each in told] == ["failed", "failed"]
    assert "action 12 is illegal" in told[0].failure
    with contextlib.closing(careless.episodes("sequential")) as episodes:
        replay(told[0], episodes)
        with pytest.raises(ReplayDiverged, match=r"step 2 .* the simulation is going"):
            replay(told[1], episodes)
