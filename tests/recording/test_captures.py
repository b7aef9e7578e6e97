# SPDX-License-Identifier: GPL-2.0-only
"""Packet captures next to recordings."""

from __future__ import annotations

import gc
import json
from pathlib import Path
from typing import Any

import pytest
from partition_support import follow, keep
from recording_support import frames, play_again

from defiance_zoo.envs import partition_v0
from defiance_zoo.errors import ParameterError, SimulationTimeout, SnapshotRefused
from defiance_zoo.recording import Record, read_recording

RAFT, TENDERMINT = partition_v0.SPEC, partition_v0.TENDERMINT_SPEC


@pytest.mark.parametrize("topology", ["star", "csma", "wifi"])
def test_packets_are_captured_in_a_file_for_each_link(topology: str, tmp_path: Path) -> None:
    """A file has at least one frame for each message that its replica sent or received."""
    env = RAFT.raw_env(record=Record(tmp_path, pcap=True), topology=topology, horizon=20)
    for _ in follow(env, keep):
        pass
    env.reset(seed=1)
    with pytest.raises(SnapshotRefused, match="packets are captured"):
        env.snapshot()
    env.close()
    (folder,) = tmp_path.iterdir()
    names = tuple(f"link-replica-{number}.pcap" for number in (1, 2, 3))
    assert tuple(sorted(each.name for each in folder.glob("*.pcap"))) == names
    recording = read_recording(folder)
    assert recording.captures == names
    assert "pcap" not in recording.parameters
    events = [e for _, _, i in recording.infos() for e in json.loads(i["message_events"])]
    for replica in (1, 2, 3):
        own = [e for e in events if (e["event"], e["from"]) == ("sent", replica)]
        own += [e for e in events if (e["event"], e["to"]) == ("arrived", replica)]
        captured = list(frames(folder / names[replica - 1]))
        assert len(own) > 5
        assert len(captured) >= len(own)
        assert topology != "star" or len(captured) == len(own)
    play_again(recording)


def test_an_environment_that_was_not_closed_leaves_only_its_episode(
    tmp_path: Path,
) -> None:
    for steps in (0, 1):
        env = RAFT.raw_env(record=Record(tmp_path / "folder", pcap=True))
        env.reset(seed=1)
        for _ in range(steps):
            env.step(0)
        (folder,) = (tmp_path / "folder").iterdir()
        assert len(list(folder.glob("*.pcap"))) == 3
        del env
        gc.collect()
        assert (tmp_path / "folder").exists() == bool(steps)
    recording = read_recording(folder)
    assert (recording.outcome, len(recording.decisions)) == ("unfinished", 1)
    assert len(recording.captures) == 3


def test_a_simulation_started_by_hand_gets_no_capture_path(tmp_path: Path) -> None:
    """It may run on another machine."""
    told: list[Any] = []
    arguments = {"launch": "attach", "attach_timeout": 0.01, "announce": told.append}
    env = RAFT.raw_env(record=Record(tmp_path, pcap=True), horizon=7, **arguments)
    with pytest.raises(SimulationTimeout):
        env.reset(seed=1)
    env.close()
    (command,) = told
    assert "horizon=7" in str(command)
    assert str(tmp_path) not in str(command)


def test_captures_are_refused_for_programs_without_them(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"pcap=.*there is no folder"):
        RAFT.raw_env(pcap=str(tmp_path / "missing" / "x")).reset()
    with pytest.raises(ParameterError, match="is not a folder that can be written to"):
        RAFT.raw_env(record=Path(__file__))
    with pytest.raises(ParameterError, match="is neither a folder nor a Record"):
        RAFT.raw_env(record=3)
    assert list(tmp_path.iterdir()) == []
