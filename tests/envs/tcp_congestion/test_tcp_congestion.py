# SPDX-License-Identifier: GPL-2.0-only
"""tcp_congestion_v0 in every mode: checkers, joining and leaving flows, rewards, bad parameters."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, ClassVar

import gymnasium
import numpy as np
import pytest
from conformance import Conformance, SingleAgentConformance
from gymnasium import spaces

from defiance_zoo.envs.tcp_congestion import tcp_congestion_v0, tcp_congestion_v1, traces
from defiance_zoo.errors import ParameterError

Arguments = dict[str, Any]
IN_BAND: Arguments = {"placement": "remote", "transport": "udp", "access": "in-band"}


class Short:
    """Arguments that keep episodes short."""

    spec = tcp_congestion_v0.SPEC
    short: ClassVar[Arguments] = {
        "duration": "0.8s",
        "bottleneck_rate": "2Mbps",
        "max_window": 30,  # otherwise random actions take long to cause a loss
    }
    eventful: ClassVar[Arguments] = {"bottleneck_loss": 0.02}


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param({}, id="window"),
        pytest.param(
            {"control": "rate", "action_space": "continuous"},
            id="rate-continuous",
            marks=pytest.mark.long,
        ),
        pytest.param({"observation": "relative", "interval": 0}, id="rtt"),
        pytest.param(
            # Only socket buffers limit the window that agents choose.
            {"control": "per_ack", "socket_buffer": 2**16},
            id="per_ack",
        ),
        pytest.param({"placement": "central", "flows": 2}, id="central"),
        pytest.param({"queue_agent": True, "algorithm": "cubic", "flows": 2}, id="queue"),
        pytest.param(
            {"capacity_trace": traces.path("outages")}, id="trace", marks=pytest.mark.long
        ),
    ],
)
@pytest.mark.filterwarnings(
    "ignore:Action space for each agent probably should be",  # a central agent's
    "ignore:.*symmetric and normalized",  # of numbers of bytes
    "ignore:Your action space has dtype float64",  # the same
    "ignore:.*alternative render modes",
)
class TestOneAgent(Short, SingleAgentConformance):
    """The checkers of every interface."""


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param({}, id="window"),
        pytest.param({"control": "rate", "action_space": "proportional"}, id="rate"),
        pytest.param({"placement": "central", "flows": 2}, id="central"),
        pytest.param({"queue_agent": True, "algorithm": "cubic"}, id="queue"),
    ],
)
@pytest.mark.filterwarnings(
    "ignore:Action space for each agent probably should be",  # a central agent's
    "ignore:.*symmetric and normalized",  # of a probability
    "ignore:Observation numpy array is all zeros",  # of an empty queue
)
class TestVersion1(Short, SingleAgentConformance):
    """The checkers of every interface, with histories and continuous actions by default."""

    spec = tcp_congestion_v1.SPEC
    short: ClassVar[Arguments] = {**Short.short, "interval": "50ms"}


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(
            {"flows": 3, "join_interval": "0.3s", "stay": "0.4s", "reward": "cooperative"},
            id="joining-and-leaving",
        ),
        pytest.param(
            {"topology": "parking-lot", "flows": 3, "reward": "mixed", "queue_agent": True},
            id="parking-lot-with-queues",
            marks=pytest.mark.long,
        ),
        pytest.param({**IN_BAND, "flows": 2, "queue_agent": True}, id="in-band"),
        pytest.param(
            {
                "cross_flows": 1,
                "flows": 2,
                "control": "per_ack",
                "socket_buffer": 2**16,
                "duration": "2s",
            },
            id="per_ack-with-cross-traffic",
            marks=pytest.mark.long,
        ),
    ],
)
@pytest.mark.filterwarnings(
    "ignore:Agents have different",  # senders and bottlenecks
    "ignore:Observations are different shapes",
    "ignore:Observation numpy array is all zeros",  # of an empty queue
)
class TestManyAgents(Short, Conformance):
    """The checkers of every interface for many agents."""


@pytest.mark.parametrize("algorithm", ["newreno", "cubic", "bbr", "vegas"])
def test_ns3s_own_algorithms_ignore_actions(algorithm: str) -> None:
    """Actions have no effect."""
    given = {"algorithm": algorithm, "queue_discipline": "red", "ecn": True, "duration": "2s"}
    infos = [play(action, **given)[-1][4]["agent_0"] for action in (0, 4)]
    assert infos[0] == infos[1]
    assert infos[0]["received_bytes"] > 500_000


# ---------------------------------------------------------------- spaces


@pytest.mark.parametrize(
    ("arguments", "observation", "action"),
    [
        ({}, (11, np.float32), spaces.Discrete(5)),
        ({"observation": "relative"}, (6, np.float32), spaces.Discrete(5)),
        ({"action_space": "continuous"}, (11, np.float32), spaces.Box(-1, 1, (1,), np.float32)),
        (
            {"action_space": "proportional", "observation": "history"},
            (33, np.float32),
            spaces.Discrete(9),
        ),
        (
            {"control": "per_ack"},
            (10, np.float64),
            spaces.Box(0, 4294967295, (2,), np.float64),
        ),
        (
            {"placement": "central", "flows": 3},
            (33, np.float32),
            spaces.MultiDiscrete([5] * 3),
        ),
        ({"queue_agent": True, "algorithm": "bbr"}, (6, np.float32), spaces.Discrete(7)),
    ],
)
def test_spaces_depend_on_the_parameters(
    arguments: Arguments, observation: tuple[int, Any], action: spaces.Space[Any]
) -> None:
    env = tcp_congestion_v0.parallel_env(**arguments)
    seen = env.observation_space("agent_0")
    assert isinstance(seen, spaces.Box)
    assert (seen.shape, seen.dtype) == ((observation[0],), observation[1])
    assert seen.is_bounded()
    assert env.action_space("agent_0") == action
    env.close()


# ---------------------------------------------------------------- actions and flows


def play(action: Any, **arguments: Any) -> list[Any]:
    """Play an episode with one action; return the results of each step."""
    env = tcp_congestion_v0.parallel_env(link="local", **arguments)
    env.reset(seed=1)
    steps = []
    while env.agents:
        steps.append(env.step(dict.fromkeys(env.agents, action)))
    env.close()
    return steps


def windows(action: Any, **arguments: Any) -> list[float]:
    given = {"duration": "0.4s", "initial_window": 4, "start_jitter": 0, **arguments}
    seen = [step[0]["agent_0"][1] for step in play(action, **given) if "agent_0" in step[0]]
    return [float(window) for window in seen[1:5]]


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        (0, [1, 1, 1, 1]),
        (1, [2, 1, 1, 1]),
        (2, [4, 4, 4, 4]),
        (3, [6, 7, 8, 9]),
        (4, [16, 32, 64, 128]),
    ],
)
def test_each_discrete_action_changes_the_window_by_its_step(
    action: int, expected: list[float]
) -> None:
    assert windows(action) == expected


@pytest.mark.parametrize(("exponent", "factor"), [(-0.5, 2**-0.5), (0.5, 2**0.5), (1.0, 2.0)])
def test_a_continuous_action_is_an_exponent_of_the_window(exponent: float, factor: float) -> None:
    action = np.array([exponent], np.float32)
    seen = windows(action, action_space="continuous", initial_window=40, max_window=5000)
    assert seen == pytest.approx([40 * factor**n for n in (2, 3, 4, 5)], rel=1e-3)


def test_a_flow_keeps_its_pacing_rate() -> None:
    """The sent rate equals the set one: payload in Mb/s, from 10 segments in 40 ms on."""
    (*_, last) = play(2, control="rate", duration="3s")[:-1]
    rate = 8 * 10 * 1448 / 0.04 / 1e6
    assert last[0]["agent_0"][10] == pytest.approx(rate, rel=1e-3)
    assert last[0]["agent_0"][9] == pytest.approx(rate, rel=0.15)  # of one interval


def test_an_interval_may_be_a_round_trip_time() -> None:
    times = [step[4]["agent_0"]["sim_time_ns"] for step in play(2, interval=0, duration="1s")]
    assert all((np.diff(times[2:-1]) > 41e6) & (np.diff(times[2:-1]) < 46e6))


def test_flows_can_join_and_leave() -> None:
    given = {"flows": 3, "join_interval": "1s", "stay": "1.5s", "start_jitter": 0}
    env = tcp_congestion_v0.raw_env(link="local", duration="6s", socket_buffer=2**16, **given)
    env.reset(seed=1)
    decided: dict[str, list[float]] = {}
    ended: dict[str, bool] = {}
    for agent in env.agent_iter():
        *_, terminated, truncated, info = env.last()
        if terminated or truncated:
            ended[agent] = terminated
        else:
            decided.setdefault(agent, []).append(info["sim_time_ns"] / 1e9)
        env.step(None if terminated or truncated else 2)
    env.close()
    assert ended == dict.fromkeys(["agent_0", "agent_1", "agent_2"], True)
    for number, (agent, times) in enumerate(sorted(decided.items())):
        assert number < times[0] < number + 0.2, agent
        assert number + 1.4 < times[-1] < number + 2.5, agent


def test_a_central_agent_sets_each_window() -> None:
    env = tcp_congestion_v0.parallel_env(
        link="local", placement="central", flows=2, duration="0.5s", start_jitter=0
    )
    env.reset(seed=1)
    while env.agents:
        observations, *_ = env.step({agent: np.array([0, 3]) for agent in env.agents})
        seen = observations["agent_0"]
    env.close()
    assert seen[1] == 1.0 < 11 < seen[12]


@pytest.mark.parametrize("placement", ["local", "central"])
def test_infos_equal_throughput_and_round_trip_time_of_observations(placement: str) -> None:
    given = {"flows": 2, "placement": placement, "algorithm": "vegas", "duration": "2s"}
    env = tcp_congestion_v0.parallel_env(link="local", **given)
    env.reset(seed=1)
    for seed, agent in enumerate(env.possible_agents):
        env.action_space(agent).seed(seed)
    while env.agents:
        actions = {agent: env.action_space(agent).sample() for agent in env.agents}
        observations, *_, infos = env.step(actions)
        for agent, observation in observations.items():
            flows = observation.reshape(-1, 11)
            known = flows[flows[:, 7] > 0]
            told = [infos[agent][name] for name in ("throughput", "round_trip_time")]
            seen = [known[:, 9].sum(), known[:, 7].mean() if len(known) else 0]
            assert told == pytest.approx(seen, rel=1e-5)
    env.close()
    assert infos["agent_0"]["throughput"] > 1


def test_a_bottleneck_agent_sets_the_probability_of_marks_and_drops() -> None:
    given = {"queue_agent": True, "algorithm": "newreno", "duration": "2s", "buffer": 5000}
    drops, marks = {}, {}
    for action in (0, 5):
        for ecn in (False, True):
            (*_, last) = play(action, ecn=ecn, **given)
            drops[action, ecn] = last[4]["agent_0"]["queue_drops"]
            marks[action, ecn] = last[4]["agent_0"]["queue_marks"]
    assert drops[0, False] == drops[0, True] == drops[5, True] == 0 < drops[5, False]
    assert marks[0, False] == marks[0, True] == marks[5, False] == 0 < marks[5, True]


# ---------------------------------------------------------------- rewards


def rewards_of(kind: str, **arguments: Any) -> tuple[list[dict[str, float]], list[Any]]:
    given = {"flows": 2, "duration": "1s", "start_jitter": 0, "leaf_jitter": 0}
    steps = play(2, reward=kind, **{**given, **arguments})[2:-1]
    return [step[1] for step in steps], [step[0] for step in steps]


def own(seen: Any) -> float:
    delay, loss = max(0.0, seen[7] / 40 - 1), seen[5] / seen[4] if seen[4] else 0.0
    return float(seen[9] / 10 - 0.5 * delay - loss)


def shared(observations: dict[str, Any]) -> float:
    total = 0.0
    for seen in observations.values():
        share = seen[9] / 10
        total += math.log(max(0.01, 2 * share)) - share + own(seen)
    return total


def test_the_competitive_reward_is_each_agents_own() -> None:
    for rewards, observations in zip(*rewards_of("competitive"), strict=True):
        for agent, reward in rewards.items():
            assert reward == pytest.approx(own(observations[agent]), abs=1e-3)


def test_the_cooperative_reward_is_shared() -> None:
    for rewards, observations in zip(*rewards_of("cooperative"), strict=True):
        assert list(rewards.values()) == pytest.approx([shared(observations)] * 2, abs=1e-3)


def test_the_mixed_reward_combines_own_and_shared() -> None:
    for rewards, observations in zip(*rewards_of("mixed", mix=0.25), strict=True):
        for agent, reward in rewards.items():
            expected = 0.75 * own(observations[agent]) + 0.25 * shared(observations)
            assert reward == pytest.approx(expected, abs=1e-3)


# ---------------------------------------------------------------- parameters


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"flows": 0}, r"flows=0 is not within \[1, 100\]"),
        ({"algorithm": "reno"}, "algorithm='reno' is not one of .*newreno"),
        ({"algorithm": "linux:bbr"}, "algorithm='linux:bbr': .*`make linux-tcp`"),
        ({"algorithm": {"agent_0": "linux:bbr"}}, "algorithm='linux:bbr': .*`make linux-tcp`"),
        ({"interval": "0.5ms"}, "interval must be 1ms to 10s, or 0"),
        ({"interval": "2s", "duration": "1s"}, "duration=.* is shorter than interval="),
        ({"bottleneck_loss": 0.6}, r"bottleneck_loss=0.6 is not within \[0, 0.5\]"),
        ({"control": "rate", "algorithm": "cubic"}, "algorithm=cubic decides by itself"),
        ({"control": "per_ack", "placement": "remote"}, "it needs placement=local"),
        ({"control": "per_ack", "action_delay": "1ms"}, "no action_delay"),
        ({"control": "per_ack", "service_time": "1ms"}, "no workers or service_time"),
        ({"control": "per_ack", "observation": "relative"}, "needs action_space=discrete"),
        ({"placement": "central", "interval": 0}, "placement=central decides for all flows"),
        ({"placement": "central", "queue_agent": True}, "needs placement=local or"),
        ({"queue_agent": True, "queue_discipline": "red"}, "queue_discipline=red does not apply"),
        ({"queue_agent": True, "interval": 0}, "queue_agent=true needs a common interval"),
        ({"ecn": True}, "queue_discipline=fifo marks nothing"),
        ({"initial_window": 500, "max_window": 400}, "initial_window=500 is more than"),
        ({"capacity_steps": "1:5,0.5:6"}, "capacity_steps=1:5,0.5:6 is not seconds:Mb/s"),
        ({"capacity_steps": "1:5", "capacity_trace": "x"}, "give one of them"),
        ({"capacity_trace": "nowhere"}, "capacity_trace=nowhere cannot be read"),
        ({"capacity_trace": "/"}, "capacity_trace=/ cannot be read: Is a directory"),
        ({"capacity_trace": "/dev/zero"}, "cannot be read: it is not a regular file"),
    ],
)
def test_bad_parameters_are_refused(arguments: Arguments, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        tcp_congestion_v0.raw_env(**arguments).reset(seed=1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "must end above 0 ms"),
        ("0\n", "must end above 0 ms"),
        ("1\n\n1.5\n", "has '1.5' in line 3"),
        ("0 1\n1 nan\n", "has '1 nan' in line 2"),
        ("5\n4\n", "goes back from 5 to 4 ms in line 2"),
    ],
)
def test_bad_traces_are_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "bad.trace"
    path.write_text(text)
    env = tcp_congestion_v0.raw_env(capacity_trace=str(path))
    with pytest.raises(ParameterError, match=message):
        env.reset(seed=1)
    env.close()


def test_gymnasium_makes_the_environment() -> None:
    env = gymnasium.make("defiance_zoo:defiance_zoo/TcpCongestion-v1", duration="0.5s")
    observation, _ = env.reset(seed=1)
    assert observation in env.observation_space
    env.close()
