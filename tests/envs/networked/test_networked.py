# SPDX-License-Identifier: GPL-2.0-only
"""Plants behind a network: equal to the plain environment without one, and late or lost with it."""

from __future__ import annotations

import contextlib
import importlib
import math
from pathlib import Path
from typing import Any

import gymnasium
import networked_plants
import numpy as np
import pettingzoo
import pytest
from command_calls import call
from conftest import simulations
from interfaces import INTERFACES, compare_with_uninterrupted

import defiance_zoo
from defiance_zoo.environments import lookup
from defiance_zoo.environments.testing import exact, play
from defiance_zoo.errors import ParameterError

COUNTER = "networked_plants:Counter"
CLASSIC = ("Acrobot-v1", "CartPole-v1", "MountainCar-v0", "MountainCarContinuous-v0", "Pendulum-v1")
TEXT = ("Blackjack-v1", "CliffWalking-v1", "FrozenLake-v1", "Taxi-v3")
BOX2D = ("LunarLander-v3", "LunarLanderContinuous-v3", "BipedalWalker-v3", "CarRacing-v3")
MUJOCO = (
    *("Ant-v5", "HalfCheetah-v5", "Hopper-v5", "Humanoid-v5", "HumanoidStandup-v5"),
    *("InvertedDoublePendulum-v5", "InvertedPendulum-v5", "Pusher-v5", "Reacher-v5"),
    *("Swimmer-v5", "Walker2d-v5"),
)
ATARI = ("ale_py:ALE/Pong-v5",)
TEAMS: dict[str, dict[str, Any]] = {
    "networked_plants:Team": {},
    "networked_plants:make_turns": {},
    "butterfly/cooperative_pong-v6": {"max_cycles": 10},
    "pettingzoo.butterfly.knights_archers_zombies_v11:parallel_env": {"max_cycles": 10},
    "butterfly/pistonball-v6": {"max_cycles": 5, "n_pistons": 4},
    "mpe2.simple_spread_v3:parallel_env": {"max_cycles": 10},
    "pettingzoo.classic.rps_v2:parallel_env": {"max_cycles": 10},
    "sisl/multiwalker-v9": {"max_cycles": 20},
}
TURNS = ("classic/connect_four-v3", "pettingzoo.classic.tictactoe_v3:env")
SEEDS = range(10)
WARNS = pytest.mark.filterwarnings("ignore")  # libraries of plants warn, even in C as they load
STEPS = 30
COUNT = 300
MS, TICK_NS = 1_000_000, 20_000_000


@WARNS
@pytest.mark.parametrize("plant", [*CLASSIC, *TEXT, *BOX2D, *MUJOCO, *ATARI])
def test_episodes_without_a_network_equal_the_plain_environment(
    plant: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # MuJoCo writes a log
    limits = {"max_episode_steps": STEPS if "Racing" not in plant else 5}
    with contextlib.closing(
        defiance_zoo.networked(plant, over="simple", link="local", plant_arguments=limits)
    ) as env:
        for seed in SEEDS:
            plain = gymnasium.make(plant, **limits)  # anew: Box2D's episodes depend on earlier ones
            assert env.observation_space == plain.observation_space
            assert env.action_space == plain.action_space
            compare(env.reset(seed=seed)[0], plain.reset(seed=seed)[0])
            plain.action_space.seed(seed)
            over = False
            while not over:
                action = plain.action_space.sample()
                observation, reward, terminated, truncated, _ = env.step(action)
                expected, value, falls, is_late, _ = plain.step(action)
                compare(observation, expected)
                assert [reward, terminated, truncated] == [value, falls, is_late and not falls]
                over = terminated or truncated
            plain.close()


def compare(value: Any, expected: Any) -> None:
    if isinstance(expected, dict):
        assert value.keys() == expected.keys()
        for key, each in expected.items():
            compare(value[key], each)
    elif isinstance(expected, tuple):
        for found, each in zip(value, expected, strict=True):
            compare(found, each)
    else:
        assert np.asarray(value).dtype == np.asarray(expected).dtype
        assert np.array_equal(value, expected)


def open_counter(**arguments: Any) -> Any:
    return contextlib.closing(
        defiance_zoo.networked(networked_plants.Counter, link="local", **arguments)
    )


def test_any_spaces_equal_the_plain_environment() -> None:
    plain = networked_plants.Nested()
    with contextlib.closing(
        defiance_zoo.networked(networked_plants.Nested, over="simple", link="local")
    ) as env:
        observation, _ = env.reset(seed=3)
        expected, _ = plain.reset(seed=3)
        plain.action_space.seed(3)
        for _ in range(20):
            compare(observation["level"], expected["level"])
            assert observation["mode"] == expected["mode"]
            action = plain.action_space.sample()
            observation, reward, terminated, _, _ = env.step(action)
            expected, *others, _, _ = plain.step(action)
            assert [reward, terminated] == others
            if terminated:
                break


def test_an_agent_with_a_clock_sees_the_observation_of_the_delay_before() -> None:
    """At step n, the newest observation is that of step n - ceil(delay / tick)."""
    with open_counter(over="simple", decide="clock", max_cycles=20) as env:
        for delay_ns in (0, 1, MS, TICK_NS - 1, TICK_NS, TICK_NS + 1, 30 * MS, 3 * TICK_NS):
            observation, info = env.reset(seed=1, options={"delay": f"{delay_ns}ns"})
            for _ in range(20):
                step = info["sim_time_ns"] // TICK_NS - 1
                late = math.ceil(delay_ns / TICK_NS)
                assert observation == step - late == info["tick"]
                assert info["age"] == pytest.approx(0.02 * late)
                observation, _, _, _, info = env.step(0)


@pytest.mark.parametrize(("actions", "delays"), [("messages", 2), ("direct", 1)])
def test_a_step_has_the_action_for_the_observation_of_its_delays_before(
    actions: str, delays: int
) -> None:
    with open_counter(over="simple", max_cycles=30, actions=actions) as env:
        for delay_ms in (0, 5, 10, 15, 20, 30):
            observation, info = env.reset(seed=1, options={"delay": f"{delay_ms}ms"})
            late, total, steps = max(1, math.ceil(delays * delay_ms / 20)), 0.0, 0
            for _ in range(25):
                assert info["age"] == pytest.approx(delay_ms / 1000)
                observation, reward, _, _, info = env.step(int(observation[0]))
                total += reward
                # A late observation that arrives at the instant of a step comes before it.
                steps = (info["sim_time_ns"] - (delay_ms > 0)) // TICK_NS - 1
            assert total == sum(max(step - late, 0) for step in range(1, steps + 1))
        observation, _ = env.reset(seed=1, options={"compute": "50ms"})
        rewards = []
        for _ in range(10):
            observation, reward, *_ = env.step(int(observation[0]))
            rewards.append(reward)
        assert rewards == [0, 0, 0, 1, 2, 3, 4, 5, 6, 7]


def test_only_observations_cross_the_network_with_direct_actions() -> None:
    with open_counter(delay="30ms", actions="direct", communication_report=True) as env:
        env.reset(seed=1)
        for _ in range(5):
            env.step(1)
        flows = env.unwrapped.communication_report().flows
        latencies = {each.kind: each.mean_latency for each in flows}
        assert latencies["action"] == 0 < 0.03 <= latencies["observation"]


def test_episodes_after_the_first_one_need_not_load_wifi() -> None:
    with open_counter(network="wifi") as env:
        for _ in range(2):
            env.reset(seed=1)
        (server,) = {each.ppid() for each in simulations()}
        assert "_scripting_wifi" in Path(f"/proc/{server}/maps").read_text()


def play_ones(env: Any, seed: int, **options: Any) -> tuple[int, float]:
    """Play an episode with the action 1, and return the numbers of decisions and of such steps."""
    env.reset(seed=seed, options=options)
    decisions, total, ended = 0, 0.0, False
    while not ended:
        _, reward, terminated, truncated, _ = env.step(1)
        decisions, total, ended = decisions + 1, total + reward, terminated or truncated
    return decisions, total


def deviation(share: float) -> float:
    return 4 * math.sqrt(share * (1 - share) / COUNT)


def test_the_share_of_lost_messages_is_the_loss_rate() -> None:
    with open_counter() as env:
        for over in ("simple", "udp"):
            decisions, _ = play_ones(env, 1, over=over, loss=0.3)
            assert abs(decisions / COUNT - 0.7) < deviation(0.7)
        total = {
            hold: play_ones(env, 1, over="simple", loss=0.5, hold=hold, repeats=1)[1] / COUNT
            for hold in ("zero", "repeat", "hold")
        }
        # An action arrives if neither the observation nor the action itself is lost.
        assert abs(total["zero"] - 0.25) < deviation(0.25)
        assert abs(total["repeat"] - (1 - 0.75**2)) < 2 * deviation(0.75**2)
        assert total["hold"] > 0.95


def test_datagrams_have_the_size_of_their_messages_and_are_fragmented() -> None:
    for shape, fragments in (([4], 1), ([30, 30, 3], 2)):
        arguments = {"shape": shape, "dtype": "uint8"}
        with open_counter(plant_arguments=arguments, communication_report=True) as env:
            observation, _ = env.reset(seed=1)
            assert observation.shape == tuple(shape)
            for _ in range(5):
                observation, *_ = env.step(0)
                assert (observation == observation.flat[0]).all()
            report = env.communication_report().to_dict()
            (path,) = [each for each in report["paths"] if each["sender"] == "observation_0"]
            (flow,) = [each for each in report["flows"] if each["kind"] == "observation"]
            messages, size = flow["tx_messages"], math.prod(shape)
            assert size < flow["tx_payload_bytes"] / messages < size + 60
            assert path["packets"] == messages
            assert path["ip_bytes"] == flow["tx_bytes"] + messages * (8 + 20)
            further = 20 * (fragments - 1) + 2 * fragments  # headers of IP and PPP
            assert path["wire_bytes"] == path["ip_bytes"] + messages * further


def test_tcp_delivers_all_observations_in_order_despite_losses() -> None:
    with open_counter(over="tcp", loss=0.05, delay="2ms") as env:
        _, info = env.reset(seed=1)
        ticks = [info["tick"]]
        while len(ticks) < 150:
            ticks.append(env.step(1)[-1]["tick"])
        assert ticks == list(range(150))


def test_masks_arrive_with_their_observations_and_infos_are_of_the_last_step() -> None:
    late = {"over": "simple", "delay": "30ms", "tick": "20ms", "decide": "clock"}
    with contextlib.closing(
        defiance_zoo.networked(
            "networked_plants:Masked", plant_infos=True, plant_options={"first": 3}, **late
        )
    ) as env:
        observation, info = env.reset(seed=1)
        for step in range(20):
            assert observation == 3 + step
            assert np.flatnonzero(info["action_mask"]) == [observation]
            assert info["plant_count"] == observation + 2  # the delay is two steps
            observation, *_, info = env.step(int(observation))


def test_a_plant_with_masks_plays_as_the_plain_environment() -> None:
    with contextlib.closing(
        defiance_zoo.networked("Taxi-v3", over="simple", plant_infos=True)
    ) as env:
        plain = gymnasium.make("Taxi-v3")
        for seed in SEEDS:
            (observation, info), (expected, known) = env.reset(seed=seed), plain.reset(seed=seed)
            for _ in range(STEPS):
                assert (observation, info["plant_prob"]) == (expected, known["prob"])
                assert (info["action_mask"] == known["action_mask"]).all()
                action = int(np.flatnonzero(info["action_mask"])[-1])
                observation, *_, info = env.step(action)
                expected, *_, known = plain.step(action)


def test_windows_have_a_mask_and_ages() -> None:
    with open_counter(loss=0.4, delay="30ms", window=4, max_cycles=40) as env:
        for over in ("simple", "udp"):
            observation, info = env.reset(seed=5, options={"over": over})
            missing = 0
            for _ in range(40):
                assert env.observation_space.contains(observation)
                slots = zip(observation["observations"], observation["mask"], strict=True)
                for slot, (value, is_there) in enumerate(slots):
                    tick = info["tick"] - slot
                    assert value[0] == (tick if is_there else 0)
                    assert tick >= 0 or not is_there
                    missing += not is_there
                assert observation["mask"][0] == 1
                ages = observation["ages"]
                assert ages[0] == pytest.approx(info["age"], rel=1e-6)
                assert np.diff(ages) == pytest.approx(0.02)
                observation, _, _, _, info = env.step(1)
            assert 20 < missing < 120


def make_plain(plant: str, kind: str, **arguments: Any) -> Any:
    if "/" in plant:
        return pettingzoo.make(kind, plant, **arguments)
    module, name = plant.split(":")
    return getattr(importlib.import_module(module), name)(**arguments)


@WARNS
@pytest.mark.parametrize("plant", TEAMS)
def test_several_agents_equal_the_plain_environment(plant: str) -> None:
    arguments = TEAMS[plant]
    with contextlib.closing(
        defiance_zoo.networked(plant, over="simple", link="local", plant_arguments=arguments)
    ) as env:
        for seed in SEEDS:
            plain = make_plain(plant.replace("make_turns", "Team"), "parallel", **arguments)
            observations, _ = env.reset(seed=seed)
            expected, _ = plain.reset(seed=seed)
            names = dict(zip(env.possible_agents, plain.possible_agents, strict=True))
            for each in plain.possible_agents:
                plain.action_space(each).seed(seed)
            while env.agents:
                for agent, value in observations.items():
                    compare(value, expected[names[agent]])
                actions = {agent: plain.action_space(names[agent]).sample() for agent in env.agents}
                observations, rewards, terminated, truncated, _ = env.step(actions)
                expected, *others, _ = plain.step({names[each]: a for each, a in actions.items()})
                found = [
                    {names[k]: v for k, v in d.items()} for d in (rewards, terminated, truncated)
                ]
                assert found == others
            assert not plain.agents
            plain.close()


@WARNS
@pytest.mark.parametrize("plant", TURNS)
def test_agents_in_turn_equal_the_plain_environment_over_any_network(plant: str) -> None:
    with contextlib.closing(
        defiance_zoo.networked(plant, api="aec", tick=None, over="tcp", delay="5ms", link="local")
    ) as env:
        for seed in SEEDS:
            plain, rng = make_plain(plant, "aec"), np.random.default_rng(seed)
            env.reset(seed=seed)
            plain.reset(seed=seed)
            names = dict(zip(env.possible_agents, plain.possible_agents, strict=True))
            for agent in env.agent_iter():
                seen, reward, terminated, truncated, info = env.last()
                if terminated or truncated:
                    env.step(None)
                    continue
                assert names[agent] == plain.agent_selection
                expected, *others, _ = plain.last()
                compare(seen["observation"], expected["observation"])
                assert [reward, terminated, truncated] == others
                assert info["age"] > 0.005
                action = int(rng.choice(np.flatnonzero(seen["action_mask"])))
                env.step(action)
                plain.step(action)
            assert all(plain.terminations.values())


def test_plants_share_each_network() -> None:
    spec = lookup(f"networked:{COUNTER}")
    with contextlib.closing(spec.parallel_env(plants=2, max_cycles=4, link="local")) as env:
        for network, over in (
            ("point-to-point", "tcp"),
            ("csma", "udp"),
            ("wifi", "udp"),
            ("wifi", "tcp"),
            ("lte", "udp"),
        ):
            env.reset(seed=1, options={"network": network, "over": over})
            ages = set()
            while env.agents:
                *_, infos = env.step(dict.fromkeys(env.agents, 1))
                ages |= {(agent, each.get("age", 0.01)) for agent, each in infos.items()}
            assert {agent for agent, _ in ages} == {"agent_0", "agent_1"}
            assert all(0 < age < 0.1 for _, age in ages)


def test_plants_wait_for_each_other_before_a_bottleneck() -> None:
    """Observations of one instant leave one after the other: the i-th waits for i - 1 others."""
    spec = lookup(f"networked:{COUNTER}")
    with contextlib.closing(
        spec.parallel_env(plants=4, data_rate="1Mbps", max_cycles=8, link="local")
    ) as env:
        env.reset(seed=1)
        ages: dict[str, float] = {}
        for _ in range(16):
            *_, infos = env.step(dict.fromkeys(env.agents, 1))
            ages.update({k: each["age"] for k, each in infos.items() if "age" in each})
        first, *others = sorted(ages.values())
        assert [each / first for each in others] == pytest.approx([2, 3, 4], rel=0.05)


NOISY = {"loss": 0.2, "delay": "25ms", "window": 3, "max_cycles": 12}


def test_forked_episodes_equal_fresh_ones() -> None:
    spec = lookup("networked:CartPole-v1")
    forked, fresh = spec.raw_env(launch="fork", **NOISY), spec.raw_env(launch="spawn", **NOISY)
    assert play(forked, 1, episodes=2) == play(fresh, 1, episodes=2)
    forked.close()
    fresh.close()


@pytest.mark.parametrize("interface", INTERFACES)
def test_restored_episodes_equal_uninterrupted_ones(interface: str) -> None:
    spec = lookup("networked:networked_plants:Nested")
    compare_with_uninterrupted(spec, interface, loss=0.2, delay="5ms", max_cycles=20)


def test_seeds_of_any_size_are_accepted() -> None:
    with contextlib.closing(defiance_zoo.networked("CartPole-v1", link="local")) as env:
        first, again, other = (env.reset(seed=seed)[0] for seed in (2**63, 2**63, 2**100))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_the_seed_of_the_plant_can_differ_from_the_networks() -> None:
    with contextlib.closing(defiance_zoo.networked("CartPole-v1", loss=0.5, link="local")) as env:
        plain = [env.reset(seed=seed) for seed in (7, 7, 8)]
        mixed = [env.reset(seed=seed, options={"plant_seed": 5}) for seed in range(8)]
        later = [env.reset() for _ in range(2)]
    assert np.array_equal(plain[0][0], plain[1][0])
    assert not np.array_equal(plain[0][0], plain[2][0])
    first = [observation for observation, info in mixed if info["tick"] == 0]
    assert 1 < len(first) < 8  # other losses, and the same state
    assert all(np.array_equal(first[0], each) for each in first)
    assert not np.array_equal(later[0][0], later[1][0])


def test_a_saved_vector_continues_with_the_same_plants() -> None:
    with contextlib.closing(
        defiance_zoo.make_vec("networked:Pendulum-v1", 2, resumable=True, loss=0.2)
    ) as env:
        env.reset(seed=3)
        actions = np.ones((2, 1), np.float32)
        for _ in range(4):
            env.step(actions)
        state = env.state_dict()
        following = exact(env.step(actions))
        env.load_state_dict(state)
        assert exact(env.step(actions)) == following


@pytest.mark.parametrize(
    ("plant", "arguments", "message"),
    [
        ("NoSuchPlant-v0", {}, "plant 'NoSuchPlant-v0' cannot be made"),
        (":make", {}, "':make' needs one colon, after a module"),
        ("no_such_module:make", {}, f"cannot be imported.* the current folder, {Path.cwd()}"),
        ("no_such.py:make", {}, "did you mean no_such:make, from the folder [.]?"),
        ("own/no_such.py:make", {}, "did you mean no_such:make, from the folder own?"),
        ("gymnasium:Env", {}, "it has no observation_space and no action_space$"),
        (lambda: None, {}, "has no name in a module"),
        (networked_plants.Counter(), {}, "is neither a name nor a function"),
        ("CartPole-v1", {"plant_arguments": {"shape": object()}}, "written as JSON"),
        ("CartPole-v1", {"plant_options": {"low": object()}}, "written as JSON"),
        ("CartPole-v1", {"hold": "wait"}, "hold"),
    ],
)
def test_unknown_plants_and_arguments_are_refused_by_name(
    plant: Any, arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(ParameterError, match=message):
        defiance_zoo.networked(plant, **arguments)


def test_what_no_simulation_can_play_is_refused_by_name() -> None:
    with contextlib.closing(
        defiance_zoo.networked(networked_plants.make_kind, over="simple", link="local")
    ) as env:
        for options, message in (
            ({"plant_arguments": '{"kind": "thread"}'}, "cannot run inside a simulation.*a thread"),
            ({"plant_arguments": '{"kind": "display"}'}, "has no display"),
            ({"plant_arguments": '{"kind": "number"}'}, "is no environment"),
            (
                {"plant_arguments": '{"kind": "nested"}', "window": 2},
                "window=2 needs a plant whose",
            ),
            ({"plant_arguments": '{"kind": "large"}', "over": "udp"}, "use over=tcp"),
            ({"plant_arguments": "{"}, "plant_arguments.*not an object in JSON"),
            ({"plant_options": "[1]"}, "plant_options.*not an object in JSON"),
            ({"network": "wifi"}, "over=simple has no network"),
        ):
            with pytest.raises(ParameterError, match=message):
                env.reset(seed=1, options=options)


def test_a_recorded_plant_is_replayed_only_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    plant = "networked:CartPole-v1"
    options = ("--episodes", "1", "-p", "tick=50ms", "-p", "loss=0.2", "--record", "all")
    status, *said = call("random", plant, *options)
    assert status == 0, said
    (episode,) = Path("all").iterdir()
    status, _, failed = call("replay", episode)
    assert status == 2
    assert f"--env {plant}" in failed
    status, *said = call("replay", episode, "--env", plant)
    assert status == 0, said
