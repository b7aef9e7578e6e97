# SPDX-License-Identifier: GPL-2.0-only
"""Agents that can never decide are refused in every interface; idle or unpaid agents warn."""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import PROGRAMS, ROOT
from program_environments import PROGRAMMED

import defiance_zoo
from defiance_zoo import EnvironmentSpec, Scenario
from defiance_zoo.bridge.messages import request_reader
from defiance_zoo.errors import DeadWiringWarning, NobodyDecided, ScenarioError
from defiance_zoo.wrappers.gymnasium import GymnasiumEnv

_START = """\
import defiance_zoo.scenario as sc
sim = sc.Simulation("wired", duration="50ms")

def make(node, **attributes):
    return sc.Agent(node, sc.Box(0, 1, (1,)), sc.Discrete(2), **attributes)

@sim.episode
def build(p):
    a, b = sc.nodes(2)
"""
_WHOLE = """
agent = make(a, StepInterval="10ms")
agent.observe(lambda: [1])
agent.on_action(lambda action: None)
agent.info(dict)
"""


def spec_of(folder: Path, code: str) -> EnvironmentSpec:
    """Return the environment of a scenario whose function of the episode has this body."""
    file = folder / "wired.py"
    file.write_text(_START + "".join(f"    {line}\n" for line in code.strip().splitlines()))
    return EnvironmentSpec("wired_v0", Scenario.python("wired", file))


DEAD = {
    "nothing": ("make(b)", "agent_{} can never decide: it has no observation"),
    "no connection": (
        "make(b)\nobserver = sc.Observation(a)\nobserver.every('10ms')(lambda: [1])",
        "agent_{} can never decide: it has no observation: connect one",
    ),
    "no observation": ("make(b, StepInterval='10ms')", "has a StepInterval, but no observation"),
    "no return": (
        "agent = make(b, StepInterval='10ms')\n@agent.observe\ndef look():\n    [1]",
        r"observe\(\) returns nothing(.*\n)*.*line \d+, in look",
    ),
    "a bare return": (
        "agent = make(b, StepInterval='10ms')\n"
        "@agent.observe\n"
        "def look():\n"
        "    if sc.now():\n"
        "        return\n"
        "    [1]",
        r"observe\(\) returns nothing",
    ),
    "an observation without a return": (
        "agent, observer = make(b), sc.Observation(a)\n"
        "sc.connect(observer, agent)\n"
        "@observer.every('10ms')\n"
        "def look():\n"
        "    [1]",
        r"its observation returns nothing(.*\n)*.*line \d+, in look",
    ),
    "an observation that never sends": (
        "sc.connect(sc.Observation(a), make(b))",
        "its observation never sends",
    ),
    "an observation that nothing is done with": (
        "agent, observer = make(b), sc.Observation(a)\n"
        "sc.connect(observer, agent)\n"
        "observer.every('10ms')(lambda: [1])\n"
        "agent.on_observation(lambda sender, message: None)",
        r"nothing calls agent\.decide\(\)",
    ),
}


@pytest.mark.parametrize("other", [True, False], ids=["beside another", "alone"])
@pytest.mark.parametrize("dead", DEAD)
def test_an_agent_that_can_never_decide_is_refused(dead: str, other: bool, tmp_path: Path) -> None:
    code, words = DEAD[dead]
    spec = spec_of(tmp_path, _WHOLE + code if other else code)
    with pytest.raises(ScenarioError, match=words.format(int(other))) as raised:
        spec.parallel_env().reset(seed=1)
    assert 'wired.py", line ' in str(raised.value)


INTERFACES: dict[str, Callable[[EnvironmentSpec], Any]] = {
    "AEC": lambda spec: spec.raw_env().reset(seed=1),
    "parallel": lambda spec: spec.parallel_env().reset(seed=1),
    "Gymnasium": lambda spec: GymnasiumEnv(spec).reset(seed=1),
    "vector": lambda spec: spec.vector_env(2).reset(seed=1),
    "vector of agents": lambda spec: spec.multi_agent_vector_env(2).reset(seed=1),
}


@pytest.mark.parametrize("interface", INTERFACES)
def test_every_interface_refuses_an_agent_that_can_never_decide(
    interface: str, tmp_path: Path
) -> None:
    with pytest.raises(ScenarioError, match="agent_0 can never decide"):
        INTERFACES[interface](spec_of(tmp_path, "make(a)"))


def test_a_command_refuses_an_agent_that_can_never_decide(tmp_path: Path) -> None:
    spec_of(tmp_path, "make(a)")
    (tmp_path / "own.py").write_text(
        "import defiance_zoo as dz\n"
        "s = dz.Scenario.python('wired', __file__.replace('own.py', 'wired.py'))\n"
        "dz.register('wired_v0', dz.EnvironmentSpec('wired_v0', s))\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "defiance_zoo", "random", "own:wired_v0", "--episodes=1"],
        cwd=tmp_path,
        env={"PYTHONPATH": f"{ROOT}:{tmp_path}", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "agent_0 can never decide" in done.stderr


def test_stop_in_the_function_of_the_episode_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="before it begins"):
        spec_of(tmp_path, f"{_WHOLE}sc.stop()").parallel_env().reset(seed=1)


def play(spec: EnvironmentSpec) -> list[str]:
    """Play an episode in two environments; return the warnings."""
    request_reader._reported.clear()
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always", DeadWiringWarning)
        for _ in range(2):
            env = spec.parallel_env(link="local")
            env.reset(seed=1)
            while env.agents:
                env.step(dict.fromkeys(env.agents, 1))
            env.close()
    return [str(each.message) for each in seen if each.category is DeadWiringWarning]


def test_an_agent_that_can_neither_act_nor_earn_is_warned_of_once(tmp_path: Path) -> None:
    code = 'agent = make(a, StepInterval="10ms")\nagent.observe(lambda: [1])'
    idle, poor = play(spec_of(tmp_path, code))
    assert "agent_0 acts on nothing" in idle
    assert "@agent.on_action" in idle
    assert "agent_0 never earns a reward" in poor
    assert "sc.connect(reward, agent)" in poor
    for each in (idle, poor):
        assert 'wired.py", line ' in each


def test_a_reward_that_never_sends_is_warned_of(tmp_path: Path) -> None:
    (said,) = play(spec_of(tmp_path, f"{_WHOLE}sc.connect(sc.Reward(a), agent)\n"))
    assert "agent_0 never earns a reward: its reward never sends" in said
    assert "reward.send(value)" in said
    sends = (
        f"{_WHOLE}reward = sc.Reward(a)\nsc.connect(reward, agent)\nreward.every('1ms')(lambda: 1)"
    )
    assert play(spec_of(tmp_path, sends)) == []


@pytest.mark.parametrize("observes", ["agent.observe", "observer.every('10ms')"])
def test_a_function_that_never_observed_is_named(observes: str, tmp_path: Path) -> None:
    code = (
        "agent, observer = make(a), sc.Observation(a)\n"
        f"agent['StepInterval'] = '10ms' if 'agent' in {observes!r} else '0s'\n"
        "agent.on_action(lambda action: None)\n"
        "agent.info(dict)\n"
        "sc.connect(observer, agent)\n"
        f"@{observes}\n"
        "def look():\n"
        "    if sc.now() > sc.Time('1h'):\n"
        "        return [1]\n"
    )
    with pytest.warns(NobodyDecided) as seen:
        play_silently(spec_of(tmp_path, code))
    (idle,) = [str(each.message) for each in seen if each.category is NobodyDecided]
    assert "in look\nagent_0 got no observation: this function returned None in each call" in idle
    assert "lack a route" not in idle


def play_silently(spec: EnvironmentSpec) -> None:
    env = spec.parallel_env(link="local")
    env.reset(seed=1)
    env.close()


def test_an_application_without_an_agent_is_warned_of(tmp_path: Path) -> None:
    """Without it, no agent acts, observes or earns by these functions."""
    code = (
        'agent = make(a, StepInterval="10ms")\n'
        "agent.observe(lambda: [1])\n"
        "sc.Action(a).on_action(lambda sender, action: None)\n"
        "sc.Reward(a).every('10ms')(lambda: 1)\n"
    )
    said = "\n".join(play(spec_of(tmp_path, code)))
    assert "agent_0 acts on nothing" in said
    assert "agent_0 never earns a reward" in said
    for kind, call in {"Action": "agent, action", "Reward": "reward, agent"}.items():
        assert f"this {kind} is not connected with an agent: sc.connect({call})" in said


def test_traffic_without_a_route_is_warned_of(tmp_path: Path) -> None:
    code = (
        f"{_WHOLE}\n"
        "c, d, e = sc.nodes(3, internet=True, names=['client', 'hop', 'server'])\n"
        "sc.point_to_point(c, d)\n"
        "sc.point_to_point(d, e)\n"
        "sc.traffic(c, e)\n"
    )
    (said,) = play(spec_of(tmp_path, code))
    assert (
        "first packet of traffic from node 2 ('client') to 10.0.1.2:9 is lost at 0 s: has the node"
        in said
    )
    assert play(spec_of(tmp_path, f"{code}sc.route_globally()")) == []


def test_an_action_without_a_function_is_warned_of(tmp_path: Path) -> None:
    (said,) = play(spec_of(tmp_path, f"{_WHOLE}sc.connect(agent, sc.Action(a))\n"))
    assert "this Action does nothing: decorate a function with @action.on_action" in said
    assert 'wired.py", line ' in said


ALIVE = {
    "functions": _WHOLE,
    "an observation that a function sends": (
        "agent, observer, rewarder = make(b), sc.Observation(a), sc.Reward(a)\n"
        "@observer.every('10ms')\n"
        "def observe():\n"
        "    observer.send(1)\n"
        "agent.on_action(lambda action: None)\n"
        "for each in (observer, rewarder):\n"
        "    sc.connect(each, agent)"
    ),
    "a reward by hand": (
        "agent = make(a, StepInterval='10ms')\n"
        "agent.observe(lambda: [1])\n"
        "@agent.on_action\n"
        "def act(action):\n"
        "    agent.reward += action"
    ),
    "connections": (
        "agent, observer, rewarder = make(b), sc.Observation(a), sc.Reward(a)\n"
        "observer.every('10ms')(lambda: [1])\n"
        "rewarder.every('10ms')(lambda: 1)\n"
        "actor = sc.Action(a)\n"
        "actor.on_action(lambda sender, action: None)\n"
        "for each in (observer, rewarder, actor):\n"
        "    sc.connect(each, agent)"
    ),
    "an observation by hand": (
        "agent, observer = make(b), sc.Observation(a)\n"
        "sc.connect(observer, agent)\n"
        "agent.on_action(lambda action: None)\n"
        "agent.info(dict)\n"
        "sc.every('10ms')(lambda: observer.send([1]))"
    ),
    "a decision by hand": (
        "agent = make(a)\n"
        "agent.info(dict)\n"
        "agent.on_action(lambda action: None)\n"
        "sc.every('10ms')(lambda: agent.decide([1]))"
    ),
    "a decision within a call": (
        "agent = make(a)\nagent.info(dict)\nsc.every('10ms')(lambda: agent.request([1]))"
    ),
    "an observation set by hand": (
        "agent = make(a, StepInterval='10ms')\n"
        "agent.info(dict)\n"
        "agent.on_action(lambda action: None)\n"
        "def see():\n"
        "    agent.observation = [1]\n"
        "sc.after('5ms', see)"
    ),
    "connected later": (
        "agent, observer = make(b), sc.Observation(a)\n"
        "observer.every('10ms')(lambda: [1])\n"
        "agent.info(dict)\n"
        "agent.on_action(lambda action: None)\n"
        "sc.at('5ms', lambda: sc.connect(observer, agent))"
    ),
    "a central agent": (
        "central, agent = make(a), make(b, StepInterval='10ms')\n"
        "agent.observe(lambda: [1])\n"
        "agent.on_action(lambda action: agent.send({'seen': 1}))\n"
        "agent.info(dict)\n"
        "central.on_message(lambda sender, message: None)\n"
        "sc.connect(agent, central)"
    ),
}


@pytest.mark.parametrize("alive", ALIVE)
def test_a_complete_agent_is_not_warned_of(alive: str, tmp_path: Path) -> None:
    assert play(spec_of(tmp_path, ALIVE[alive])) == []


@pytest.mark.thorough
@pytest.mark.parametrize("name", [each.name for each in PROGRAMMED])
def test_no_environment_of_the_zoo_is_warned_of(name: str) -> None:
    """Episodes of up to 200 cycles; warnings at the end come only if the simulation ends it."""
    request_reader._reported.clear()
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeadWiringWarning)
        env = defiance_zoo.make(name, api="parallel", link="local", max_cycles=200)
        _, infos = env.reset(seed=1)
        while env.agents:
            actions = {}
            for agent in env.agents:
                mask = infos[agent].get("action_mask")
                mask = mask if mask is None else np.asarray(mask, np.int8)
                actions[agent] = env.action_space(agent).sample(mask)
            *_, infos = env.step(actions)
        env.close()


UNCONNECTED = EnvironmentSpec("u_v0", Scenario("unconnected", PROGRAMS / "unconnected"))


def play_unconnected(**parameters: Any) -> list[str]:
    """Play an episode of a scenario in C++; return the warnings."""
    spec = EnvironmentSpec("u_v0", replace(UNCONNECTED.scenario, defaults=parameters))
    return play(spec)


def test_a_scenario_in_cpp_without_a_fault_is_not_warned_of() -> None:
    assert play_unconnected() == []


@pytest.mark.parametrize(
    ("lacks", "words"),
    [("observation", "agent_0 never decided"), ("action", "agent_0 acted without effect")],
)
def test_an_agent_in_cpp_that_lacks_a_connection_is_warned_of(lacks: str, words: str) -> None:
    (said,) = play_unconnected(lacks=lacks)
    assert words in said
    assert "CommunicationHelper::Connect()" in said


def test_agents_in_cpp_that_all_lack_an_observation_are_refused() -> None:
    with pytest.raises(ScenarioError, match="agent_0 never decided"):
        play_unconnected(lacks="observation", both=True)
