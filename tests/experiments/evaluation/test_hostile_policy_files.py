# SPDX-License-Identifier: GPL-2.0-only
"""Hostile policy files are refused, or decide within limits, in Python and in simulations."""

from __future__ import annotations

import re
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import torch
from gymnasium import spaces
from hostile_policies import NAMES, hostile_policies
from onnx import TensorProto, helper, numpy_helper

from defiance_zoo.bridge.system.extension import exchange_module
from defiance_zoo.bridge.system.extras import onnxruntime_library
from defiance_zoo.environments import lookup
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.evaluation import FilePolicy
from defiance_zoo.experiments.training.export.policy_file import write_policy_file

PAGE = Path(__file__).resolve().parents[3] / "docs" / "training" / "export.md"
DECIDED = {"most nodes", "most different nodes", "doubled by sum"}
"""Files at the limits, which decide."""
MOST_S, MOST_BYTES = 10, 10**9


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all hostile files."""
    folder = tmp_path_factory.mktemp("hostile")
    for name, content in hostile_policies():
        (folder / f"{name}.onnx").write_bytes(content)
    return folder


def test_python_refuses_hostile_files_or_decides(folder: Path) -> None:
    assert len(NAMES) >= 60
    decided = set()
    for file in sorted(folder.iterdir()):
        began = time.process_time()
        try:
            policy = FilePolicy(file)
        except ParameterError:
            pass
        else:
            assert policy.act("agent_0", np.zeros(4, np.float32), {}) in (0, 1)
            decided.add(file.stem)
        assert time.process_time() - began < MOST_S, file.stem
    assert decided == DECIDED


def test_python_needs_no_memory_for_hostile_files(folder: Path) -> None:
    """A process of its own has only the memory of this test, and not what its parent had."""
    code = (
        "import re, sys\n"
        "from pathlib import Path\n"
        "from defiance_zoo.errors import ParameterError\n"
        "from defiance_zoo.experiments.evaluation import FilePolicy\n"
        "for file in Path(sys.argv[1]).iterdir():\n"
        "    try:\n        FilePolicy(file)\n    except ParameterError:\n        pass\n"
        "status = Path('/proc/self/status').read_text()\n"
        "print(int(re.search(r'VmHWM:\\s*([0-9]+) kB', status)[1]) * 1024)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, folder], check=True, capture_output=True, text=True
    )
    assert int(done.stdout) < MOST_BYTES


def run_alone(file: Path) -> subprocess.CompletedProcess[str]:
    """Run a simulation that decides by a file, with limits of memory and processor time."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_DATA, (MOST_BYTES, MOST_BYTES))
        resource.setrlimit(resource.RLIMIT_CPU, (MOST_S, MOST_S))

    return subprocess.run(
        [lookup("cart_pole_v0").scenario.locate(), f"--policy={file}"],
        env={"DEFIANCE_ONNXRUNTIME": str(onnxruntime_library())},
        preexec_fn=limit, capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.mark.parametrize(
    "name",
    [
        name if i % 10 == 0 or name in DECIDED else pytest.param(name, marks=pytest.mark.long)
        for i, name in enumerate(NAMES)
    ],
)
def test_a_simulation_refuses_a_hostile_file_or_decides(name: str, folder: Path) -> None:
    file = folder / f"{name}.onnx"
    done = run_alone(file)
    if name in DECIDED:
        assert done.returncode == 0 or "its action" in done.stderr
    else:
        assert (done.returncode, done.stdout) == (2, "")
        assert f"policy file '{file}': " in done.stderr


@pytest.mark.long
def test_mutated_files_are_refused_or_decide() -> None:
    """Changed bytes never end the process: what passes the check, the runtime can load."""
    whole = bytearray(lookup("cart_pole_v0").trained.read_bytes())  # type: ignore[union-attr]
    draw, passed = np.random.default_rng(1), 0
    for _ in range(20_000):
        changed = bytearray(whole)
        for at in draw.integers(len(whole), size=draw.integers(1, 4)):
            changed[at] = draw.integers(256)
        try:
            exchange_module().check_policy(bytes(changed))
            passed += 1
        except ValueError:
            continue
    assert 0 < passed < 20_000


class Layers(torch.nn.Module):
    """A convolutional network with the layers of many policies."""

    def __init__(self) -> None:
        """Make the layers."""
        super().__init__()
        self.layers = torch.nn.Sequential(
            torch.nn.Conv2d(3, 16, 3, stride=2, padding=1), torch.nn.BatchNorm2d(16),
            torch.nn.ReLU(), torch.nn.MaxPool2d(2), torch.nn.Conv2d(16, 16, 3, groups=4),
            torch.nn.GroupNorm(4, 16), torch.nn.SiLU(), torch.nn.AdaptiveAvgPool2d(1),
            torch.nn.Flatten(), torch.nn.LayerNorm(16), torch.nn.GELU(), torch.nn.Linear(16, 5),
        )  # fmt: skip

    def forward(self, observation: torch.Tensor) -> torch.Tensor:
        """Return the action of the largest output."""
        return self.layers(observation.reshape(-1, 3, 32, 32)).argmax(1)


class Attending(torch.nn.Module):
    """A recurrent network with attention over a history."""

    def __init__(self) -> None:
        """Make the layers."""
        super().__init__()
        self.attention = torch.nn.MultiheadAttention(128, 2, batch_first=True)
        self.memory = torch.nn.GRU(128, 8, batch_first=True)
        self.head = torch.nn.Linear(8, 5)

    def forward(self, observation: torch.Tensor) -> torch.Tensor:
        """Return the action of the largest output."""
        history = observation.reshape(-1, 24, 128)
        seen, _ = self.memory(self.attention(history, history, history)[0])
        return self.head(seen[:, -1]).argmax(1)


@pytest.mark.long
@pytest.mark.parametrize("network", [Layers, Attending])
def test_networks_of_others_are_accepted(network: type[torch.nn.Module], tmp_path: Path) -> None:
    file, seen = tmp_path / "policy.onnx", np.zeros(3072, np.float32)
    box = spaces.Box(-1, 1, (3072,), np.float32)
    made = network()
    write_policy_file(made, box, spaces.Discrete(5), file, {})
    assert FilePolicy(file).act("agent_0", seen, {}) == int(made(torch.as_tensor(seen)[None]))


def test_a_large_network_is_accepted(tmp_path: Path) -> None:
    """30 million weights in one file."""
    weights = numpy_helper.from_array(np.zeros((4, 7_500_000), np.float32), "w")
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["observation", "w"], ["x"]),
         helper.make_node("ArgMax", ["x"], ["action"], axis=1, keepdims=0)],
        "g",
        [helper.make_tensor_value_info("observation", TensorProto.FLOAT, ["batch", 4])],
        [helper.make_tensor_value_info("action", TensorProto.INT64, ["batch"])],
        [weights],
    )  # fmt: skip
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    exchange_module().check_policy(model.SerializeToString())


def test_the_page_lists_the_operators() -> None:
    section = PAGE.read_text().partition("## Operators")[2].partition("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("| ")]
    listed = [name for row in rows for name in re.findall(r"`(\w+)`", row.split("|")[2])]
    assert sorted(listed) == exchange_module().policy_operators()
