# SPDX-License-Identifier: GPL-2.0-only
"""Options of `reset()`: misspelt ones are refused in every interface."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import defiance_zoo
from defiance_zoo.environments import EnvironmentSpec, lookup
from defiance_zoo.errors import MissingUnitWarning, ParameterError, UnknownParameter
from defiance_zoo.wrappers.rllib import RLlibEnv
from defiance_zoo.wrappers.sb3 import make_vec_env

Reset = Callable[[Any], Any]


def _reset_sb3(env: Any, options: Any) -> Any:
    env.set_options(options)
    return env.reset()


@pytest.fixture(params=["aec", "parallel", "gymnasium", "vector", "parallel vector", "rllib"])
def reset(request: pytest.FixtureRequest) -> Iterator[Reset]:
    """Return the `reset()` of an interface, which takes options."""
    api = request.param
    kind = api.removesuffix("vector").strip() or "gymnasium"
    if api == "rllib":
        env: Any = RLlibEnv({"name": "cart_pole_v0"})
    elif "vector" in api:
        env = defiance_zoo.make_vec("cart_pole_v0", 2, api=kind)
    else:
        env = defiance_zoo.make("cart_pole_v0", api=kind)
    with contextlib.closing(env):
        yield lambda options: env.reset(seed=1, options=options)


def test_misspelt_options_are_refused_by_name(reset: Reset) -> None:
    """Unknown options that resemble none are for other environments."""
    with pytest.raises(UnknownParameter, match=r"no option 'dealy'; did you mean 'delay'\?"):
        reset({"dealy": "5ms"})
    with pytest.raises(UnknownParameter, match="it is called 'initial_state'"):
        reset({"initialState": [0, 0, 0, 0]})
    with pytest.raises(ParameterError, match="'max_cycles' is no option"):
        reset({"max_cycles": 5})
    for options in ([1], [], "delay", [("delay", "5ms")]):
        with pytest.raises(ParameterError, match=f"options=.* is of type {type(options).__name__}"):
            reset(options)
    for accepted in ({"options": 1}, {"xyz": 1, 5: 1}, {"initial_state": [0, 0, 0, 0]}, {}, None):
        reset(accepted)


def test_a_time_without_a_unit_is_warned_of(reset: Reset) -> None:
    with pytest.warns(MissingUnitWarning, match="delay=0.01 was read as 0.01 s: write 0.01s or"):
        reset({"delay": 0.01})


def test_sb3_refuses_misspelt_options() -> None:
    with contextlib.closing(make_vec_env("cart_pole_v0", n_envs=2)) as env:
        env.set_options({"dealy": "5ms"})
        with pytest.raises(UnknownParameter, match="did you mean 'delay'"):
            env.reset()


def test_a_vector_refuses_a_misspelt_reset_mask() -> None:
    env = defiance_zoo.make_vec("cart_pole_v0", 2)
    with contextlib.closing(env), pytest.raises(UnknownParameter, match="mean 'reset_mask'"):
        env.reset(options={"reset_maks": [True, False]})


def test_options_that_an_environment_translates_are_known() -> None:
    """`delays` resembles the parameter `delay`, and the environment reads it."""

    def translate(options: Any) -> dict[str, Any]:
        return {"delay": options["delays"][0]} if "delays" in options else {}

    spec = EnvironmentSpec("trial_v0", lookup("cart_pole_v0").scenario, translate_options=translate)
    with contextlib.closing(spec.raw_env()) as env:
        env.reset(options={"delays": ["5ms"]})
        with pytest.raises(UnknownParameter, match="did you mean 'delay'"):
            env.reset(options={"delays": ["5ms"], "delayed": 1})
