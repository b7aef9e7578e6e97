# SPDX-License-Identifier: GPL-2.0-only
"""A policy file makes the same choices in the simulation as the policy through Python."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from defiance_zoo.bridge.system.extras import onnxruntime_library
from defiance_zoo.command_line.commands.debug import alone
from defiance_zoo.envs import wifi_rate_control_v0
from defiance_zoo.experiments.training.export.policy_file import write_policy_file
from defiance_zoo.recording import Record

ARGUMENTS: dict[str, Any] = {
    "control": "per_frame",
    "observation": "smoothed",
    "distance": 30,
    "fading": 3,
    "duration": "0.3s",
}


RATES = (8.6, 17.2, 25.8, 34.4, 51.6, 68.8, 77.4, 86.0, 103.2, 114.7, 129.0, 143.4)


class Network(torch.nn.Module):
    """A network that takes the rate with the largest data rate times smoothed success ratio."""

    def __init__(self) -> None:
        super().__init__()
        self.rates = torch.nn.Parameter(torch.tensor(RATES))

    def forward(self, observation: torch.Tensor) -> torch.Tensor:
        """Return the indices of rates, shape (batch,)."""
        return torch.argmax(self.rates * observation[:, :12], dim=1)


def captured(folder: Path) -> dict[str, bytes]:
    """Return the captured packets of all devices in an episode, with their times in ns."""
    return {path.name: path.read_bytes() for path in folder.glob("*.pcap")}


def test_the_policy_file_chooses_each_frame_like_python(tmp_path: Path) -> None:
    """Equal frames at equal nanoseconds: at another rate, a frame has another duration."""
    network = Network().eval()
    record = Record(tmp_path / "python", pcap=True)
    env = wifi_rate_control_v0.raw_env(link="local", record=record, **ARGUMENTS)
    actions = []
    env.reset(seed=4)
    total = float(env.infos["agent_0"].get("initial_reward", 0.0))
    with torch.no_grad():
        for _ in env.agent_iter():
            observation, reward, _, truncated, _ = env.last()
            total += reward
            if not truncated:
                actions.append(int(network(torch.as_tensor(np.array(observation))[None])[0]))
            env.step(None if truncated else actions[-1])
    env.close()
    file = tmp_path / "policy.onnx"
    seen = env.observation_space("agent_0")
    write_policy_file(network, seen, env.action_space("agent_0"), file, {})
    inside = tmp_path / "inside"
    inside.mkdir()
    command = alone(
        wifi_rate_control_v0.SPEC.scenario,
        ARGUMENTS,
        4,
        f"--policy={file}",
        DEFIANCE_ONNXRUNTIME=str(onnxruntime_library()),
        DEFIANCE_RECORD_TO=str(inside),
        DEFIANCE_RECORD_PCAP="true",
    )
    done = subprocess.run(
        [command.program, *command.arguments],
        env=dict(command.variables),
        capture_output=True,
        text=True,
        check=True,
    )
    told = re.search(r"^agent_0: (\d+) decisions, return (\S+), truncated$", done.stdout, re.M)
    assert told is not None, done.stdout
    assert len(set(actions)) > 2
    assert int(told[1]) == len(actions) > 200
    assert float(told[2]) == pytest.approx(total, rel=1e-5)
    sent = captured(inside)
    assert sum(map(len, sent.values())) > 200 * 1500
    assert captured(record.written[0]) == sent
