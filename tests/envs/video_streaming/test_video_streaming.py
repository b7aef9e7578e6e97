# SPDX-License-Identifier: GPL-2.0-only
"""video_streaming_v0 in every mode: checkers, rewards, lost answers, bad parameters."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import gymnasium
import numpy as np
import pytest
from conformance import Conformance, SingleAgentConformance
from gymnasium import spaces
from pettingzoo.test import max_cycles_test

from defiance_zoo.bridge.codec import element_names
from defiance_zoo.bridge.system.capacity_traces import read_capacity_trace
from defiance_zoo.envs import video_streaming_v0
from defiance_zoo.envs.video_streaming.video import ELEMENTS, HIGHEST
from defiance_zoo.errors import ParameterError

Arguments = dict[str, Any]

pytestmark = [
    # Before the first chunk nothing has been downloaded.
    pytest.mark.filterwarnings("ignore:Observation numpy array is all zeros"),
    pytest.mark.filterwarnings("ignore:Action space for each agent probably should be"),
]


class Short:
    """Arguments that keep episodes short."""

    spec = video_streaming_v0.SPEC
    short: ClassVar[Arguments] = {"chunks": 8}


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param({}, id="local"),
        pytest.param(
            {"placement": "remote", "transport": "udp", "delay": "20ms", "loss": 0.2}, id="udp"
        ),
    ],
)
class TestOneClient(Short, SingleAgentConformance):
    """A client with its own bottleneck."""


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param({"clients": 2, "bottleneck": "shared", "reward": "mixed"}, id="shared"),
        pytest.param(
            {"clients": 3, "capacity": "held_out", "qoe": "hd"},
            id="own",
            marks=pytest.mark.thorough,
        ),
        pytest.param(
            {"clients": 2, "placement": "remote", "transport": "tcp", "access": "wifi",
             "connection": "per_chunk"},
            id="wifi",
            marks=pytest.mark.thorough,
        ),
    ],
)  # fmt: skip
class TestSeveralClients(Short, Conformance):
    """An agent for each client."""

    short: ClassVar[Arguments] = {"chunks": 5}


@pytest.mark.parametrize("arguments", [pytest.param({"clients": 3}, id="three")])
class TestCentral(Short, SingleAgentConformance):
    """One agent for all clients."""

    short: ClassVar[Arguments] = {"chunks": 3, "placement": "central", "bottleneck": "shared"}


def test_max_cycles_truncates_episodes() -> None:
    max_cycles_test(video_streaming_v0)


def test_spaces_and_names_depend_on_the_parameters() -> None:
    env = video_streaming_v0.parallel_env(link="local")
    assert env.possible_agents == ["agent_0"]
    space = env.observation_space("agent_0")
    assert space == spaces.Box(np.zeros(25, np.float32), np.array(HIGHEST, np.float32))
    assert element_names(space) == ELEMENTS
    assert env.action_space("agent_0") == spaces.Discrete(6)
    observations, infos = env.reset(seed=1)
    assert observations["agent_0"][:16].tolist() == [0] * 16
    assert observations["agent_0"][-3:].tolist() == [0, 48, 0]
    assert infos["agent_0"]["qoe"] == "linear"
    env.close()
    central = video_streaming_v0.parallel_env(clients=2, placement="central")
    assert central.action_space("agent_0") == spaces.MultiDiscrete([6, 6])
    assert element_names(central.observation_space("agent_0"))[24:26] == (
        "last_rate_0",
        "throughput_7_1",
    )
    central.close()


def play(choices: dict[str, int], **arguments: Any) -> tuple[dict[str, float], dict[str, int]]:
    """Play an episode; return the return and the number of decisions of each agent."""
    env = video_streaming_v0.raw_env(link="local", clients=len(choices), **arguments)
    env.reset(seed=1)
    earned, decisions = dict.fromkeys(choices, 0.0), dict.fromkeys(choices, 0)
    for agent in env.agent_iter():
        _, reward, terminated, truncated, _ = env.last()
        assert not truncated
        earned[agent] += reward
        decisions[agent] += not terminated
        env.step(None if terminated else choices[agent])
    env.close()
    return earned, decisions


def test_rewards_are_own_mixed_or_the_mean() -> None:
    choices = {"agent_0": 0, "agent_1": 4}
    given: Arguments = {"chunks": 6, "capacity": "constant", "bottleneck": "shared"}
    own, decisions = play(choices, **given)
    assert decisions == {"agent_0": 6, "agent_1": 6}
    assert own["agent_0"] != own["agent_1"]
    mean = sum(own.values()) / 2
    for weight, reward in ((1.0, {"reward": "mean"}), (0.25, {"reward": "mixed", "mix": 0.25})):
        earned, decided = play(choices, **given, **reward)
        assert decided == decisions
        for agent in choices:
            assert earned[agent] == pytest.approx((1 - weight) * own[agent] + weight * mean)


def test_a_trace_is_random_or_chosen_by_number() -> None:
    """Equal numbers are equal traces for any seed; without a number, the seed chooses."""
    ends = {}
    for trace in (-1, 3, 4):
        for seed in (1, 2):
            env = video_streaming_v0.parallel_env(link="local", chunks=5, trace=trace)
            env.reset(seed=seed)
            while env.agents:
                *_, infos = env.step({"agent_0": 3})
            ends[trace, seed] = infos["agent_0"]["sim_time_ns"]
            env.close()
    assert ends[3, 1] == ends[3, 2] != ends[4, 1] == ends[4, 2]
    assert ends[-1, 1] != ends[-1, 2]


def test_both_formats_of_a_trace_give_the_same_episode(tmp_path: Path) -> None:
    """2 Mb/s for 2 s, and 1 Mb/s for 3 s; the trace of the file replaces the generated ones."""
    columns, times = tmp_path / "columns.txt", tmp_path / "mahimahi.trace"
    columns.write_text("0.0 9\n2.0 2\n5.0 1\n")
    times.write_text("".join(f"{6 * i}\n" for i in range(1, 334)))
    slow = "".join(f"{1992 + 12 * i}\n" for i in range(1, 251))
    times.write_text(f"{times.read_text()}{slow}5000\n")
    lines = read_capacity_trace(columns)
    assert lines == pytest.approx(read_capacity_trace(times), abs=9)
    assert len(lines) == 584  # 7 Mb, and the end
    columns.write_text("0 0\n5 0\n")
    assert read_capacity_trace(columns) == [5000]
    columns.write_text("0.0 9\n2.0 2\n5.0 1\n")
    ends = []
    for seed, bottleneck in ((1, "own"), (2, "own"), (1, "shared")):
        given = {"trace_file": str(columns), "chunks": 3, "bottleneck": bottleneck}
        env = video_streaming_v0.parallel_env(link="local", **given)
        env.reset(seed=seed)
        while env.agents:
            *_, infos = env.step({"agent_0": 1})
        ends.append(infos["agent_0"]["sim_time_ns"])
        env.close()
    assert ends[0] == ends[1]
    assert ends[2] == pytest.approx(ends[0], rel=0.2)


def test_a_client_without_an_answer_repeats_its_last_bitrate() -> None:
    """All answers are late: the client plays the lowest bitrate, each chunk after its timeout."""
    env = video_streaming_v0.parallel_env(
        link="local", placement="remote", transport="udp", action_delay="10s", chunks=5,
        capacity="constant", patience="250ms",
    )  # fmt: skip
    env.reset(seed=1)
    shown = []
    while env.agents:
        *_, infos = env.step({"agent_0": 5})
        shown.append(infos["agent_0"])
    env.close()
    assert [each["rate"] for each in shown] == [300] * 5
    assert all(0.25 < each["download_time"] < 1.0 for each in shown)


def test_a_client_waits_while_its_buffer_is_full() -> None:
    env = video_streaming_v0.parallel_env(
        link="local", capacity="constant", rate="10Mbps", buffer_limit="10s", chunks=20
    )
    env.reset(seed=1)
    buffers = []
    while env.agents:
        observations, *_ = env.step({"agent_0": 0})
        buffers.append(float(observations["agent_0"][-3]))
    env.close()
    assert 9.5 < max(buffers[:-1]) <= 10


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"clients": 0}, "clients.*1.*100"),
        ({"qoe": "best"}, "qoe.*linear.*log.*hd"),
        ({"capacity": "constant", "trace": 3}, "trace=3 needs capacity=training"),
        ({"capacity": "held_out", "trace": 100}, "trace=100 is not among the 100 of held_out"),
        ({"trace_file": "/no/such"}, "trace_file=/no/such: .*No such file"),
        ({"trace_file": __file__}, "in line 1; each line must be a whole number"),
        ({"reward": "mean"}, "reward=mean needs several clients"),
        ({"buffer_limit": "1s"}, "buffer_limit.*4.*3600"),
        ({"bottlenek": "own"}, "bottlenek.*did you mean 'bottleneck'"),
    ],
)
def test_bad_parameters_are_refused(arguments: Arguments, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        video_streaming_v0.raw_env(**arguments).reset()


def test_pictures_are_drawn() -> None:
    env = video_streaming_v0.parallel_env(link="local", chunks=3, render_mode="ansi", clients=2)
    env.reset(seed=1)
    while env.agents:
        env.step(dict.fromkeys(env.agents, 1))
    lines = env.render().splitlines()
    env.close()
    assert lines[0].startswith("t = ")
    assert [line.partition(" |")[0].rpartition(" ")[0] for line in lines[1:]] == [
        f"{agent}: {title}"
        for agent in ("agent_0", "agent_1")
        for title in ("bitrate, Mb/s", "buffer, s", "throughput, Mb/s")
    ]


def test_gymnasium_makes_the_environment() -> None:
    env = gymnasium.make("defiance_zoo/VideoStreaming-v0", chunks=2)
    env.reset(seed=1)
    env.step(0)
    assert env.step(0)[2]
    env.close()
