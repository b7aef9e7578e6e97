# SPDX-License-Identifier: GPL-2.0-only
"""Unknown attributes of the module's objects, and arguments of its functions, are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from defiance_zoo import EnvironmentSpec, Scenario
from defiance_zoo.errors import ScenarioError

_START = """\
import defiance_zoo.scenario as sc
sim = sc.Simulation("sealed", duration="50ms")

class Own(sc.Agent):
    pass

@sim.episode
def build(p):
    a, b = sc.nodes(2, internet=True)
    link = sc.point_to_point(a, b)
    flow, observer, rewarder = sc.traffic(a, b), sc.Observation(a), sc.Reward(a)
    agent = Own(a, sc.Box(0, 1, (1,)), sc.Discrete(2), StepInterval="10ms")
    plain = sc.Agent(a, sc.Box(0, 1, (1,)), sc.Discrete(2), StepInterval="10ms")
    for each in (agent, plain):
        each.observe(lambda: [1])
        each.on_action(lambda action: None)
        each.info(dict)
    action = sc.Action(a)
"""


def play(folder: Path, line: str) -> None:
    file = folder / "sealed.py"
    file.write_text(f"{_START}    {line}\n")
    env = EnvironmentSpec("sealed_v0", Scenario.python("sealed", file)).parallel_env()
    try:
        env.reset(seed=1)
    finally:
        env.close()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("flow.raet = '2Mbps'", "Traffic has no attribute 'raet'; did you mean 'rate'"),
        ("plain.rewrad = 1", "Agent has no attribute 'rewrad'; did you mean 'reward'"),
        ("observer.evry = '1ms'", "Observation has no attribute 'evry'; did you mean 'every'"),
        ("rewarder.reward = 1", "Reward has no attribute 'reward'"),
        ("action.on_acton = print", "Action has no attribute 'on_acton'; did you mean 'on_action'"),
        ("link.loss = 0.5", "Link has no attribute 'loss'"),
        ("p.duration = 1", "the parameter 'duration' cannot be set"),
        (
            "sc.point_to_point(a, b, dela='5ms')",
            "unexpected keyword argument 'dela'; did you mean 'delay'",
        ),
        ("sc.connect(observer, plain, over='upd')", "; did you mean 'udp'"),
        ("plain.observe = print", "Agent.observe is a method, and cannot be set"),
    ],
)
def test_an_unknown_name_is_refused_with_the_nearest_one(
    line: str, words: str, tmp_path: Path
) -> None:
    with pytest.raises(ScenarioError, match=words) as raised:
        play(tmp_path, line)
    assert 'sealed.py", line ' in str(raised.value)


@pytest.mark.filterwarnings("ignore::defiance_zoo.errors.DeadWiringWarning")
def test_known_attributes_and_those_of_own_classes_are_set(tmp_path: Path) -> None:
    play(tmp_path, "flow.rate, plain.reward, plain.arrays, agent.count = '2Mbps', 1, True, 1")
