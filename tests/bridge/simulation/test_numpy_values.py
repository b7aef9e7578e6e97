# SPDX-License-Identifier: GPL-2.0-only
"""Numbers and texts of NumPy are accepted like Python's, with equal results."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, IntEnum
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import defiance_zoo
from defiance_zoo.bridge.simulation import Choice, LogUniform, Uniform, plain_arguments
from defiance_zoo.bridge.system.plain_values import plain_value
from defiance_zoo.environments import lookup
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.evaluation import NamedPolicy
from defiance_zoo.protocols.explorers.registry import make_explorer
from defiance_zoo.wrappers.gymnasium import make_gymnasium_env

pytestmark = pytest.mark.filterwarnings("ignore::defiance_zoo.errors.MissingUnitWarning")

PLAIN: dict[str, Any] = {
    "loss": 0.25,
    "carts": 1,
    "transport": "udp",
    "restart_when_fallen": True,
    "delay": 0.03125,
    "data_rate": 1_000_000,
    "duration": "400ms",
}
OF_NUMPY: dict[str, Any] = {
    "loss": np.linspace(0, 0.5, 3)[1],
    "carts": np.int64(1),
    "transport": np.str_("udp"),
    "restart_when_fallen": np.bool_(True),
    "delay": np.float32(0.03125),
    "data_rate": np.array(1_000_000),
    "duration": np.array(["400ms"])[0],
}


def trajectory(env: Any, **reset: Any) -> list[float]:
    """Return the rewards of an episode of the parallel environment."""
    env.reset(**reset)
    rewards = []
    while env.agents:
        rewards += env.step(dict.fromkeys(env.agents, 1))[1].values()
    env.close()
    return rewards


def test_environments_with_numpy_arguments_play_the_same_episode(tmp_path: Path) -> None:
    spec = lookup("cart_pole_v0")
    how: dict[str, Any] = {"timeout": np.float32(20), "max_snapshots": np.uint8(2)}
    usual = trajectory(spec.parallel_env(max_cycles=7, **PLAIN), seed=3)
    assert usual == trajectory(
        spec.parallel_env(max_cycles=np.int32(7), **OF_NUMPY, **how), seed=np.int64(3)
    )
    assert usual == trajectory(
        spec.parallel_env(max_cycles=np.array(7), record=tmp_path),
        seed=np.uint8(3),
        options=OF_NUMPY,
    )


def test_numpy_arguments_give_the_same_command_lines() -> None:
    scenario = lookup("cart_pole_v0").scenario
    assert scenario.command(OF_NUMPY) == scenario.command(PLAIN)
    assert scenario.check(OF_NUMPY) == scenario.check(PLAIN)
    assert plain_arguments(OF_NUMPY) == plain_arguments(PLAIN)


class Transport(str, Enum):
    UDP = "udp"


class Count(IntEnum):
    TWO = 2


def test_members_of_enumerations_are_read_as_their_values() -> None:
    """Python writes `Transport.UDP` into texts, and `Count.TWO` as a time."""
    scenario = lookup("cart_pole_v0").scenario
    members = {"transport": Transport.UDP, "carts": Count.TWO, "delay": Count.TWO}
    plain = {"transport": "udp", "carts": 2, "delay": 2}
    assert scenario.command(members) == scenario.command(plain)


@pytest.mark.parametrize(
    ("plain", "of_numpy"),
    [
        (Choice([0.0, 0.5]), Choice(np.linspace(0, 0.5, 2))),
        (Choice([0.0, 0.5]), {"choice": np.array([0, 0.5])}),
        (Uniform(0.0, 0.5), Uniform(np.float64(0), np.float16(0.5))),
        (Uniform(0.0, 0.5), {"uniform": np.array([0, 0.5])}),
        (LogUniform(0.25, 0.5), {"log_uniform": (np.float64(0.25), np.array(0.5))}),
    ],
)
def test_distributions_with_numpy_bounds_draw_the_same(plain: Any, of_numpy: Any) -> None:
    spec = lookup("cart_pole_v0")
    drawn = []
    for loss in (plain, of_numpy):
        env = spec.parallel_env(**{**PLAIN, "loss": loss})
        for seed in range(3):
            env.reset(seed=seed)
            drawn.append(env.drawn_parameters["loss"])
        env.close()
    assert drawn[:3] == drawn[3:]
    assert {type(each) for each in drawn} == {float}


def test_vectors_accept_numpy_arguments() -> None:
    arguments = {**OF_NUMPY, "duration": "1h"}
    usual = defiance_zoo.make_vec("cart_pole_v0", 2, **{**PLAIN, "duration": "1h"})
    vector = defiance_zoo.make_vec("cart_pole_v0", np.int64(2), batch_size=np.int8(2), **arguments)
    seeds: list[Any] = [np.int64(5), np.array([5, 6]), [np.int64(5), np.uint32(6)]]
    expected = usual.reset(seed=5)[0]
    for seed in seeds:
        np.testing.assert_array_equal(vector.reset(seed=seed)[0], expected)
    usual.close()
    vector.close()
    many = defiance_zoo.make_vec(
        "cart_pole_v0", np.int64(1), api="parallel", max_agents=np.int64(2), carts=np.int64(2)
    )
    many.reset(seed=np.int64(1))
    many.close()


def test_policies_and_explorers_accept_numpy_arguments() -> None:
    spec = lookup("cart_pole_v0")
    env = make_gymnasium_env("cart_pole_v0", **OF_NUMPY)
    env.close()
    aec = spec.raw_env(**OF_NUMPY)
    options = {"horizon": np.int64(2), "time_s": np.float64(5), "then": np.str_("state_feedback")}
    NamedPolicy("lookahead", options).make(spec, aec, 1)
    aec.close()
    assert make_explorer("nemesis", 1, {"period": np.int64(3)}) is not None


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: defiance_zoo.make_vec("cart_pole_v0", 2.0), "num_envs=2.0"),
        (lambda: defiance_zoo.make_vec("cart_pole_v0", True), "num_envs=True"),
        (lambda: defiance_zoo.make("cart_pole_v0", max_cycles=np.float64(3)), "max_cycles="),
        (
            lambda: defiance_zoo.make("cart_pole_v0", loss=np.array([0.1, 0.2])),
            r"loss=\[0.1, 0.2\]",
        ),
        (lambda: defiance_zoo.make("cart_pole_v0", loss=np.float64("nan")), "loss=nan"),
        (lambda: defiance_zoo.make("cart_pole_v0", loss=np.complex128(1)), "loss="),
        (lambda: defiance_zoo.make("cart_pole_v0", carts=np.datetime64("2026-01-01")), "carts="),
        (lambda: defiance_zoo.make("cart_pole_v0", access=["lte"]), "access="),
        (lambda: Choice(3), "list of values"),  # type: ignore[arg-type] # which is the fault
        # The order of a set of texts, and so the drawn values, would be another in each process.
        (lambda: Choice({"2ms", "5ms"}), "list of values"),  # type: ignore[arg-type]
        (lambda: Choice({"low": 1}), "list of values"),  # type: ignore[arg-type]
    ],
)
def test_other_numpy_values_are_refused(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        call()


@pytest.mark.parametrize("seed", [1.0, "1", True, -1, np.float64(1), np.array([1, 2])])
def test_invalid_seeds_are_refused(seed: Any) -> None:
    env = lookup("cart_pole_v0").parallel_env(duration="1h")
    env.reset(seed=1)
    with pytest.raises(ParameterError, match="seed="):
        env.reset(seed=seed)
    env.close()


def test_plain_returns_python_numbers_and_texts() -> None:
    given = {
        np.str_("a"): [np.int8(1), (np.float32(0.5), np.array([[True]]))],
        "b": np.longdouble(2),
    }
    plain = plain_value(given)
    assert plain == {"a": [1, (0.5, [[True]])], "b": 2.0}
    assert list(map(type, plain)) == [str, str]
    assert [type(plain["a"][0]), type(plain["b"])] == [int, float]
    other = object()
    assert plain_value(other) is other
