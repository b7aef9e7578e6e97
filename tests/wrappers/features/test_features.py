# SPDX-License-Identifier: GPL-2.0-only
"""Features by name, for any space, and stacks of frames."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from gymnasium import spaces

from defiance_zoo.errors import ParameterError
from defiance_zoo.wrappers.features import FeatureSource, FeatureView, FrameStack

PAIR = spaces.Box(-9, 9, (2,), np.float32)
PARTS = spaces.Dict(
    {
        "action_mask": spaces.Box(0, 1, (3,), np.int8),
        "a": spaces.Discrete(2, start=5),
        "z": spaces.Tuple([spaces.Box(-9, 9, (1, 2), np.float64), spaces.MultiBinary(1)]),
    }
)
"""The flat mask is between the flat parts."""

HEADER = """
import numpy as np
import torch
from gymnasium import spaces
from defiance_zoo.wrappers.features import Features

class Mean(Features):
    def __init__(self, width: int, factor: float = 1.0, *, noise: bool = False) -> None:
        super().__init__()
        self.space = spaces.Box(-5, 5, (1,), np.float32)
        self.state_size = 2
        weights = torch.rand(width) if noise else torch.full((width,), 1 / width)
        self.register_buffer("weights", weights * factor)

    def forward(self, observation, state):
        total = state[:, :1] + (observation * self.weights).sum(dim=1, keepdim=True)
        count = state[:, 1:] + 1
        return total / count, torch.cat([total, count], dim=1)
"""
"""Features: the mean of all observations in the episode."""


def write(folder: Path, text: str = "") -> str:
    """Write a file of features, and return its path."""
    folder.mkdir(exist_ok=True)
    file = folder / "my_features.py"
    file.write_text(HEADER + text)
    return str(file)


def observe(view: FeatureView, observations: list[Any]) -> list[Any]:
    """Return the observations of an agent's policy in an episode."""
    state, seen = view.states(1), []
    for each in observations:
        shown, state = view.observe_one(each, state)
        seen.append(shown)
    return seen


def test_a_stack_begins_with_the_first_observation() -> None:
    view = FeatureView(FeatureSource("FrameStack", {"frames": 3}), PAIR)
    observations = [np.array([i, -i], np.float32) for i in (4, 5, 6, 7)]
    assert [each.tolist() for each in observe(view, observations)] == [
        [4, -4, 4, -4, 4, -4],
        [4, -4, 4, -4, 5, -5],
        [4, -4, 5, -5, 6, -6],
        [5, -5, 6, -6, 7, -7],
    ]
    assert view.space.shape == (6,)
    single = FeatureView(FeatureSource("FrameStack", {"frames": 1}), PAIR)
    assert [each.tolist() for each in observe(single, observations)][1] == [5, -5]


def test_a_stack_is_exact_for_numbers_of_any_type() -> None:
    stack = FrameStack(2, frames=2)
    first = torch.tensor([[np.inf, 1e-30]])
    shown, state = stack(first, torch.zeros(1, stack.state_size))
    assert shown.tolist() == [[*first[0].tolist()] * 2]
    shown, _ = stack(torch.tensor([[0.1, -np.inf]]), state)
    assert shown[0, :2].tolist() == first[0].tolist()


def test_symmetric_logarithms_are_as_computed_by_hand() -> None:
    view = FeatureView(FeatureSource("Symlog"), PAIR)
    (seen,) = observe(view, [np.array([np.e - 1, -(np.e**2 - 1)], np.float32)])
    assert seen == pytest.approx([1, -2])
    assert observe(view, [np.zeros(2, np.float32)])[0].tolist() == [0, 0]


def test_a_summary_has_logarithms_of_the_observation_its_mean_and_its_peak() -> None:
    view = FeatureView(FeatureSource("Summary", {"rate": 0.5, "decay": 0.5}), PAIR)
    observations = [np.array(each, np.float32) for each in ((8, -8), (2, 0), (3, 4))]
    observed = [np.expm1(np.abs(each)) * np.sign(each) for each in observe(view, observations)]
    expected = [[8, -8, 8, -8, 8, -8], [2, 0, 5, -4, 4, 0], [3, 4, 4, 0, 3, 4]]
    np.testing.assert_allclose(observed, expected, rtol=1e-6)


@pytest.mark.parametrize("options", [{"rate": 0.0}, {"rate": 1.1}, {"decay": -0.1}, {"decay": 2}])
def test_a_summary_refuses_options_outside_their_range(options: dict[str, float]) -> None:
    with pytest.raises(ParameterError, match="is not"):
        FeatureView(FeatureSource("Summary", options), PAIR)


def test_masks_are_kept_and_all_other_parts_flattened() -> None:
    view = FeatureView(FeatureSource("FrameStack", {"frames": 2}), PARTS)
    assert view.space == spaces.Dict(
        {
            "action_mask": PARTS["action_mask"],
            "observations": spaces.Box(-np.inf, np.inf, (10,), np.float32),
        }
    )
    mask = np.array([1, 0, 1], np.int8)
    value = {"action_mask": mask, "a": 6, "z": (np.array([[0.5, -3]]), np.array([1], np.int8))}
    assert PARTS.contains({**value, "a": np.int64(6)})
    (seen,) = observe(view, [value])
    assert seen["action_mask"] is not None
    assert view.space.contains(seen)
    assert seen["action_mask"].tolist() == [1, 0, 1]
    assert seen["observations"].tolist() == [0, 1, 0.5, -3, 1] * 2
    flat = torch.tensor(np.array([spaces.flatten(PARTS, value)], np.float32))
    features, _ = view(flat, torch.zeros(1, view.state_size))
    assert features.tolist() == [spaces.flatten(view.space, seen).tolist()]


def test_agents_of_a_batch_have_separate_states() -> None:
    view = FeatureView(FeatureSource("FrameStack", {"frames": 2}), PAIR)
    batch = np.array([[1, 2], [3, 4]], np.float32)
    _, states = view.observe(batch, view.states(2))
    seen, _ = view.observe(batch + 10, np.stack([states[0], np.zeros_like(states[1])]))
    assert seen.tolist() == [[1, 2, 11, 12], [13, 14, 13, 14]]


def test_an_overwritten_observation_does_not_change_the_state(tmp_path: Path) -> None:
    file = write(
        tmp_path,
        """
class Last(Features):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.space = spaces.Box(-9, 9, (width,), np.float32)
        self.state_size = width

    def forward(self, observation, state):
        return observation, observation
""",
    )
    view = FeatureView(FeatureSource(f"{file}:Last"), PAIR)
    shown, state = view.observe_one(np.ones(2, np.float32), view.states(1))
    shown[:] = 7
    assert state.tolist() == [[1, 1]]


def test_a_class_from_a_file_gets_its_options(tmp_path: Path) -> None:
    source = FeatureSource(f"{write(tmp_path)}:Mean", {"factor": 2.0})
    seen = observe(FeatureView(source, PAIR), [np.array([1, 1]), np.array([0, 4])])
    assert [each.tolist() for each in seen] == [[2], [3]]
    assert source.digest() == hashlib.sha256(Path(write(tmp_path)).read_bytes()).hexdigest()
    assert FeatureSource("FrameStack").digest() == ""


def test_random_weights_follow_the_seed(tmp_path: Path) -> None:
    place = f"{write(tmp_path)}:Mean"

    def weights(seed: int) -> Any:
        return FeatureSource(place, {"noise": True}, seed).make(3).weights.tolist()

    state = torch.get_rng_state()
    assert weights(1) == weights(1) != weights(2)
    assert torch.equal(state, torch.get_rng_state())


@pytest.mark.parametrize(
    ("place", "options", "words"),
    [
        ("FrameStak", {}, r"'FrameStak' is missing; did you mean 'FrameStack'\?"),
        ("Features", {}, r"'Features' is not a subclass"),
        ("defiance_zoo.errors:ParameterError", {}, "'ParameterError' is not a subclass"),
        ("no_such_module:Mean", {}, "there is no module 'no_such_module'"),
        ("not a module:Mean", {}, "there is no module 'not a module'"),
        ("/nowhere/mine.py:Mean", {}, "there is no file /nowhere/mine.py"),
        ("FrameStack", {"frame": 2}, r"no option 'frame'; did you mean 'frames'\?"),
        ("FrameStack", {"frames": 0}, "frames=0 is not a whole number of at least 1"),
        ("FrameStack", {"frames": 2.5}, "frames=2.5 is not a whole number"),
    ],
)
def test_an_unknown_name_is_refused(place: str, options: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError, match=f"features='{place}': .*{words}"):
        FeatureSource(place, options).make(2)


FAULTY = {
    "other": ("self.space = spaces.Discrete(2)", "", "its space is Discrete(2)"),
    "doubles": (
        "self.space = spaces.Box(-1, 1, (1,), np.float64)",
        "",
        "its space is Box(-1.0, 1.0, (1,), float64)",
    ),
    "size": ("self.state_size = -1", "", "its state_size is -1"),
    "single": ("", "return observation", "forward() does not return two tensors"),
    "array": ("", "return np.ones((3, 1)), state", "features that are a ndarray"),
    "wide": (
        "",
        "return observation, state",
        "features that are torch.float32 of shape (3, 2), not torch.float32 of shape (3, 1)",
    ),
    "precise": ("", "return observation[:, :1].double(), state", "torch.float64 of shape (3, 1)"),
    "short": ("", "return observation[:, :1], state[:, :1]", "states that are torch.float32"),
    "chance": ("", "return torch.rand(len(state), 1), state", "different values for equal"),
    "batch": ("", "return observation.mean().expand(len(state), 1), state", "the other rows"),
    "raises": ("", "raise RuntimeError('my fault')", "my_features.py:24: RuntimeError: my fault"),
    "init": ("raise KeyError('k')", "", "my_features.py:22: KeyError: 'k'"),
}
CLASS = """
class Faulty(Mean):
    def __init__(self, width: int) -> None:
        super().__init__(width); {}
    def forward(self, observation, state):
        {}
"""


@pytest.mark.parametrize("fault", FAULTY)
def test_a_class_that_breaks_the_contract_is_refused(fault: str, tmp_path: Path) -> None:
    init, forward, words = FAULTY[fault]
    text = CLASS.format(init or "pass", forward or "return observation[:, :1], state")
    place = f"{write(tmp_path, text)}:Faulty"
    with pytest.raises(ParameterError) as error:
        FeatureSource(place).make(2)
    assert str(error.value).startswith(f"features='{place}': ")
    assert words in str(error.value)


def test_an_edited_file_is_imported_again(tmp_path: Path) -> None:
    """As in a notebook, in which someone edits the features and trains again."""
    place = f"{write(tmp_path)}:Mean"
    first = FeatureSource(place).find()
    assert FeatureSource(place).find() is first
    write(tmp_path, "\nMean.edited = True\n")
    assert vars(FeatureSource(place).find())["edited"]


def test_a_file_that_cannot_be_imported_is_refused_with_its_line(tmp_path: Path) -> None:
    place = f"{write(tmp_path, 'undefined()')}:Mean"
    with pytest.raises(ParameterError, match=r"my_features.py:\d+: NameError"):
        FeatureSource(place).find()
    with pytest.raises(ParameterError, match=r"has no 'width2', which the class needs"):
        FeatureSource(f"{write(tmp_path / 'b', NEEDY)}:Needy").find()


NEEDY = """
class Needy(Mean):
    def __init__(self, width, width2): ...
"""


@pytest.mark.parametrize("number", [np.nan, np.inf, 6.0])
def test_features_outside_of_their_space_are_refused(number: float, tmp_path: Path) -> None:
    view = FeatureView(FeatureSource(f"{write(tmp_path)}:Mean"), PAIR)
    with pytest.raises(ParameterError, match=r"feature 0 is .*, which is not in Box"):
        observe(view, [np.array([number, number])])


def test_observations_without_a_fixed_size_are_refused() -> None:
    with pytest.raises(ParameterError, match=r"need observations of a fixed size.*Sequence"):
        FeatureView(FeatureSource("FrameStack"), spaces.Sequence(PAIR))
