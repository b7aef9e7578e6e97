# SPDX-License-Identifier: GPL-2.0-only
"""Names that a scenario gives to elements and nodes are shown instead of numbers."""

from __future__ import annotations

import contextlib
import pickle
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from gymnasium import spaces

from defiance_zoo import EnvironmentSpec, Scenario
from defiance_zoo.bridge.codec import element_names
from defiance_zoo.command_line import main
from defiance_zoo.errors import InvalidAction, InvalidObservation, ScenarioError
from defiance_zoo.recording import read_episode
from defiance_zoo.recording.viewing.report_data import report_data

PROGRAM = Path(__file__).with_name("programs") / "names.py"
SPEC = EnvironmentSpec("names_v0", Scenario.python("names", PROGRAM))


@pytest.fixture
def env() -> Any:
    env = SPEC.parallel_env(link="local")
    yield env
    env.close()


def test_spaces_of_environments_have_element_names(env: Any) -> None:
    observed = env.observation_space("agent_0")
    acted = env.action_space("agent_0")
    assert isinstance(observed, spaces.Dict)
    assert element_names(observed["queue"]) == ("packets", "delay")
    assert element_names(observed["flags"]) == ("red", "blue")
    assert element_names(acted) == ("rate", "burst")
    for copied in (deepcopy(acted), pickle.loads(pickle.dumps(acted))):
        assert element_names(copied) == ("rate", "burst")
    assert acted == spaces.MultiDiscrete([3, 2])  # spaces with and without names are equal


def test_an_invalid_action_is_reported_with_its_name(env: Any) -> None:
    env.reset(seed=1)
    with pytest.raises(InvalidAction, match=r"element 1 \(burst\) is 2, but must be from 0 to 1"):
        env.step({"agent_0": [0, 2]})


def test_an_invalid_observation_is_reported_with_its_name() -> None:
    env = SPEC.parallel_env(check_bounds="always", delayed=True)
    env.reset(seed=1)
    with pytest.raises(InvalidObservation, match=r"element 1 \(delay\) is 5"):
        env.step({"agent_0": [2, 1]})
    env.close()


def test_rendered_text_contains_names() -> None:
    env = SPEC.parallel_env(render_mode="ansi", flat=True)
    env.reset(seed=1)
    assert "packets 0, delay 0.5" in env.render()
    env.close()


def test_reports_and_topologies_contain_names(tmp_path: Path) -> None:
    env = SPEC.parallel_env(record=str(tmp_path))
    env.reset(seed=1)
    env.step({"agent_0": [1, 0]})
    env.close()
    episode = read_episode(next(tmp_path.rglob("episode.json")).parent)
    assert episode.topology is not None
    assert [node["name"] for node in episode.topology["nodes"]] == ["client", "server", "node_2"]
    (agent,) = report_data(episode, "names")["agents"]
    named = {group: [each["name"] for each in curves] for group, curves in agent["groups"].items()}
    assert named["action"] == ["rate", "burst"]
    assert named["observation"] == ["flags.red", "flags.blue", "queue.packets", "queue.delay"]


def test_communication_reports_contain_names() -> None:
    env = SPEC.parallel_env(communication_report=True)
    env.reset(seed=1)
    env.step({"agent_0": [1, 0]})
    names = [link.name for link in env.communication_report().links]
    env.close()
    assert names == ["client/device_1", "server/device_1"]


def test_info_prints_names() -> None:
    said = CliRunner().invoke(main, ["info", str(PROGRAM)]).output
    assert "MultiDiscrete([3 2]): rate, burst" in said
    assert "packets, delay" in said


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("sc.nodes(2, names=['a'])", "2 nodes need 2 names, not ['a']"),
        ("sc.nodes(2, names='ab')", "2 nodes need 2 names, not 'ab'"),
        ("sc.nodes(2, names=['a', 'a'])", "another object is called 'a'"),
        ("sc.nodes(1)[0].name = 'a/b'", "'a/b' is not a name"),
        ("sc.nodes(1)[0].name = ''", "'' is not a name"),
        ("agent(sc.Box(0, 1, (2,), element_names=['x']))", "there are 1 names for 2 elements"),
        ("agent(sc.Box(0, 1, (2,), element_names=['x', 'x']))", "must be different"),
        ("agent(sc.Box(0, 1, (2,), element_names='xy'))", "element_names must be texts"),
        (
            "agent(sc.MultiBinary(2, element_names=['x', ''])) ",
            "element_names must be different, and not empty",
        ),
    ],
)
def test_invalid_names_are_refused(tmp_path: Path, line: str, words: str) -> None:
    file = tmp_path / "wrong.py"
    file.write_text(
        "import defiance_zoo.scenario as sc\n"
        "sim = sc.Simulation('wrong')\n"
        "def agent(space):\n    sc.Agent(sc.nodes(1)[0], space, sc.Discrete(2))\n"
        f"@sim.episode\ndef build(p):\n    {line}\n"
    )
    env = EnvironmentSpec("wrong_v0", Scenario.python("wrong", file)).raw_env()
    with contextlib.closing(env), pytest.raises(ScenarioError) as raised:
        env.reset()
    assert words in str(raised.value)
    assert 'wrong.py", line 7' in str(raised.value)


def test_actions_of_arrays_arrive_as_arrays(env: Any) -> None:
    """An array can be multiplied; a list would be repeated."""
    env.reset(seed=1)
    *_, infos = env.step({"agent_0": np.array([2, 0])})
    assert infos["agent_0"]["kind"] == "ndarray int64 (2,)"
    assert infos["agent_0"]["doubled"].tolist() == [4, 0]
