# SPDX-License-Identifier: GPL-2.0-only
"""Masks of every action space in infos and observations, and code that obeys or checks them."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from defiance_zoo.bridge.codec.masks import list_allowed, read_mask
from defiance_zoo.bridge.simulation import Scenario
from defiance_zoo.environments import EnvironmentSpec, Policy
from defiance_zoo.errors import IllegalAction, InvalidMask, InvalidRecording
from defiance_zoo.experiments.evaluation.lookahead import Lookahead, LookaheadOptions
from defiance_zoo.experiments.evaluation.playing import play
from defiance_zoo.experiments.evaluation.policies import RandomPolicy
from defiance_zoo.experiments.training import RunConfig, create_trainer, load_policy
from defiance_zoo.recording import read_recording, replay
from defiance_zoo.registration import ENTRIES
from defiance_zoo.wrappers.gymnasium import GymnasiumEnv

KINDS = ("discrete", "start", "multi", "multi_start", "binary")
PLACES = ("info", "observation", "both")
PROGRAM = Path(__file__).parents[1] / "scenario" / "programs" / "masks.py"
SPEC = EnvironmentSpec(
    "masks_v0", Scenario.python("masks", PROGRAM, refuses_masked={"refuse": "yes"})
)
AGENT = "agent_0"
FAULTS = {
    "short": "has shape",
    "negative": "has entries other than 0 and 1",
    "two": "has entries other than 0 and 1",
    "zeros": "forbids every",
    "reals": "has elements of type float",
}


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ENTRIES, SPEC.name, SPEC)


def choose(space: Any, observation: Any, info: dict[str, Any], *, legal: bool = True) -> Any:
    """Return the first action that a mask allows, or a forbidden one that differs in one number."""
    mask = read_mask(AGENT, space, observation, info)
    assert mask is not None
    action = [values[0] for values in list_allowed(space, mask)]
    if not legal:
        every = list_allowed(space, np.ones_like(mask))[0]
        action[0] = next(each for each in every if each not in list_allowed(space, mask)[0])
    return action[0] if space.shape == () else np.array(action)


def decide_all(policy: Policy, env: Any) -> dict[str, int]:
    """Play an episode; return how many forbidden actions each agent took."""
    (played,) = play(env, policy, episodes=1, seed=1)
    assert played.decisions > 10
    return {agent: info["illegal"] for agent, info in played.infos.items()}


# ------------------------------------------------------------------ code that obeys masks


@pytest.mark.parametrize("where", ["info", "observation"])
@pytest.mark.parametrize("kind", KINDS)
def test_random_and_lookahead_obey_masks(kind: str, where: str) -> None:
    with contextlib.closing(SPEC.raw_env(kind=kind, where=where, agents=2, link="local")) as env:
        assert decide_all(RandomPolicy(env.action_space, 1), env) == {AGENT: 0, "agent_1": 0}
    quick = {"duration": "60ms", "link": "local", "written": "tuple"}
    options = LookaheadOptions(horizon=1, actions=2, agents="same")
    with contextlib.closing(SPEC.raw_env(kind=kind, where=where, **quick)) as env:
        env.reset(seed=1)
        policy = Lookahead(env, 1, options)
        while env.agents:
            observation, _, terminated, truncated, info = env.last()
            over = terminated or truncated
            env.step(None if over else policy.act(AGENT, observation, info))


@pytest.mark.parametrize("agents", [1, 2])
@pytest.mark.parametrize("where", ["info", "observation"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.long
def test_maskable_ppo_trains_and_plays_without_a_forbidden_action(
    kind: str, where: str, agents: int, tmp_path: Path
) -> None:
    parameters = {"kind": kind, "where": where, "agents": agents, "refuse": "yes"}
    config = RunConfig(
        env=SPEC.name, algorithm="MaskablePPO", steps=32, simulations=2, parameters=parameters,
        hyperparameters={"n_steps": 16, "batch_size": 16},
    )  # fmt: skip
    with contextlib.closing(create_trainer(config)) as trainer:
        trainer.iterate()
        trainer.save(tmp_path)
    with contextlib.closing(SPEC.raw_env(**parameters, link="local")) as env:
        assert set(decide_all(load_policy(config, tmp_path, trust=True), env).values()) == {0}


# ------------------------------------------------------------------ refused actions


@pytest.mark.parametrize(
    ("fields", "parameters", "declared", "refuses"),
    [
        ({}, {}, {"illegal_actions"}, True),
        ({}, {"illegal_actions": "refuse"}, {"illegal_actions"}, True),
        ({}, {"illegal_actions": "keep"}, {"illegal_actions"}, False),
        ({}, {}, {"refuse"}, False),
        ({"describes_itself": False}, {"illegal_actions": "refuse"}, set(), False),
        ({"refuses_masked": False}, {}, {"illegal_actions"}, False),
    ],
)
def test_a_programs_parameter_decides_by_default_whether_it_refuses(
    fields: dict[str, Any], parameters: dict[str, Any], declared: set[str], refuses: bool
) -> None:
    assert Scenario("masks", PROGRAM, **fields).refuses(parameters, declared) is refuses


@pytest.mark.parametrize("where", PLACES)
@pytest.mark.parametrize("kind", KINDS)
def test_every_interface_refuses_a_forbidden_action_and_accepts_an_allowed_one(
    kind: str, where: str
) -> None:
    arguments = {"kind": kind, "where": where, "link": "local"}
    with contextlib.closing(SPEC.raw_env(**arguments)) as aec:
        aec.reset(seed=1)
        space, seen = aec.action_space(AGENT), (aec.observe(AGENT), aec.infos[AGENT])
        bad, good = choose(space, *seen, legal=False), choose(space, *seen)
        with pytest.raises(IllegalAction, match=f"action_mask of {AGENT} forbids action"):
            aec.step(bad)
        aec.step(good)
        assert aec.infos[AGENT]["illegal"] == 0
    with contextlib.closing(SPEC.parallel_env(**arguments)) as parallel:
        parallel.reset(seed=1)
        with pytest.raises(IllegalAction):
            parallel.step({AGENT: bad})
        assert parallel.step({AGENT: good})[-1][AGENT]["illegal"] == 0
    with contextlib.closing(GymnasiumEnv(SPEC, **arguments)) as env:
        env.reset(seed=1)
        with pytest.raises(IllegalAction):
            env.step(bad)
        assert env.step(good)[-1]["illegal"] == 0
    with contextlib.closing(SPEC.vector_env(2, **arguments)) as vector:
        vector.reset(seed=1)
        with pytest.raises(IllegalAction):
            vector.step(np.array([good, bad]))
        assert vector.step(np.array([good, good]))[-1]["illegal"].tolist() == [0, 0]
    with contextlib.closing(SPEC.multi_agent_vector_env(2, **arguments)) as rows:
        rows.reset(seed=1)
        with pytest.raises(IllegalAction):
            rows.step(np.array([[good], [bad]]))
        assert rows.step(np.array([[good], [good]]))[-1]["illegal"].tolist() == [[0], [0]]


def test_forbidden_actions_are_accepted_if_the_scenario_does_not_refuse() -> None:
    with contextlib.closing(SPEC.raw_env(kind="start", refuse="no", link="local")) as env:
        env.reset(seed=1)
        bad = choose(env.action_space(AGENT), env.observe(AGENT), env.infos[AGENT], legal=False)
        env.step(bad)
        assert env.infos[AGENT]["illegal"] == 1


@pytest.mark.parametrize("where", ["info", "observation"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.long
def test_replay_refuses_forbidden_actions(kind: str, where: str, tmp_path: Path) -> None:
    arguments = {"kind": kind, "where": where, "duration": "60ms", "link": "local"}
    with contextlib.closing(SPEC.raw_env(record=tmp_path, **arguments)) as env:
        decide_some(env, legal=True)
    with contextlib.closing(
        SPEC.raw_env(record=tmp_path / "free", refuse="no", **arguments)
    ) as env:
        decide_some(env, legal=False)
    (legal,) = (each for each in tmp_path.iterdir() if each.name != "free")
    (free,) = (tmp_path / "free").iterdir()
    with contextlib.closing(SPEC.raw_env(**arguments)._episodes) as refusing:
        replay(read_recording(legal), refusing)
        with pytest.raises(InvalidRecording, match="the action_mask of agent_0 forbids action"):
            replay(read_recording(free), refusing)
    with contextlib.closing(SPEC.raw_env(refuse="no", **arguments)._episodes) as taking:
        replay(read_recording(free), taking)


def decide_some(env: Any, *, legal: bool) -> None:
    env.reset(seed=1)
    while env.agents:
        observation, _, terminated, truncated, info = env.last()
        over = terminated or truncated
        space = env.action_space(AGENT)
        env.step(None if over else choose(space, observation, info, legal=legal))


# ------------------------------------------------------------------ faulty masks


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("kind", ["start", "binary"])
def test_a_faulty_mask_in_infos_ends_the_episode_with_its_agent_named(
    kind: str, fault: str
) -> None:
    arguments = {"kind": kind, "fault": fault, "faulty_from": 1, "refuse": "no", "link": "local"}
    with contextlib.closing(SPEC.raw_env(**arguments)) as env:
        env.reset(seed=1)
        with pytest.raises(InvalidMask, match=f"of {AGENT} {FAULTS[fault]}.*entries of 0 or 1"):
            env.step(choose(env.action_space(AGENT), env.observe(AGENT), env.infos[AGENT]))
        assert env.agents == []


@pytest.mark.parametrize("fault", ["negative", "two", "zeros"])
def test_a_faulty_mask_in_an_observation_ends_every_interface(fault: str) -> None:
    arguments = {
        "kind": "multi", "where": "observation", "fault": fault, "faulty_from": 0, "link": "local",
    }  # fmt: skip
    makers: list[Any] = [
        SPEC.raw_env, SPEC.parallel_env, lambda **given: GymnasiumEnv(SPEC, **given),
        lambda **given: SPEC.vector_env(2, restart_on_failure=True, **given),
        lambda **given: SPEC.multi_agent_vector_env(2, restart_on_failure=True, **given),
    ]  # fmt: skip
    for make in makers:
        match = f"of {AGENT} {FAULTS[fault]}"
        with contextlib.closing(make(**arguments)) as env, pytest.raises(InvalidMask, match=match):
            env.reset(seed=1)


def test_a_mask_in_infos_that_differs_from_the_observed_one_is_refused() -> None:
    arguments = {"where": "both", "fault": "other", "faulty_from": 0, "link": "local"}
    match = "in the infos of agent_0 differs"
    with (
        contextlib.closing(SPEC.raw_env(**arguments)) as env,
        pytest.raises(InvalidMask, match=match),
    ):
        env.reset(seed=1)


@pytest.mark.long
def test_a_training_ends_at_the_first_faulty_mask(tmp_path: Path) -> None:
    parameters = {"fault": "short", "faulty_from": 5, "refuse": "no"}
    config = RunConfig(
        env=SPEC.name, algorithm="MaskablePPO", steps=64, parameters=parameters,
        hyperparameters={"n_steps": 16, "batch_size": 16},
    )  # fmt: skip
    match = f"of {AGENT} has shape"
    with (
        contextlib.closing(create_trainer(config)) as trainer,
        pytest.raises(InvalidMask, match=match),
    ):
        trainer.iterate()
