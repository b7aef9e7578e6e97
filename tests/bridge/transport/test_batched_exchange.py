# SPDX-License-Identifier: GPL-2.0-only
"""Vector simulations with rounds of one layout: one call plays them all, with equal results."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import over, simulations
from gymnasium.vector import AutoresetMode

from defiance_zoo import EnvironmentSpec, Scenario, errors
from defiance_zoo.bridge.transport import mailbox
from defiance_zoo.environments import lookup
from defiance_zoo.environments.testing import exact
from defiance_zoo.environments.vector.vector_environments import SimulationVectorEnv
from defiance_zoo.wrappers.gymnasium import GymnasiumEnv

COUNT = 4
INFOS = Path(__file__).parents[2] / "scenario" / "programs" / "infos.py"
CART_POLE = lookup("cart_pole_v0")
MODES = [AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP]
SUBJECTS: dict[str, dict[str, Any]] = {
    "edge_cart_pole_v0": {},
    "channel_access_v0": {"duration": "20ms"},
    "jamming_v0": {"opponent": "random"},
    "channel_rps_v0": {"opponent": "random"},
    "wifi_contention_v0": {"stations": 2},
    "tcp_congestion_v0": {"flows": 1},
    "networked_control_v0": {},
    "cell_power_v0": {"cells": 1},
}
"""Environments whose agents have infos, with arguments for a single agent."""
Make = Callable[..., SimulationVectorEnv]


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of rounds that each call for all simulations played."""
    counts: list[int] = []
    take = mailbox.take_batch

    def count(*arguments: Any) -> int:
        counts.append(take(*arguments))
        return counts[-1]

    monkeypatch.setattr(mailbox, "take_batch", count)
    return counts


@pytest.fixture
def make() -> Iterator[Make]:
    """Return a function that makes vector environments over a named link, closed after the test."""
    made: list[SimulationVectorEnv] = []

    def make_one(link: str, **arguments: Any) -> SimulationVectorEnv:
        made.append(CART_POLE.vector_env(COUNT, **over(link), **arguments))
        return made[-1]

    yield make_one
    for env in made:
        env.close()


def play(env: SimulationVectorEnv, steps: int, seed: int = 3) -> list[Any]:
    """Return all results of some steps, exactly."""
    rng = np.random.default_rng(seed)
    return [exact(env.step(rng.integers(0, 2, COUNT))) for _ in range(steps)]


@pytest.mark.parametrize("link", ["local", "spread", "shared", "spin"])
@pytest.mark.parametrize("mode", MODES)
def test_batched_and_single_exchange_give_the_same_results(
    make: Make, taken: list[int], link: str, mode: AutoresetMode
) -> None:
    """Carts fall after about twenty steps: episodes end and begin all the time."""
    one_by_one, together = make("zmq", autoreset_mode=mode), make(link, autoreset_mode=mode)
    for env in (one_by_one, together):
        env.reset(seed=1)
    assert play(together, 300) == play(one_by_one, 300)
    assert sum(taken) > 300 * COUNT / 2
    assert min(taken) < COUNT  # simulations that begin or end are played one by one


@pytest.mark.parametrize(("name", "mode"), [*zip(SUBJECTS, itertools.cycle(MODES))])
def test_batched_and_single_exchange_give_the_same_infos(
    taken: list[int], name: str, mode: AutoresetMode
) -> None:
    """Arrays, masks and final infos are equal, and in equal order; one simulation is reset."""
    spec, arguments, played = lookup(name), SUBJECTS[name], []
    mask = np.array([True, False, False, False])
    for link in ("zmq", "local"):
        with closing(spec.vector_env(COUNT, link=link, autoreset_mode=mode, **arguments)) as env:
            env.action_space.seed(1)
            steps = [env.reset(seed=1)]
            steps += [env.step(env.action_space.sample()) for _ in range(10)]
            steps += [env.reset(seed=2, options={"reset_mask": mask})]
            steps += [env.step(env.action_space.sample()) for _ in range(20)]
            played.append([(exact(step), list(step[-1])) for step in steps])
    assert played[1] == played[0]
    assert sum(taken) > 30 * COUNT / 2
    assert min(taken) < COUNT


@pytest.mark.parametrize("masked", [False, True])
def test_infos_that_change_their_form_are_equal_too(taken: list[int], masked: bool) -> None:
    """Forms are read in turn, but masks one by one, as each is checked; callers own their infos."""
    spec, played = EnvironmentSpec("infos_v0", Scenario.python("infos", INFOS)), []
    for link in ("zmq", "local"):
        with closing(spec.vector_env(COUNT, link=link, mask="yes" if masked else "no")) as env:
            steps = [env.reset(seed=1)]
            steps += [env.step(np.zeros(COUNT, np.int64)) for _ in range(150)]
            played.append([(exact(step), list(step[-1])) for step in steps])
        assert steps[-1][-1]["form"].dtype.char == np.dtype(int).char
    assert played[1] == played[0]
    assert sum(taken) == 0 if masked else sum(taken) > 100 * COUNT


@pytest.mark.parametrize("api", ["gymnasium", "rows"])
@pytest.mark.parametrize("link", ["zmq", "local"])
def test_infos_keep_their_values_beside_infos_of_other_types(api: str, link: str) -> None:
    """In one step an info may be an integer, a real number, a text and a list."""
    spec = EnvironmentSpec("infos_v0", Scenario.python("infos", INFOS))
    make = spec.vector_env if api == "gymnasium" else spec.multi_agent_vector_env
    singles = [GymnasiumEnv(spec, link="local") for _ in range(COUNT)]
    with ExitStack() as stack:
        for each in singles:
            stack.callback(each.close)
        env = stack.enter_context(closing(make(COUNT, link=link)))
        infos = env.reset(seed=1)[-1]
        expected = [each.reset(seed=1 + number)[-1] for number, each in enumerate(singles)]
        shape = (COUNT,) if api == "gymnasium" else (COUNT, 1)
        for _ in range(60):
            for member, info in enumerate(expected):
                for key in info.keys() - {"sim_time_ns"}:
                    found = infos[key][member] if api == "gymnasium" else infos[key][member, 0]
                    assert np.array_equal(found, info[key]), (key, infos[key], info[key])
            infos = env.step(np.zeros(shape, np.int64))[-1]
            expected = [each.step(0)[-1] for each in singles]


def test_an_action_that_a_rare_mask_forbids_is_refused() -> None:
    """The round with the mask has a new form; rounds before it were batched."""
    scenario = replace(Scenario.python("infos", INFOS), refuses_masked=True)
    with closing(EnvironmentSpec("infos_v0", scenario).vector_env(2, mask="once")) as env:
        _, infos = env.reset(seed=1)
        while "action_mask" not in infos:
            *_, infos = env.step(np.zeros(2, np.int64))
        with pytest.raises(errors.IllegalAction):
            env.step(np.ones(2, np.int64))


@pytest.mark.parametrize("transport", ["udp", "tcp"])
def test_batched_exchange_gives_the_same_results_on_each_network(
    make: Make, taken: list[int], transport: str
) -> None:
    network = {"placement": "remote", "transport": transport, "terminate_when_fallen": False}
    one_by_one, together = make("zmq", **network), make("shared", **network)
    for env in (one_by_one, together):
        env.reset(seed=1)
    assert play(together, 100) == play(one_by_one, 100)
    assert taken[-1] == COUNT


def test_some_simulations_are_reset_between_batched_steps(make: Make, taken: list[int]) -> None:
    arguments = {"autoreset_mode": "Disabled", "terminate_when_fallen": False}
    one_by_one, together = make("zmq", **arguments), make("shared", **arguments)
    for env in (one_by_one, together):
        env.reset(seed=1)
    mask = np.array([True, False, False, True])
    for _ in range(3):
        assert play(together, 10) == play(one_by_one, 10)
        assert taken[-1] == COUNT
        expected = exact(one_by_one.reset(options={"reset_mask": mask}))
        assert exact(together.reset(options={"reset_mask": mask})) == expected


@pytest.mark.parametrize("order", [None, np.array([2, 0, 3, 1])])
def test_steps_and_send_recv_pairs_can_alternate(make: Make, taken: list[int], order: Any) -> None:
    """If the caller lists simulations in another order, actions are in that order."""
    arguments = {"terminate_when_fallen": False}
    one_by_one, together = make("zmq", **arguments), make("shared", **arguments)
    for env in (one_by_one, together):
        env.reset(seed=1)
    for _ in range(3):
        assert play(together, 10) == play(one_by_one, 10)
        assert taken[-1] == COUNT
        actions = np.array([0, 1, 1, 0])
        expected = one_by_one.step(actions)
        together.send(actions if order is None else actions[order], order)
        *received, infos = together.recv()
        rows = np.argsort(infos["env_id"])
        assert [exact(each[rows]) for each in received] == [exact(each) for each in expected[:4]]


def test_a_wrong_action_for_one_simulation_is_sent_to_none(make: Make, taken: list[int]) -> None:
    one_by_one, together = make("zmq"), make("shared")
    for env in (one_by_one, together):
        env.reset(seed=1)
    assert play(together, 10) == play(one_by_one, 10)
    for wrong in ([0, 1, 2, 0], [0, 1, 1], [0.5, 0, 0, 0]):
        with pytest.raises(errors.InvalidAction):
            together.step(np.array(wrong))
    assert play(together, 10) == play(one_by_one, 10)
    assert max(taken) == COUNT


def test_a_killed_simulation_is_replaced_and_the_others_continue(
    make: Make, taken: list[int]
) -> None:
    env = make("shared", restart_on_failure=True, terminate_when_fallen=False)
    env.reset(seed=1)
    play(env, 10)
    assert taken[-1] == COUNT
    simulations()[1].kill()
    failures = 0
    for _ in range(10):
        *_, truncations, infos = env.step(np.ones(COUNT, np.int64))
        assert truncations.sum() == ("failure" in infos)
        failures += "failure" in infos
    assert failures == env.failures == 1
    assert taken[-1] == COUNT


def test_a_state_of_the_vector_contains_batched_steps(make: Make, taken: list[int]) -> None:
    one, other = make("shared", resumable=True), make("shared", resumable=True)
    one.reset(seed=1)
    play(one, 30)
    assert sum(taken) > 30
    other.load_state_dict(one.state_dict())
    assert play(other, 50, seed=4) == play(one, 50, seed=4)


def test_simulations_that_count_decisions_are_not_batched(make: Make, taken: list[int]) -> None:
    one_by_one, together = (make(link, max_cycles=7) for link in ("zmq", "shared"))
    for env in (one_by_one, together):
        env.reset(seed=1)
    assert play(together, 20) == play(one_by_one, 20)
    assert not taken
