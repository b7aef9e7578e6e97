# SPDX-License-Identifier: GPL-2.0-only
"""Deciders are found by name or file, and invalid ones are refused before anything starts."""

from __future__ import annotations

from pathlib import Path

import onnx
import pytest

import defiance_zoo
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.real_paths.measurement import Link, Transfer, find_decider, find_gap


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("trained", {"observation": "history", "action_space": "continuous"}),
        ("bdp_window", {"observation": "absolute", "action_space": "continuous"}),
        ("reno", {"algorithm": "newreno"}),
        ("cubic", {"algorithm": "cubic"}),
    ],
)
def test_a_decider_names_the_parameters_of_its_simulation(
    name: str, parameters: dict[str, str]
) -> None:
    assert find_decider(name).parameters == parameters


def test_a_file_decides_like_the_shipped_policy() -> None:
    path = defiance_zoo.pretrained("tcp_congestion_v1").path
    decider = find_decider(str(path))
    assert decider.parameters == find_decider("trained").parameters
    assert decider.name == str(path.resolve())


def test_an_unknown_name_is_refused_with_the_nearest_one() -> None:
    with pytest.raises(ParameterError, match=r"'bdp-window' is not a policy.*mean 'bdp_window'"):
        find_decider("bdp-window")


@pytest.mark.parametrize("content", [None, b"not a network"])
def test_a_file_that_is_no_policy_is_refused(content: bytes | None, tmp_path: Path) -> None:
    file = tmp_path / "policy.onnx"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(ParameterError, match=r"policy\.onnx"):
        find_decider(str(file))


def test_a_policy_of_another_environment_is_refused() -> None:
    path = defiance_zoo.pretrained("cart_pole_v0").path
    with pytest.raises(
        ParameterError, match="not a policy of tcp_congestion_v1 that sets the window"
    ):
        find_decider(str(path))


def write_policy(file: Path, parameters: str) -> Path:
    """Copy the shipped policy with other training parameters."""
    model = onnx.load(defiance_zoo.pretrained("tcp_congestion_v1").path)
    known = {each.key: each.value for each in model.metadata_props}
    onnx.helper.set_model_props(model, {**known, "parameters": parameters})
    onnx.save(model, file)
    return file


@pytest.mark.parametrize(
    ("parameters", "interval"),
    [('{"interval": "50ms"}', 0.05), ('{"interval": 0.2}', 0.2), ("{}", 0.1), ("no JSON", 0.1)],
)
def test_a_file_contains_its_interval(parameters: str, interval: float, tmp_path: Path) -> None:
    file = write_policy(tmp_path / "policy.onnx", parameters)
    assert find_decider(str(file)).interval == pytest.approx(interval)


@pytest.mark.parametrize("parameters", ['{"control": "rate"}', '{"interval": "0s"}'])
def test_a_policy_that_sets_no_window_in_intervals_is_refused(
    parameters: str, tmp_path: Path
) -> None:
    file = write_policy(tmp_path / "policy.onnx", parameters)
    with pytest.raises(ParameterError, match="a sender needs control=window and an interval above"):
        find_decider(str(file))


@pytest.mark.parametrize("text", ["", "6Mbps", "6Mbps,", "6Mbps,20ms,few", "6Mbps,20ms,5,5"])
def test_an_invalid_link_description_is_refused(text: str) -> None:
    with pytest.raises(ParameterError, match="is not a link: write RATE,DELAY"):
        Link.parse(text)


def test_a_link_is_parsed() -> None:
    assert Link.parse("6Mbps,20ms") == Link("6Mbps", "20ms", 0)
    assert Link.parse("6Mbps,20ms,30") == Link("6Mbps", "20ms", 30)


def test_a_gap_is_in_percent_of_the_prediction() -> None:
    predicted = Transfer(throughput=10, rtt=50, rtt_p95=100, lost=1)
    measured = Transfer(throughput=9, rtt=55, rtt_p95=120, lost=3)
    found = find_gap(predicted, measured)
    assert found == pytest.approx({"throughput": -10, "rtt": 10, "rtt_p95": 20, "lost": 2})
