# SPDX-License-Identifier: GPL-2.0-only
"""Loops of plants and agents: times, rewards, other traffic, and agents that choose messages."""

from __future__ import annotations

import contextlib
import math
from pathlib import Path
from typing import Any

import gymnasium
import networked_plants
import numpy as np
import pytest
from gymnasium.spaces import Discrete
from odd_plants import STEPS

import defiance_zoo
from defiance_zoo.environments import lookup
from defiance_zoo.errors import ParameterError, ScenarioError

COUNTER = "networked_plants:Counter"
MS = 1_000_000


def open_counter(**arguments: Any) -> Any:
    return contextlib.closing(
        defiance_zoo.networked(networked_plants.Counter, link="local", **arguments)
    )


@pytest.mark.parametrize("over", ["simple", "tcp"])
def test_a_plant_without_a_clock_steps_as_actions_arrive(over: str) -> None:
    with open_counter(tick=None, over=over, delay="5ms", compute="3ms") as env:
        observation, info = env.reset(seed=1)
        times = []
        for number in range(1, 20):
            observation, reward, _, _, info = env.step(number)
            assert (observation, reward, info["tick"]) == (number, number, number)
            times.append(info["sim_time_ns"])
        # Over TCP, both packets take their time on the wire, too.
        trips = np.diff(times) / MS
        assert trips == pytest.approx(13, abs=0.001 if over == "simple" else 0.3)


def test_plants_without_a_clock_share_workers() -> None:
    """Each of four plants waits for one worker, which is always busy: a closed queue."""
    spec = lookup(f"networked:{COUNTER}")
    arguments = {"tick": "0s", "over": "simple", "compute": "10ms", "workers": 1, "plants": 4}
    with contextlib.closing(spec.parallel_env(link="local", **arguments)) as env:
        env.reset(seed=1)
        times: dict[str, list[int]] = {agent: [] for agent in env.possible_agents}
        for _ in range(60):
            *_, infos = env.step(dict.fromkeys(env.agents, 1))
            for agent, info in infos.items():
                if "tick" in info and info["tick"] not in times[agent][:1]:
                    times[agent].append(info["sim_time_ns"])
        for each in times.values():
            assert set(np.diff(np.unique(each))[3:]) == {40 * MS}


def test_times_of_decisions_have_their_mean() -> None:
    with open_counter(tick=None, over="simple", compute="10ms", compute_times="exponential") as env:
        _, info = env.reset(seed=1)
        begin, count = info["sim_time_ns"], 299
        for _ in range(count):
            *_, info = env.step(1)
        mean = (info["sim_time_ns"] - begin) / count / MS
        assert abs(mean - 10) < 4 * 10 / math.sqrt(count)


@pytest.mark.parametrize(
    "arguments",
    [
        {"compute": "30ms", "workers": 1},
        {"compute": "30ms", "workers": 1, "compute_times": "exponential", "decide": "clock"},
        {"compute": "30ms", "loss": 0.3, "delay": "25ms"},
    ],
)
def test_ages_are_those_of_the_instant_of_the_decision(arguments: dict[str, Any]) -> None:
    """Also if the decision has waited for a worker, while newer observations arrived."""
    with open_counter(window=4, max_cycles=60, **arguments) as env:
        observation, info = env.reset(seed=1)
        ended, seen = False, set[int]()
        while not ended:
            age = info["sim_time_ns"] / 1e9 - 0.02 * (info["tick"] + 1)  # first step: after a tick
            assert info["age"] == pytest.approx(age, abs=1e-6)
            ages = [age + 0.02 * slot for slot in range(4)]
            assert observation["ages"] == pytest.approx(ages, abs=1e-4)
            for slot, (number, mask) in enumerate(
                zip(observation["observations"][:, 0], observation["mask"], strict=True)
            ):
                step = info["tick"] - slot
                assert number == mask * step
                assert mask or step not in seen
                seen |= {step} if mask else set()
            observation, _, terminated, truncated, info = env.step(1)
            ended = terminated or truncated


@pytest.mark.parametrize(
    ("over", "delay", "loss"), [("simple", "50ms", 0.4), ("udp", "50ms", 0.4), ("tcp", "5ms", 0.0)]
)
def test_rewards_in_messages_are_late_and_complete(over: str, delay: str, loss: float) -> None:
    totals, firsts = [], []
    for rewards in ("direct", "messages"):
        with open_counter(over=over, delay=delay, loss=loss, rewards=rewards) as env:
            env.reset(seed=1)
            found, ended = [], False
            while not ended:
                _, reward, terminated, truncated, _ = env.step(1)
                found.append(reward)
                ended = terminated or truncated
            totals.append(sum(found))
            firsts.append(sum(found[:10]))
    assert totals[0] == totals[1] > 250
    assert firsts[0] > firsts[1] or over == "tcp"


def test_messages_wait_for_other_traffic_as_in_a_queue() -> None:
    """Poisson arrivals and exponential sizes: the mean waiting time of M/M/1, rho / (mu - lambda).

    Kleinrock, Queueing Systems I, 1975, section 3.2. A packet has 30 bytes of headers.
    """
    with open_counter(
        traffic="400kbps", data_rate="1Mbps", tick="100ms", plant_arguments={"steps": 2000}
    ) as env:
        env.reset(seed=1)
        ages, ended = [], False
        while not ended:
            *_, terminated, truncated, info = env.step(0)
            ages.append(info["age"])
            ended = terminated or truncated
    service_s = 1030 * 8 / 1e6
    rho = 400e3 / 8000 * service_s
    waiting = np.mean(ages) - np.min(ages)
    assert waiting == pytest.approx(rho * service_s / (1 - rho), rel=0.15)


def test_a_sensor_decides_what_is_sent_and_pays_for_it() -> None:
    price = 0.25
    with open_counter(over="simple", send="sensor", byte_price=price) as env:
        observations, _ = env.reset(seed=1)
        sender, controller = "agent_1", "agent_0"
        totals, ticks = dict.fromkeys(env.possible_agents, 0.0), set()
        while env.agents:
            asked = observations[sender]
            passed = int(asked["observation"][0] - asked["sent"][0])
            actions = {controller: 1, sender: int(passed % 5 == 0)}
            observations, rewards, *_, infos = env.step(actions)
            for agent, value in rewards.items():
                totals[agent] += value
            ticks.add(infos[controller].get("tick", -1))
    sent = [*range(0, 256, 5), *range(256, 300, 5)]  # observed numbers begin again after 255
    assert ticks - {-1} == set(sent)
    # An observation costs 1. The controller has not decided when the first one is sent.
    assert totals == {sender: 300 - len(sent), controller: 300 - len(sent) + 1}


@pytest.mark.parametrize(("bits", "error"), [(8, 2**-3), (16, 2**-11)])
def test_a_sensor_decides_how_many_bits_it_sends_and_pays_for_them(bits: int, error: float) -> None:
    """A number has 3 or 11 significant bits, and is rounded to the nearest; a pole has four."""
    totals, sent = {}, 0
    for price in (0.0, 0.25):
        env = defiance_zoo.networked(
            "CartPole-v1", send="precision", byte_price=price, link="local"
        )
        with contextlib.closing(env):
            observations, _ = env.reset(seed=1)
            assert env.action_space("agent_1") == Discrete(4)
            total, sent, exact = 0.0, 0, None
            while env.agents:
                if exact is not None and "agent_0" in observations:
                    assert observations["agent_0"] == pytest.approx(exact, rel=error, abs=2**-15)
                    assert not np.array_equal(observations["agent_0"], exact)
                if "agent_1" in observations:
                    last, exact = exact, observations["agent_1"]["observation"]
                    sent += last is None or not np.array_equal(last, exact)
                actions = dict.fromkeys(env.agents, 0) | {"agent_1": bits // 8}
                observations, rewards, *_ = env.step(actions)
                total += rewards["agent_1"]
        totals[price] = total
    assert totals[0.0] - totals[0.25] == pytest.approx(sent * bits / 8, abs=bits / 8)
    assert sent > 5


def test_a_text_costs_the_bytes_of_the_longest_one() -> None:
    spec, totals = lookup("networked:odd_plants:Telling"), []
    for price in (0.0, 0.5):
        arguments = {"send": "scheduler", "byte_price": price, "over": "simple", "link": "local"}
        with contextlib.closing(spec.parallel_env(**arguments)) as env:
            env.reset(seed=1)
            total = 0.0
            while env.agents:
                _, rewards, *_ = env.step(dict.fromkeys(env.agents, 1) | {"agent_0": [0.0, 0.0]})
                total += rewards.get("agent_1", 0.0)
            totals.append(total)
    assert totals[0] == STEPS
    assert (totals[0] - totals[1]) / (0.5 * 5) in (STEPS - 1, STEPS)


def test_a_scheduler_decides_which_sensor_sends() -> None:
    spec = lookup(f"networked:{COUNTER}")
    with contextlib.closing(
        spec.parallel_env(plants=2, send="scheduler", over="simple", link="local", max_cycles=60)
    ) as env:
        env.reset(seed=1)
        scheduler = env.possible_agents[-1]
        assert env.action_space(scheduler) == Discrete(3)
        ticks = set()
        while env.agents:
            actions = dict.fromkeys(env.agents, 1) | {scheduler: 2}
            observations, *_, infos = env.step(actions)
            ticks |= {info["tick"] for agent, info in infos.items() if "tick" in info}
            ages = observations[scheduler]
        assert len(ticks) > 10  # of the second plant
        assert ages[0] > 10 * ages[1]


@pytest.mark.parametrize("plant", ["networked_plants:Counter", "odd_plants:Plain"])
def test_a_scheduler_ends_as_its_plants_do(plant: str) -> None:
    arguments = {"plants": 2, "send": "scheduler", "over": "simple", "link": "local"}
    spec = lookup(f"networked:{plant}")
    with contextlib.closing(spec.parallel_env(**arguments)) as env:
        env.reset(seed=1)
        ends: dict[str, bool] = {}
        while env.agents:
            actions = {agent: env.action_space(agent).sample() for agent in env.agents}
            _, _, terminations, truncations, _ = env.step(actions)
            for agent, is_terminated in terminations.items():
                if is_terminated or truncations[agent]:
                    ends[agent] = is_terminated
    assert ends == dict.fromkeys(env.possible_agents, plant == "odd_plants:Plain")


def test_pictures_are_those_of_the_plant() -> None:
    plain = gymnasium.make("CartPole-v1", render_mode="rgb_array")
    with contextlib.closing(
        defiance_zoo.networked("CartPole-v1", over="simple", render_mode="rgb_array", link="local")
    ) as env:
        env.reset(seed=1)
        plain.reset(seed=1)
        for action in (1, 1, 0):
            drawn: Any = plain.render()
            assert np.array_equal(env.render(), drawn)
            env.step(action)
            plain.step(action)


def write_own(folder: Path, options: str, plant: str = '"CartPole-v1"') -> Path:
    """Write the scenario of the page with other options."""
    text = (Path(__file__).parents[3] / "docs/networks/networked.md").read_text()
    _, _, rest = text.partition("```python\n# robot.py\n")
    own, _, _ = rest.partition("```")
    assert '"CartPole-v1"' in own
    assert 'tick="20ms"' in own
    file = folder / "robot.py"
    own = own.replace('"CartPole-v1"', plant).replace('tick="20ms"', options)
    file.write_text(f"import gymnasium\n{own}")
    return file


@pytest.mark.parametrize("plant", ['"CartPole-v1"', "lambda: gymnasium.make('CartPole-v1')"])
def test_a_scenario_places_sensor_agent_and_actuator(tmp_path: Path, plant: str) -> None:
    file = write_own(tmp_path, 'tick=0, over="tcp"', plant)
    with contextlib.closing(defiance_zoo.make(str(file), api="gymnasium", link="local")) as env:
        observation, _ = env.reset(seed=1)
        times = []
        for _ in range(10):
            observation, *_, info = env.step(int(observation[2] + observation[3] > 0))
            times.append(info["sim_time_ns"] / MS)
        assert np.diff(times) == pytest.approx(9.7, abs=0.3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("tack=3", "no option 'tack'; did you mean 'tick'"),
        ('over="upd"', "over='upd' is not one of"),
        ("window=0", "window is at least 1"),
        ('compute="-1ms"', "times, workers and repeats are at least 0"),
        ("loss=0.3", "delay and loss need over='simple', not 'udp'"),
        ("tick=0", "waits for each message"),
        ('over="simple", loss=1.5', "loss=1.5 is not a probability"),
        ('over="simple", loss=float("nan")', "loss=nan is not a probability"),
        ("workers=1.5", "workers=1.5 is not of type int"),
        ("window=True", "window=True is not of type int"),
        ('plant_infos="no"', "plant_infos='no' is not of type bool"),
        ('send="sensor", byte_price=-1', "byte_price=-1 is not a price"),
    ],
)
def test_a_scenario_is_told_of_wrong_options(tmp_path: Path, options: str, message: str) -> None:
    with pytest.raises((ParameterError, ScenarioError), match=message):
        defiance_zoo.make(str(write_own(tmp_path, options)), api="gymnasium").reset(seed=1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"tick": None}, "waits for each message"),
        ({"tick": None, "over": "simple", "loss": 0.1}, "waits for each message"),
        ({"tick": None, "over": "simple", "decide": "clock"}, "has no clock"),
        ({"tick": None, "over": "simple", "send": "sensor"}, "has no clock"),
        ({"over": "simple", "traffic": "1Mbps"}, "has no network"),
        ({"over": "simple", "send": "precision"}, "needs a Box of floating-point numbers"),
    ],
)
def test_options_that_contradict_each_other_are_refused(
    arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(ParameterError, match=message):
        defiance_zoo.networked(networked_plants.Counter, **arguments)


def test_plants_with_turns_need_steps_by_actions() -> None:
    turns = "pettingzoo.classic.tictactoe_v3:env"
    with (
        contextlib.closing(defiance_zoo.networked(turns, api="aec", over="tcp")) as env,
        pytest.raises(ParameterError, match="act in turn: use tick=0s"),
    ):
        env.reset(seed=1)
