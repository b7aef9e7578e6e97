# SPDX-License-Identifier: GPL-2.0-only
"""RLlib's env runners record into one folder from separate processes."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
import torch
from rllib_support import RAY_WARNINGS, SMALL

from defiance_zoo.recording import Record, read_recording, replay
from defiance_zoo.recording.replaying import open_recorded
from defiance_zoo.wrappers.rllib.config import rllib_config

pytestmark = RAY_WARNINGS
torch.set_num_threads(1)


@pytest.mark.thorough
@pytest.mark.timeout(600)
@pytest.mark.usefixtures("local_ray")
def test_env_runners_record_to_one_folder(tmp_path: Path) -> None:
    record = Record(tmp_path, name="sampled", keep=lambda recording: recording.outcome == "ended")
    arguments = {"carts": 2, "transport": "udp", "max_cycles": 8, "record": record}
    config = rllib_config("PPO", "cart_pole_v0", **arguments).env_runners(num_env_runners=2)
    built = config.update_from_dict(SMALL["PPO"]).debugging(seed=1).build_algo()
    try:
        sampled = built.train()["env_runners"]["num_episodes_lifetime"]
    finally:
        built.stop()
    recordings = [read_recording(path) for path in sorted(tmp_path.iterdir())]
    assert len(recordings) >= sampled >= 4
    assert len({each.rng.seed for each in recordings}) == 2
    for recording in recordings:
        assert recording.interface == "simultaneous"
        with contextlib.closing(open_recorded(recording)) as episodes:
            replay(recording, episodes)
