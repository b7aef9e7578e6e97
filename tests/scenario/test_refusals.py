# SPDX-License-Identifier: GPL-2.0-only
"""Mistakes raise errors with their line; they do not end the process."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from defiance_zoo import EnvironmentSpec, Scenario
from defiance_zoo.errors import (
    DeadWiringWarning,
    InvalidObservation,
    ScenarioError,
    SimulationCrashed,
    SimulationError,
)

PROGRAM = Path(__file__).with_name("programs") / "refused.py"
SPEC = EnvironmentSpec("refused_v0", Scenario.python("refused", PROGRAM))


@pytest.fixture
def env() -> Iterator[Any]:
    env = SPEC.parallel_env(link="local")
    yield env
    env.close()


def play(env: Any, mistake: str | None) -> None:
    """Play an episode, with a mistake of the program."""
    env.reset(seed=1, options=mistake and {"mistake": mistake})
    while env.agents:
        env.step(dict.fromkeys(env.agents, 0))


def test_the_program_plays_without_a_mistake(env: Any) -> None:
    play(env, "none")


@pytest.mark.parametrize(
    ("mistake", "words"),
    [
        ("bounds", "element 0 of a Box cannot be from 1 to 0"),
        ("bound_nan", "element 0 of a Box cannot be from nan to 1"),
        (
            "bounds_count",
            r"a Box of shape \(2,\) needs one bound, or bounds of this shape, not of \(3,\)",
        ),
        ("dtype", "'float31' is not an element type, such as 'float32'"),
        ("shape", r"\(-1,\) is not a shape"),
        ("shape_number", "3 is not a shape"),
        ("discrete", "Discrete must hold at least one integer of 64 bits, not 0"),
        ("discrete_huge", "Discrete must hold at least one integer of 64 bits, not 1180591620"),
        ("discrete_float", "'float' object cannot be interpreted as an integer"),
        ("multi_discrete", "each element of a MultiDiscrete must hold at least one integer"),
        ("multi_discrete_empty", "a MultiDiscrete needs the number of integers"),
        ("multi_binary", r"\[-2\] is not a shape"),
        ("text_length", "cannot have from 5 to 2 characters"),
        ("text_charset", "must have each character once, unlike ''"),
        ("dict", "a Dict needs spaces by key"),
        ("network", r"10\.0\.0\.1 of 10\.0\.0\.0/24 has been assigned before"),
        ("network_within", r"10\.0\.0\.1 of 10\.0\.0\.0/16 has been assigned before"),
        ("network_bare", "<node [0-9]> has no Internet stack"),
        ("network_reserved", r"127\.0\.0\.0/24 is reserved"),
        ("network_multicast", r"224\.0\.1\.0/24 is reserved"),
        ("network_all", r"0\.0\.0\.0/0 is reserved"),
        ("address", "node [0-9] has no such address: give it an Internet stack and a link before"),
        ("queue_none", "a queue of 0p would lose every packet"),
        ("queue", '20 is not a queue size, such as "100p"'),
        ("connect", "Observation and Action cannot be connected"),
        ("connect_other", "<ns3::PacketSink> is not an Observation, Reward, Action or Agent"),
        ("connect_udp", "node [0-9] has no such address: give it an Internet stack"),
        ("connect_loopback", "node [0-9] has no such address: .* and a link before"),
        ("empirical", "draws from values that only C\\+\\+ can set"),
        ("empirical_attribute", "draws from values that only C\\+\\+ can set"),
        ("remote", r"ns3::OnOffApplication has no Remote: .* Remote=\(b\.address\(\), 9\)"),
        ("remote_later", "ns3::OnOffApplication has no Remote"),
        ("remote_port", "ns3::OnOffApplication has a Remote without a port"),
        ("remote_client", "ns3::UdpClient has no Remote"),
        ("stack", "needs a ns3::UdpSocketFactory, which its node lacks"),
        ("reward", '{reward: "much"} is not a reward: send one number'),
        ("reward_list", r"{reward: \[1, 2\]} is not a reward"),
        ("observation", "In what agent_0 has received from observation_0: on_observation"),
        ("add_twice", "the ns3::PacketSink is on node 0 already"),
        ("pcap_unnamed", "a capture needs a prefix"),
        ("pcap", "there is no folder 'no/such'"),
    ],
)
def test_each_mistake_is_refused_with_its_line(mistake: str, words: str, env: Any) -> None:
    with pytest.raises(ScenarioError, match=words) as raised:
        play(env, mistake)
    assert 'refused.py", line ' in str(raised.value)


def test_an_application_at_which_ns3_aborts_is_named(env: Any) -> None:
    """ns-3 does not list the requirements of an application's start."""
    with pytest.raises(ScenarioError, match="Failed to bind socket") as raised:
        play(env, "bind")
    said = str(raised.value)
    assert said.count("in bind_twice\n    ns3::UdpServer\n") == 2


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ('sc.pcap("p" * 300, link)', r'wrong.py", line 8, in build.*Unable to Open ppp'),
        (
            'a.add("ns3::UdpClient", Remote=(b.address(), 9), Interval="-1s")',
            r"in build\n    ns3::UdpClient\n.*Interval = '-1s'.*delay.IsPositive",
        ),
    ],
)
@pytest.mark.parametrize("launch", ["spawn", "fork"])
def test_an_abort_of_ns3_is_a_failure_of_the_scenario_with_its_line(
    body: str, words: str, launch: str, tmp_path: Path
) -> None:
    file = tmp_path / "wrong.py"
    file.write_text(
        "import defiance_zoo.scenario as sc\n"
        "sim = sc.Simulation('wrong', duration='1s')\n"
        "@sim.episode\n"
        "def build(p):\n"
        "    a, b = sc.nodes(2, internet=True)\n"
        "    agent = sc.Agent(a, sc.Box(0, 1, (1,)), sc.Discrete(2), StepInterval='1ms')\n"
        "    agent.observe(lambda: [1]), agent.on_action(lambda action: None), agent.info(dict)\n"
        f"    link = sc.point_to_point(a, b); {body}\n"
    )
    env = EnvironmentSpec("wrong_v0", Scenario.python("wrong", file)).parallel_env(launch=launch)
    with pytest.raises(ScenarioError, match=f"(?s){words}"):
        play(env, None)
    env.close()


LATE = """
import defiance_zoo.scenario as sc
sim = sc.Simulation("late", duration="2s")

@sim.episode
def build(p):
    a, b = sc.nodes(2, internet=True)
    link = sc.point_to_point(a, b, flow_control=True)
    bucket = sc.queue_disc(link[0], "ns3::TbfQueueDisc", Rate="1Mbps")
    sc.traffic(a, b)
    agent = sc.Agent(a, sc.Box(0, 1, (1,)), sc.Discrete(2), StepInterval="100ms")

    @agent.observe
    def observe():
        agent.reward = 1
        return [0.5]

    @agent.on_action
    def act(action):
        {setting}
"""


@pytest.mark.parametrize(
    ("setting", "words", "error"),
    [
        ('bucket["Rate"] = "0bps"', "ns3::TbfQueueDisc's Rate = '0bps'", ScenarioError),
        (
            'link[0]["DataRate"] = "0bps"',
            "ns3::PointToPointNetDevice's DataRate = '0bps'",
            SimulationCrashed,
        ),
    ],
    ids=["abort", "division by zero"],
)
def test_the_end_of_ns3_in_a_later_event_names_the_line_that_set_the_value(
    setting: str, words: str, error: type[SimulationError], tmp_path: Path
) -> None:
    file = tmp_path / "late.py"
    file.write_text(LATE.format(setting=setting))
    env = EnvironmentSpec("late_v0", Scenario.python("late", file)).parallel_env()

    def play_all() -> None:
        env.reset(seed=1)
        while env.agents:
            env.step({"agent_0": 1})

    with pytest.raises(error) as raised:
        play_all()
    env.close()
    assert re.search(rf'late.py", line \d+, in act\n    {words}', str(raised.value))


def refuse(folder: Path, text: str) -> str:
    """Return the error at which a scenario with this text is refused."""
    file = folder / "wrong.py"
    file.write_text(f"import defiance_zoo.scenario as sc\nsim = sc.Simulation('wrong')\n{text}")
    with pytest.raises(ScenarioError) as raised:
        EnvironmentSpec("wrong_v0", Scenario.python("wrong", file)).raw_env().reset()
    return str(raised.value)


def test_invalid_functions_of_the_episode_are_refused(tmp_path: Path) -> None:
    said = refuse(tmp_path, "@sim.episode\ndef build():\n    sc.nodes(2)\n")
    assert "build() cannot be called by episode: write def build(p)" in said
    assert 'wrong.py", line 3' in said
    assert "no function with @sim.episode" in refuse(tmp_path, "def build(p):\n    sc.nodes(2)\n")


def test_nodes_outside_of_an_episode_are_refused(tmp_path: Path) -> None:
    """Nodes at the top of a module would belong to an episode that has ended."""
    said = refuse(tmp_path, "nodes = sc.nodes(2)\n@sim.episode\ndef build(p):\n    pass\n")
    assert "create them in the function of @sim.episode" in said
    assert 'wrong.py", line 3' in said


KEPT = """
kept = []

@sim.episode
def build(p):
    a, b = sc.nodes(2, internet=True)
    link = sc.point_to_point(a, b)
    observer, agent = sc.Observation(a), sc.Agent(b, sc.Box(0, 1, (2,)), sc.Discrete(2))
    sc.connect(observer, agent)
    kept.append((a, link, observer, agent, sc.traffic(a, b)))
    if len(kept) > 1:
        node, link, observer, agent, flow = kept[0]
        {line}
"""


@pytest.mark.parametrize(
    "line",
    [
        "sc.point_to_point(node, b)",
        "node.add('ns3::PacketSink')",
        "sc.place(node, (0, 0))",
        "link[0]['Mtu'] = 600",
        "link[0].trace('MacTx', print)",
        "sc.connect(observer, agent)",
        "observer.send([0.5, 0.5])",
        "agent.reward = 1.0",
        "flow.take()",
    ],
)
def test_objects_of_an_earlier_episode_are_refused(line: str, tmp_path: Path) -> None:
    """A module that keeps objects has those of the trial episode, which ns-3 has disposed."""
    said = refuse(tmp_path, KEPT.format(line=line))
    assert "belongs to an earlier episode: make it in the function of the episode" in said
    assert 'wrong.py", line 15' in said


HOOKS = """
@sim.episode
def build(p):
    (node,) = sc.nodes(1)
    observer, rewarder, actor = sc.Observation(node), sc.Reward(node), sc.Action(node)
    agent = sc.Agent(node, sc.Box(0, 1, (2,)), sc.Discrete(2))
    sc.connect(observer, agent)
    sc.connect(rewarder, agent)
    sc.connect(agent, actor)
    {line}
"""


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("actor.on_action(lambda level: None)", "on_action: write def <lambda>(sender, action)"),
        ("actor.on_action(lambda a, b, c: None)", "on_action: write def <lambda>(sender, action)"),
        ("agent.on_reward(lambda reward: None)", "on_reward: write def <lambda>(sender, message)"),
        ("agent.on_action(lambda a, b: None)", "on_action: write def <lambda>(action)"),
        ("agent.observe(lambda agent: None)", "observe: write def <lambda>()"),
        ("rewarder.send(None)", "None is not a message; to send nothing, do not call send()"),
        (
            "node.add('ns3::OnOffApplication', Remote=('10.0.0.1', 9), DataRate=2)",
            '2 would be 2 bit/s: give it a unit, as "2Mbps"',
        ),
    ],
)
def test_hooks_and_numbers_with_an_obvious_mistake_are_refused(
    tmp_path: Path, line: str, words: str
) -> None:
    said = refuse(tmp_path, HOOKS.format(line=line))
    assert words in said
    assert 'wrong.py", line 12' in said


@pytest.mark.filterwarnings("ignore:no agent decided")
@pytest.mark.parametrize("line", ["sc.every(20)(print)", "observer.every(20)(lambda: [0, 0])"])
def test_a_time_beyond_the_episode_is_warned_of(tmp_path: Path, line: str) -> None:
    file = tmp_path / "seconds.py"
    usual = "observer.every(0.1)(lambda: [0, 0]); rewarder.every('1s')(lambda: 1)"
    text = HOOKS.format(line=f"{usual}; {line}")
    file.write_text(f"import defiance_zoo.scenario as sc\nsim = sc.Simulation('s')\n{text}")
    env = EnvironmentSpec("seconds_v0", Scenario.python("seconds", file)).parallel_env()
    with pytest.warns(DeadWiringWarning, match=r"every\(20\) is 20 s, .* episode of 10 s never"):
        env.reset(seed=1)
    env.close()


def test_an_invalid_observation_is_reported_once(tmp_path: Path) -> None:
    file = tmp_path / "bounds.py"
    text = HOOKS.format(line="observer.every(0.1)(lambda: [0, 7.5]); rewarder.every(1)(lambda: 1)")
    file.write_text(f"import defiance_zoo.scenario as sc\nsim = sc.Simulation('s')\n{text}")
    env = EnvironmentSpec("bounds_v0", Scenario.python("bounds", file)).parallel_env()
    with pytest.raises(InvalidObservation) as raised:
        env.reset(seed=1)
    assert str(raised.value).count("element 1 is 7.5, but must be from 0 to 1") == 1
    env.close()


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ("observer.every(0.1)(lambda: [0, 7.5])", "line 13, in <lambda>"),
        ("sc.after(0.1, lambda: observer.send([0, 7.5]))", "line 7, in build"),
        (
            "sc.after(0.1, lambda: (rewarder.send(1), agent.decide([0, 7.5])))",
            "line 13, in <lambda>",
        ),
        ("agent['StepInterval'] = '1s'; agent.observe(lambda: [0, 7.5])", "line 13, in <lambda>"),
    ],
)
def test_an_invalid_observation_is_reported_with_its_line(
    tmp_path: Path, line: str, place: str
) -> None:
    file = tmp_path / "bounds.py"
    text = HOOKS.format(line=f"rewarder.every(1)(lambda: 1)\n    {line}")
    file.write_text(f"import defiance_zoo.scenario as sc\nsim = sc.Simulation('s')\n{text}")
    env = EnvironmentSpec("bounds_v0", Scenario.python("bounds", file)).parallel_env()
    with (
        contextlib.closing(env),
        pytest.raises(InvalidObservation, match=r"element 1 is 7\.5") as raised,
    ):
        env.reset(seed=1)
    assert f'bounds.py", {place}' in str(raised.value)


def test_arguments_that_ns3_would_not_check_are_refused() -> None:
    """The episode itself compares the messages, and plays after all refused calls."""
    file = PROGRAM.with_name("arguments.py")
    env = EnvironmentSpec("arguments_v0", Scenario.python("arguments", file)).parallel_env()
    with contextlib.closing(env):
        env.reset(seed=1)
        assert env.agents == ["agent_0"]
