# SPDX-License-Identifier: GPL-2.0-only
"""Recorded actions, played with parameters that change the list of all actions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from defiance_zoo.errors import InvalidRecording, ParameterError
from defiance_zoo.protocols.checking import check_protocol
from defiance_zoo.protocols.rechecking import recheck_violation
from defiance_zoo.recording import Recording, read_recording


def record(folder: Path, **arguments: Any) -> Recording:
    with pytest.raises(AssertionError, match="commit_durability"):
        check_protocol("partition_v0", bug="R7", seeds=5, folder=folder, **arguments)
    (found,) = folder.iterdir()
    return read_recording(found)


@pytest.mark.parametrize(
    ("recorded", "changed"),
    [({"max_blocks": 2}, {"max_blocks": 0}), ({"healing": "on_demand"}, {"with_delays": True})],
)
def test_actions_with_other_numbers_have_their_recorded_meanings(
    recorded: dict[str, Any], changed: dict[str, Any], tmp_path: Path
) -> None:
    recording = record(tmp_path, **recorded)
    found = recheck_violation(recording, parameters=changed)
    assert found.violation.startswith("commit_durability: ")
    assert found == recheck_violation(recording)


@pytest.mark.parametrize(
    "changed", [{"num_replicas": 2}, {"num_replicas": 5}, {"with_delays": False}]
)
def test_actions_that_are_no_longer_there_are_named(
    changed: dict[str, Any], tmp_path: Path
) -> None:
    recording = record(tmp_path, with_delays=True)
    with pytest.raises(ParameterError, match="infos='hashes'"):
        recheck_violation(recording, parameters={"infos": "hashes"})
    with pytest.raises(InvalidRecording, match="the next action is no longer allowed"):
        recheck_violation(recording, parameters=changed)
