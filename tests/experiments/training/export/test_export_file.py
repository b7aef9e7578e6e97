# SPDX-License-Identifier: GPL-2.0-only
"""Policy files: their inputs, outputs and metadata."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
import torch
from google.protobuf import json_format
from gymnasium import spaces

import defiance_zoo
from defiance_zoo._proto.defiance.v1 import environment_pb2 as pb
from defiance_zoo.bridge.codec import decode_space
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.training.export.network import ActionHead, unflatten
from defiance_zoo.experiments.training.export.policy_file import write_policy_file

EVERY_KIND = spaces.Dict(
    {
        "tuple": spaces.Tuple(
            [spaces.MultiDiscrete([3, 2], start=[0, -1]), spaces.Box(0, 255, (1,), np.uint8)]
        ),
        "discrete": spaces.Discrete(5, start=-2),
        "box": spaces.Box(-9, 9, (2, 2), np.float64),
        "binary": spaces.MultiBinary((2, 2)),
    }
)
VALUE: dict[str, Any] = {
    "binary": np.array([[1, 0], [0, 1]], np.int8),
    "box": np.array([[0.5, -1.5], [2.25, 9]]),
    "discrete": np.int64(1),
    "tuple": (np.array([2, -1]), np.array([200], np.uint8)),
}
FLAT = [1, 0, 0, 1, 0.5, -1.5, 2.25, 9, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 200]


class Constant(torch.nn.Module):
    """A network with constant output, through the head of an action space."""

    def __init__(self, space: spaces.Space[Any], said: list[float], unsquash: bool = False) -> None:
        super().__init__()
        self.register_buffer("said", torch.tensor([said]))
        self._head = ActionHead(space, unsquash=unsquash)

    def forward(self, observation: torch.Tensor) -> torch.Tensor:
        action: torch.Tensor = self._head(self.said + 0 * observation.sum(dim=1, keepdim=True))
        return action


SHIPPED = sorted((Path(__file__).parents[4] / "envs").glob("*/trained*.onnx"))
assert SHIPPED


def answers(file: Path, observations: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the output of ONNX Runtime for flat observations."""
    session = onnxruntime.InferenceSession(str(file), providers=["CPUExecutionProvider"])
    (actions,) = session.run(["action"], {"observation": observations.astype(np.float32)})
    return np.asarray(actions)


def test_observations_are_flattened_in_the_documented_order() -> None:
    """cpp/test/bridge/policy/flatten-values-test-suite.cc has the same numbers."""
    assert EVERY_KIND.contains(VALUE)
    assert np.asarray(spaces.flatten(EVERY_KIND, VALUE)).tolist() == FLAT


def test_networks_receive_the_parts_of_an_observation() -> None:
    parts = unflatten(EVERY_KIND, torch.tensor([FLAT, FLAT]))
    assert list(parts) == ["binary", "box", "discrete", "tuple"]
    assert parts["box"].shape == (2, 2, 2)
    np.testing.assert_array_equal(parts["box"][1], VALUE["box"])
    assert parts["discrete"][0].tolist() == [0, 0, 0, 1, 0]
    one_hot, byte = parts["tuple"]
    assert one_hot[0].tolist() == [0, 0, 1, 1, 0]
    assert byte.tolist() == [[200], [200]]


@pytest.mark.parametrize(
    ("space", "said", "action"),
    [
        (spaces.Discrete(3), [0.1, 0.3, 0.2], 1),
        (spaces.Discrete(3, start=-5), [0.1, 0.3, 0.2], -4),
        (spaces.MultiDiscrete([2, 3], start=[0, 7]), [2, 1, 0, 1, 5], [0, 9]),
        (spaces.MultiDiscrete([[2], [2]]), [2, 1, 0, 1], [[0], [1]]),
        (spaces.MultiBinary(3), [0.5, -0.5, 0], [1, 0, 0]),
        (spaces.Box(-1, 1, (2, 2)), [-5, 5, 0.25, 1], [[-1, 1], [0.25, 1]]),
    ],
)
def test_actions_of_each_space_are_decoded(
    space: spaces.Space[Any], said: list[float], action: Any, tmp_path: Path
) -> None:
    file = tmp_path / "policy.onnx"
    write_policy_file(Constant(space, said), spaces.Box(-1, 1, (2,)), space, file, {})
    for rows in (1, 3):
        actions = answers(file, np.zeros((rows, 2)))
        assert actions.dtype == (np.float32 if isinstance(space, spaces.Box) else np.int64)
        assert actions.tolist() == [action] * rows


def test_squashed_actions_are_scaled_to_the_bounds(tmp_path: Path) -> None:
    space = spaces.Box(np.array([0, -2], np.float32), np.array([10, 2], np.float32))
    file = tmp_path / "policy.onnx"
    policy = Constant(space, [0.5, -3], unsquash=True)
    write_policy_file(policy, spaces.Box(-1, 1, (2,)), space, file, {})
    assert answers(file, np.zeros((1, 2))).tolist() == [[7.5, -2]]


def test_a_file_names_its_agents_and_spaces(tmp_path: Path) -> None:
    file = tmp_path / "policy.onnx"
    actions = spaces.Discrete(2)
    write_policy_file(Constant(actions, [0, 1]), EVERY_KIND, actions, file, {"agent": "agent_3"})
    model = onnx.load(file)
    onnx.checker.check_model(model, full_check=True)
    assert (model.producer_name, model.producer_version) == (
        "defiance-zoo",
        defiance_zoo.__version__,
    )
    reported = {entry.key: entry.value for entry in model.metadata_props}
    assert reported["agent"] == "agent_3"
    assert reported["action_space"] == "Discrete(2)"
    space = json_format.Parse(reported["defiance.v1.observation_space"], pb.Space())
    assert decode_space(space) == EVERY_KIND
    assert model.graph.input[0].type.tensor_type.shape.dim[1].dim_value == len(FLAT)


def test_a_file_contains_no_path_of_the_machine(tmp_path: Path) -> None:
    file = tmp_path / "policy.onnx"
    actions = spaces.Discrete(2)
    write_policy_file(Constant(actions, [0, 1]), EVERY_KIND, actions, file, {})
    assert_has_no_path(file)


@pytest.mark.parametrize("file", SHIPPED, ids=lambda file: file.parent.name)
def test_shipped_policies_contain_no_path_of_a_machine(file: Path) -> None:
    assert_has_no_path(file)


def assert_has_no_path(file: Path) -> None:
    content = file.read_bytes()
    assert b"site-packages" not in content
    assert b'File "' not in content


@pytest.mark.parametrize(
    "space", [spaces.Text(3), spaces.Dict({"a": spaces.Tuple([spaces.Text(3)])})]
)
def test_spaces_with_texts_are_refused(space: spaces.Space[Any], tmp_path: Path) -> None:
    actions = spaces.Discrete(2)
    with pytest.raises(ParameterError, match="a text"):
        write_policy_file(Constant(actions, [0, 1]), space, actions, tmp_path / "policy.onnx", {})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "space", [spaces.Box(0, 9, (2,), np.int32), spaces.Tuple([spaces.Discrete(2)])]
)
def test_unsupported_action_spaces_are_refused(space: spaces.Space[Any]) -> None:
    with pytest.raises(ParameterError, match="cannot be exported"):
        ActionHead(space, unsquash=False)
