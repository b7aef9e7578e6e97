# SPDX-License-Identifier: GPL-2.0-only
"""Sizes of real weights, and their values after transmission."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.learning import (
    Compressed,
    Delta,
    Full,
    Half,
    Weights,
    as_weights,
    federated_average,
)


def weights(scale: float = 1.0) -> Weights:
    rng = np.random.default_rng(3)
    return {
        "w": rng.normal(0, scale, (64, 32)).astype(np.float32),
        "b": np.zeros(32, np.float32),
        "steps": np.array(7, np.int64),
    }


def same(one: Weights, other: Weights) -> bool:
    return one.keys() == other.keys() and all(
        one[name].dtype == other[name].dtype and np.array_equal(one[name], other[name])
        for name in one
    )


NUMBERS = 64 * 32 + 32
HEADER = 4 + len('{"w":["<f4",[64,32]],"b":["<f4",[32]],"steps":["<i8",[]]}')


def test_full_encoding_has_the_size_of_the_memory_and_a_header() -> None:
    data = Full().encode(weights())
    assert len(data) == HEADER + 4 * NUMBERS + 8
    assert same(Full().decode(data), weights())


def test_half_encoding_has_half_the_size_and_rounds() -> None:
    data = Half().encode(weights())
    assert len(data) == HEADER + 2 * NUMBERS + 8
    decoded = Half().decode(data)
    assert decoded["w"].dtype == np.float32
    assert np.array_equal(decoded["w"], weights()["w"].astype(np.float16).astype(np.float32))
    assert decoded["steps"] == 7
    assert not same(decoded, weights())
    with pytest.raises(ParameterError, match="too large for float16"):
        Half().encode({"w": np.array([1e6], np.float32)})


def test_compression_is_lossless() -> None:
    sparse = {"w": np.zeros((64, 32), np.float32)}
    data = Compressed().encode(sparse)
    assert len(data) < 200
    assert same(Compressed().decode(data), sparse)
    assert same(Compressed().decode(Compressed().encode(weights())), weights())


def test_a_delta_is_small_after_small_changes() -> None:
    base = weights()
    new = {name: array.copy() for name, array in base.items()}
    new["w"][5, 5] += 0.5
    new["w"][6, 6] += 0.001
    new["steps"] = np.array(8, np.int64)
    data = Delta().encode(new, base)
    assert len(data) < len(Compressed(Half()).encode(new)) / 10
    decoded = Delta().decode(data, base)
    assert decoded["w"][5, 5] == base["w"][5, 5] + np.float32(0.5)
    assert decoded["w"][6, 6] == pytest.approx(new["w"][6, 6], rel=1e-3)
    assert decoded["steps"] == 8
    left_out = Delta(threshold=0.01).decode(Delta(threshold=0.01).encode(new, base), base)
    assert left_out["w"][6, 6] == base["w"][6, 6]
    assert left_out["w"][5, 5] == decoded["w"][5, 5]


@pytest.mark.parametrize("base", [None, {"w": np.zeros(3, np.float32)}])
def test_a_delta_needs_its_base(base: Any) -> None:
    with pytest.raises(ParameterError):
        Delta().encode(weights(), base)
    with pytest.raises(ParameterError):
        Delta().decode(Delta().encode(weights(), weights()), base)


def test_states_are_flattened_and_copied() -> None:
    array = np.ones(2)
    flat = as_weights({"a": {"b": array, "c": 3}, "d": [1.0]})
    assert list(flat) == ["a/b", "a/c", "d"]
    flat["a/b"][0] = 5
    assert array[0] == 1
    with pytest.raises(ParameterError, match="'a' are not numbers"):
        as_weights({"a": "text"})


def test_federated_average_is_weighted_by_samples() -> None:
    one = {"w": np.array([1.0, 2.0], np.float32), "n": np.array(1, np.int64)}
    two = {"w": np.array([5.0, 4.0], np.float32), "n": np.array(4, np.int64)}
    mean = federated_average([one, two], [3, 1])
    assert mean["w"].tolist() == [2.0, 2.5]
    assert mean["w"].dtype == np.float32
    assert mean["n"] == 2  # 1.75
    assert same(federated_average([one], [17]), one)


@pytest.mark.parametrize(("count", "samples"), [(0, []), (2, [1]), (2, [0, 0]), (2, [2, -1])])
def test_averages_of_different_weights_are_refused(count: int, samples: list[float]) -> None:
    with pytest.raises(ParameterError):
        federated_average([weights()] * count, samples)
    with pytest.raises(ParameterError, match="names or shapes"):
        federated_average([weights(), {"w": np.zeros(1)}], [1, 1])
