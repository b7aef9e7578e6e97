# SPDX-License-Identifier: GPL-2.0-only
"""Arguments of a wrong type, such as None or a text for an object, are refused by name."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest

from defiance_zoo.bridge.transport.zmq_endpoint import Endpoint
from defiance_zoo.environments import (
    SimulationAECEnv,
    SimulationParallelEnv,
    SimulationVectorEnv,
    lookup,
    make_vec,
    register,
)
from defiance_zoo.errors import InvalidAction, ParameterError, UnknownEnvironment
from defiance_zoo.protocols.explorers import PCT
from defiance_zoo.protocols.rewards.bonuses import CountBonus
from defiance_zoo.recording import open_recorded
from defiance_zoo.wrappers.gymnasium import GymnasiumEnv

SPEC = lookup("cart_pole_v0")


@pytest.mark.parametrize("value", [None, {}, "x", 3, [1]])
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lookup, "no environment|is not the name of an environment"),
        (GymnasiumEnv, "spec=.* give EnvironmentSpec"),
        (lambda value: register(value, SPEC), "is not a name of an environment"),
        (lambda value: register("odd_v0", value or 1), "entry=.* neither|of an environment"),
        (SimulationAECEnv, "scenario=.* give Scenario"),
        (SimulationParallelEnv, "scenario=.* give Scenario"),
        (SimulationVectorEnv, "pool=.* give SimulationPool"),
        (open_recorded, "recording=.* give Recording"),
        (PCT(1).set_state, "state"),
        (CountBonus().set_state, "state"),
        (lambda value: make_vec("cart_pole_v0", 2, autoreset_mode=value), "autoreset_mode="),
        (lambda value: Endpoint("tcp://127.0.0.1:*", value or "x"), "curve=.* give CurveKeys"),
        (lambda value: Endpoint(value or 1), "endpoint"),
    ],
)
def test_a_value_of_another_type_is_refused(
    call: Callable[[Any], Any], message: str, value: Any
) -> None:
    with pytest.raises((ParameterError, UnknownEnvironment), match=message):
        call(value)


@pytest.mark.parametrize("state", [None, {}, "x", 3, [1]])
def test_a_vector_refuses_what_is_no_state(state: Any) -> None:
    with closing(make_vec("cart_pole_v0", 2, resumable=True)) as env:
        env.reset(seed=1)
        with pytest.raises(ParameterError, match="state"):
            env.load_state_dict(state)
        env.step(env.action_space.sample())


@pytest.mark.parametrize("actions", [None, 3, "agent_0", [1]])
def test_parallel_actions_that_are_no_dict_are_refused(actions: Any) -> None:
    with closing(SPEC.parallel_env()) as env:
        env.reset(seed=1)
        with pytest.raises(InvalidAction, match="is not a dict of the agents' actions"):
            env.step(actions)
        env.step({"agent_0": 0})


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_vector_of_sb3_refuses_copies_and_wrong_states(copied: Callable[[Any], Any]) -> None:
    vectors = pytest.importorskip("defiance_zoo.wrappers.sb3.vectors")
    with closing(vectors.SingleAgentVecEnv(SPEC.vector_env(2, autoreset_mode="SameStep"))) as env:
        with pytest.raises(ParameterError, match="cannot be copied or pickled"):
            copied(env)
        for options in (3, "x", [], [3, 3]):
            with pytest.raises(ParameterError, match="options="):
                env.set_options(options)
        for state in (None, {}, "x", 3):
            with pytest.raises(ParameterError, match="state"):
                env.load_state_dict(state)
        env.reset()
        with pytest.raises(InvalidAction):
            env.step(None)


@pytest.mark.parametrize(
    ("config", "error", "message"),
    [
        (None, UnknownEnvironment, "None is not the name"),
        ("x", ParameterError, "config='x'"),
        ({"name": "cart_pole_v0", "features": "x"}, ParameterError, "give FeatureSource"),
        ({"name": "cart_pole_v0", "spec": {}}, ParameterError, "give EnvironmentSpec"),
        ({"name": "cart_pole_v0", "kept_programs": "x"}, ParameterError, "kept_programs='x'"),
    ],
)
def test_rllibs_environment_refuses_wrong_types(
    config: Any, error: type[Exception], message: str
) -> None:
    rllib = pytest.importorskip("defiance_zoo.wrappers.rllib")
    with pytest.raises(error, match=message):
        rllib.RLlibEnv(config)


def test_copies_of_rllibs_environment_are_made_from_its_arguments() -> None:
    rllib = pytest.importorskip("defiance_zoo.wrappers.rllib")
    with closing(rllib.RLlibEnv({"name": "cart_pole_v0"})) as env:
        env.reset(seed=1)
        with closing(copy.deepcopy(env)) as other:
            other.reset(seed=1)
        env.step({"agent_0": 0})
