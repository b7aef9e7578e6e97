# SPDX-License-Identifier: GPL-2.0-only
"""Isolation of episodes in Python: seeds, modules, processes and ends."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from scenario_files import play_file

from defiance_zoo import EnvironmentSpec, Scenario
from defiance_zoo.errors import (
    ParameterError,
    ScenarioError,
    SimulationCrashed,
    SimulationError,
)
from defiance_zoo.scenario.open_files import ImportedFiles
from defiance_zoo.scenario.simulation import RESERVED
from defiance_zoo.wrappers.gymnasium import GymnasiumEnv

PROGRAMS = Path(__file__).with_name("programs")


def spec_of(path: Path) -> EnvironmentSpec:
    """Return the environment of a Python file."""
    return EnvironmentSpec(f"{path.stem}_v0", Scenario.python(path.stem, path))


NOISE = spec_of(PROGRAMS / "noise.py")
MISTAKES = spec_of(PROGRAMS / "mistakes.py")


def look(env: Any, turns: int = 4) -> list[list[float]]:
    """Return the next observations of a Gymnasium environment."""
    return [env.step(0)[0].tolist() for _ in range(turns)]


def test_parameters_with_reserved_names_are_refused() -> None:
    """These are names of arguments that every program accepts."""
    said = "\n".join(play_file(PROGRAMS / "noise.py", "--help"))
    options = said[said.index("Program Options:") : said.index("General Arguments:")]
    names = set(re.findall(r"^ *--(\w+):", options, re.MULTILINE))
    assert names == RESERVED | {"duration", "numbers"}


@pytest.mark.parametrize("launch", ["fork", "spawn"])
def test_random_numbers_follow_the_seed(launch: Any) -> None:
    """Random numbers of Python, of NumPy and of ns-3, in any process."""
    env = GymnasiumEnv(NOISE, launch=launch)
    one = [env.reset(seed=1)[0].tolist(), *look(env)]
    two = [env.reset(seed=2)[0].tolist(), *look(env)]
    next_ = [env.reset()[0].tolist(), *look(env)]
    again = [env.reset(seed=1)[0].tolist(), *look(env)]
    env.close()
    assert one == again
    columns = [np.transpose(each) for each in (one, two, next_)]
    for column in range(5):
        drawn = np.concatenate([each[column] for each in columns])
        assert len(set(drawn)) == len(drawn)
    assert 0 <= np.min(one) < np.max(one) < 1


def test_numpy_follows_the_seed_if_the_episode_imports_it(tmp_path: Path) -> None:
    """NumPy is seeded at its import, in a process that has begun its episode."""
    file = tmp_path / "late.py"
    file.write_text(
        "import sys\n"
        "import defiance_zoo.scenario as sc\n"
        "assert 'numpy' not in sys.modules\n"
        "sim = sc.Simulation('late')\n"
        "@sim.episode\n"
        "def build(p):\n"
        "    import numpy as np\n"
        "    (node,) = sc.nodes(1)\n"
        "    box = sc.Box(0, 1, (1,), 'float64')\n"
        "    agent = sc.Agent(node, box, sc.Discrete(2), StepInterval='0.1s')\n"
        "    agent.observe(lambda: [np.random.random()])\n"
    )
    drawn = []
    for launch in ("spawn", "fork"):
        env = GymnasiumEnv(spec_of(file), launch=launch)
        for seed in (1, 2, 1):
            drawn.append([env.reset(seed=seed)[0].tolist(), *look(env)])
        env.close()
    one, two = drawn[:2]
    assert drawn == [one, two, one] * 2
    assert len({value for (value,) in one + two}) == len(one + two)


def test_forked_and_spawned_episodes_are_equal() -> None:
    forked, spawned = (GymnasiumEnv(NOISE, launch=launch) for launch in ("fork", "spawn"))
    for seed in (3, None):
        assert forked.reset(seed=seed)[0].tolist() == spawned.reset(seed=seed)[0].tolist()
        assert look(forked) == look(spawned)
    forked.close()
    spawned.close()


def test_snapshots_keep_the_state_of_random_numbers() -> None:
    env = GymnasiumEnv(NOISE)
    env.reset(seed=1)
    with env.snapshot() as snapshot:
        one = look(env)
        env.restore(snapshot)
        assert look(env) == one
        other = env.branch()
        env.restore(snapshot)
        assert look(env) == one
    assert look(other) == look(env)
    other.close()
    env.close()


def test_a_simulation_has_one_thread_and_fixed_hashes() -> None:
    """Independent of this process's environment; the order of a set depends on hashes."""
    seen = []
    for launch in ("fork", "spawn", "spawn"):
        env = GymnasiumEnv(NOISE, launch=launch, numbers=False)
        threads, *hashes, _, _ = env.reset(seed=1)[0].tolist()
        assert threads == 1
        seen.append(hashes)
        env.close()
    assert seen[0] == seen[1] == seen[2]


@pytest.fixture
def own_noise(tmp_path: Path) -> Iterator[tuple[Path, Any]]:
    """A copy of a scenario with its imported module, and its environment."""
    for name in ("noise.py", "helping.py"):
        shutil.copy(PROGRAMS / name, tmp_path)
    env = GymnasiumEnv(spec_of(tmp_path / "noise.py"), numbers=False)
    yield tmp_path, env
    env.close()


def test_changed_modules_are_noticed_by_the_next_episode(own_noise: tuple[Path, Any]) -> None:
    """In an environment that has a fork server of the files before the change."""
    folder, env = own_noise
    assert env.reset()[0][3] == 42
    assert env.reset()[0][3] == 42
    helping = folder / "helping.py"
    helping.write_text(helping.read_text().replace("42", "4321"))
    assert env.reset()[0][3] == 4321
    noise = folder / "noise.py"
    noise.write_text(noise.read_text().replace("helping.ANSWER", "helping.ANSWER + 1"))
    assert env.reset()[0][3] == 4322


def test_files_below_the_prefix_of_python_are_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The prefix of Debian's Python is /usr, and people work in /usr/src."""
    own, installed = tmp_path / "src" / "own_part.py", tmp_path / "lib" / "installed_part.py"
    for path in (own, installed):
        path.parent.mkdir()
        path.touch()
        module = ModuleType(path.stem)
        module.__file__ = str(path)
        monkeypatch.setitem(sys.modules, path.stem, module)
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    files = ImportedFiles()
    os.utime(installed, ns=(1, 1))
    assert files.are_unchanged()
    os.utime(own, ns=(1, 1))
    assert not files.are_unchanged()


@pytest.mark.parametrize("where", ["build", "observation", "action", "event", "info", "trace"])
@pytest.mark.parametrize("link", ["zmq", "local"])
def test_an_exception_ends_the_episode_with_its_lines(where: str, link: Any) -> None:
    """The traceback has the user's own lines; the next episode is normal."""
    env = GymnasiumEnv(MISTAKES, link=link)
    with pytest.raises(ScenarioError, match=f"ArithmeticError: a mistake in {where}") as raised:
        play(env, where)
    assert "mistakes.py" in str(raised.value)
    assert "raise ArithmeticError" in str(raised.value)
    assert "simulation.py" not in str(raised.value)
    play(env, "nowhere")
    env.close()


def play(env: Any, where: str) -> None:
    """Play an episode to its end."""
    env.reset(seed=1, options={"where": where})
    done = False
    while not done:
        *_, terminated, truncated, _ = env.step(0)
        done = terminated or truncated


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ("attribute", "no attribute 'DataRata'; did you mean 'DataRate'?"),
        ("value", "'Mtu' is a ns3::UintegerValue"),
        ("type", "'ns3::OnOfApplication'.*did you mean 'ns3::OnOffApplication'?"),
        ("source", "no trace source 'MacTxx'; did you mean 'MacTx'?"),
        (
            "signature",
            "'TxRxPointToPoint'.*signature ns3::PointToPointChannel::TxRx",
        ),
        ("parameter", "no parameter 'were'; did you mean 'where'?"),
        ("shape", r"has shape \(1,\) in place of \(2,\)"),
        ("past", "an event cannot be in the past"),
        ("returned", "TypeError: a function has returned a value of the wrong type"),
    ],
)
def test_missing_classes_and_attributes_are_refused(where: str, words: str) -> None:
    """With an exception, where ns-3 would end the process."""
    env = GymnasiumEnv(MISTAKES)
    with pytest.raises(ScenarioError, match=words):
        play(env, where)
    env.close()


@pytest.mark.parametrize(
    ("where", "function", "words"),
    [
        ("text", "observe", "TypeError: must be real number, not str"),
        ("returned", "info", "TypeError: a function has returned"),
        ("arguments", "<lambda>", "TypeError: .*missing 1 required positional argument: 'when'"),
    ],
)
def test_a_hook_with_wrong_arguments_or_results_is_named(
    where: str, function: str, words: str
) -> None:
    """The traceback does not contain the hook, as the error is outside of its lines."""
    env = GymnasiumEnv(MISTAKES)
    with pytest.raises(ScenarioError, match=words) as raised:
        play(env, where)
    assert re.search(rf'File ".*mistakes\.py", line \d+, in {function}\n', str(raised.value))
    env.close()


def write_texts(folder: Path, info: str = "{}", sent: str = "'ab'") -> Path:
    """Write a scenario whose agent gets a text in each message, and decides by a text."""
    file = folder / "texts.py"
    file.write_text(
        "import defiance_zoo.scenario as sc\n"
        "sim = sc.Simulation('texts', duration='1s')\n"
        "@sim.episode\n"
        "def build(p):\n"
        "    (node,) = sc.nodes(1)\n"
        "    observer, actor = sc.Observation(node), sc.Action(node)\n"
        "    agent = sc.Agent(node, sc.Text(5), sc.Text(5))\n"
        "    sc.connect(observer, agent)\n"
        "    sc.connect(agent, actor)\n"
        "    seen = []\n"
        "    actor.on_action(lambda sender, action: seen.append(action))\n"
        "    words = lambda sender, message: agent.decide(*seen or [message['word']])\n"
        "    agent.on_observation(words)\n"
        f"    agent.info(lambda: {info})\n"
        f"    observer.every('100ms')(lambda: {{'word': {sent}}})\n"
    )
    return file


def test_texts_in_messages_and_actions_reach_functions_of_python(tmp_path: Path) -> None:
    env = GymnasiumEnv(spec_of(write_texts(tmp_path)))
    assert env.reset(seed=1)[0] == "ab"
    assert env.step("Hello")[0] == "Hello"
    env.close()


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"info": "{'loss': None}"}, "the info 'loss' is None: it should be a number of 64 bits"),
        ({"info": "{'count': 2**70}"}, f"the info 'count' is {2**70}: it should be"),
        ({"info": "{3: 1}"}, "TypeError: 3 is not a text"),
        ({"sent": "{3: 1}"}, "TypeError: 3 is not a text"),
        ({"sent": "'\\ud800'"}, "UnicodeEncodeError: .*surrogates not allowed"),
        ({"sent": "7"}, "TypeError: 7 is not a text"),
    ],
)
def test_keys_and_texts_that_no_message_can_hold_are_named(
    tmp_path: Path, values: dict[str, str], words: str
) -> None:
    with pytest.raises(ScenarioError, match=words):
        GymnasiumEnv(spec_of(write_texts(tmp_path, **values))).reset(seed=1)


def test_a_message_that_an_agent_cannot_read_is_reported_as_received(tmp_path: Path) -> None:
    file = tmp_path / "entries.py"
    file.write_text(
        "import defiance_zoo.scenario as sc\n"
        "sim = sc.Simulation('entries')\n"
        "@sim.episode\n"
        "def build(p):\n"
        "    (node,) = sc.nodes(1)\n"
        "    observer = sc.Observation(node)\n"
        "    agent = sc.Agent(node, sc.Box(0, 1, (1,)), sc.Discrete(2))\n"
        "    sc.connect(observer, agent)\n"
        "    sc.at('1s', lambda: observer.send(one=1, two=2))\n"
    )
    with pytest.raises(ScenarioError, match=r"In what agent_0 has received from observation_0"):
        GymnasiumEnv(spec_of(file)).reset()


def test_exit_in_a_hook_is_refused_with_the_way_to_end_an_episode() -> None:
    env = GymnasiumEnv(MISTAKES)
    with pytest.raises(ScenarioError, match=r"SystemExit: 3\n.*sc\.stop\(\) ends an episode"):
        play(env, "leave")
    env.close()


DEPLOYMENT = """
import defiance_zoo.scenario as sc

sim = sc.Simulation("few")


@sim.deployment
class Few(sc.Deployment):
    def find_contradiction(self):
        return ""

    def count_devices(self):
        return 2

    def build_devices(self):
        return sc.nodes(2)

    def make_applications(self, device):
        return None, None, None

    def make_agent(self, number):
        return sc.Agent(None, sc.Box(0, 1, (1,)), sc.Discrete(2))
"""


@pytest.mark.parametrize(
    ("line", "returned", "words"),
    [
        ('""', "None", r"Few\.find_contradiction\(\) must return a text, not None .*line 9\)"),
        ("2", "0", r"Few\.count_devices\(\) must return a positive whole number, not 0 .*line 12"),
        ("2", "2.0", "a positive whole number, not 2.0"),
        (
            "sc.nodes(2)",
            "sc.nodes(1)",
            r"Few\.build_devices\(\) must return nodes of its 2 devices",
        ),
        ("sc.nodes(2)", "None", "nodes of its 2 devices, not None"),
        ("sc.nodes(2)", "[1, 2]", "nodes of its 2 devices, not"),
        ("None, None, None", "None", r"Few\.make_applications\(\) must return an Observation, a"),
        ("None, None, None", "None, None", "an Observation, a Reward and an Action"),
        ("None, None, None", "1, 2, 3", "an Observation, a Reward and an Action"),
        (
            "None, None, None",
            "sc.Reward(None), None, None",
            "ObservationApplication is needed here, not .*RewardApplication",
        ),
        (
            "sc.Agent(None, sc.Box(0, 1, (1,)), sc.Discrete(2))",
            "None",
            "must return an Agent, not N",
        ),
    ],
)
def test_a_deployment_names_the_method_that_returns_something_else(
    line: str, returned: str, words: str, tmp_path: Path
) -> None:
    file = tmp_path / "few.py"
    assert DEPLOYMENT.count(f"return {line}\n") == 1
    file.write_text(DEPLOYMENT.replace(f"return {line}\n", f"return {returned}\n"))
    with pytest.raises(ScenarioError, match=words):
        GymnasiumEnv(spec_of(file), placement="central")


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (
            "@sim.deployment\nclass More(sc.Deployment):\n    pass\n",
            "one class with @sim.deployment",
        ),
        ("@sim.episode\ndef build(p):\n    pass\n", "one function with @sim.episode or one class"),
        ("sc.Simulation('x').deployment(int)\n", "derived from sc.Deployment, not <class 'int'>"),
    ],
)
def test_a_scenario_has_one_deployment_or_one_function(
    more: str, words: str, tmp_path: Path
) -> None:
    file = tmp_path / "several.py"
    file.write_text(DEPLOYMENT + more)
    with pytest.raises(ScenarioError, match=words):
        spec_of(file).scenario.declaration({})


def deployment_of(duration: str, folder: Path) -> Scenario:
    """Return a scenario with a deployment, and with this duration."""
    file = folder / "timed.py"
    file.write_text(
        "import defiance_zoo.scenario as sc\n"
        f"sim = sc.Simulation('timed', duration={duration})\n"
        "@sim.deployment\n"
        "class Timed(sc.Deployment):\n"
        "    interval = '100ms'\n"
    )
    return spec_of(file).scenario


@pytest.mark.parametrize(("duration", "default"), [("'3s'", "3s"), ("0.5", "500ms")])
def test_the_duration_of_a_scenario_is_the_default_of_its_deployment(
    duration: str, default: str, tmp_path: Path
) -> None:
    declaration = deployment_of(duration, tmp_path).declaration({})
    assert declaration is not None
    assert declaration.parameters["duration"].default == default


@pytest.mark.parametrize("duration", ["None", "0", "'50ms'", "'86401s'"])
def test_a_deployment_refuses_a_default_duration_out_of_range(
    duration: str, tmp_path: Path
) -> None:
    with pytest.raises(ScenarioError, match=r"needs a default from 100ms to 86400s"):
        deployment_of(duration, tmp_path).declaration({})


def test_an_incomplete_deployment_is_refused_with_the_missing_part(tmp_path: Path) -> None:
    file = tmp_path / "bare.py"
    file.write_text(
        "import defiance_zoo.scenario as sc\n"
        "sim = sc.Simulation('bare')\n"
        "@sim.deployment\n"
        "class Bare(sc.Deployment):\n"
        "    pass\n"
    )
    with pytest.raises(ScenarioError, match=r"define count_devices\(\)"):
        GymnasiumEnv(spec_of(file))


def test_a_scenario_can_refuse_parameters() -> None:
    env = GymnasiumEnv(MISTAKES)
    with pytest.raises(ParameterError, match="where=refuse is refused"):
        env.reset(options={"where": "refuse"})
    env.close()


def test_integers_of_numpy_are_accepted_as_integers() -> None:
    env = GymnasiumEnv(MISTAKES)
    env.reset(seed=1)
    *_, info = env.step(0)
    env.close()
    assert (type(info["number"]), info["number"]) == (int, 7)


@pytest.mark.parametrize("where", ["__init__", "count_devices", "build_devices"])
def test_a_deployment_can_refuse_parameters(where: str, tmp_path: Path) -> None:
    file = tmp_path / "refusing.py"
    file.write_text(
        "import defiance_zoo.scenario as sc\n"
        "sim = sc.Simulation('refusing')\n"
        "sim.parameter('size', 1, range=(1, 9))\n"
        "@sim.deployment\n"
        "class Refusing(sc.Deployment):\n"
        "    def count_devices(self):\n"
        "        return self.p.size\n"
        f"    def {where}(self, p=None):\n"
        "        sc.refuse(f'size={(p or self.p).size} is refused')\n"
    )
    with pytest.raises(ParameterError, match="size=3 is refused"):
        GymnasiumEnv(spec_of(file), size=3)


def test_an_abort_of_ns3_shows_the_line_that_led_to_it() -> None:
    env = GymnasiumEnv(MISTAKES)
    with pytest.raises(ScenarioError, match=r'mistakes\.py", line \d+, in '):
        env.reset(options={"where": "abort"})
    env.close()


def test_a_process_that_ends_by_itself_is_reported() -> None:
    env = GymnasiumEnv(MISTAKES)
    with pytest.raises(SimulationError, match=r"os\._exit\(3\)"):
        env.reset(options={"where": "exit"})
    env.close()


def test_an_exit_of_python_is_a_failure_of_the_scenario(tmp_path: Path) -> None:
    """Also if it happens with the default parameters, when the fork server prepares itself."""
    file = tmp_path / "leaving.py"
    file.write_text(
        "import sys\n"
        "import defiance_zoo.scenario as sc\n"
        "sim = sc.Simulation('leaving')\n"
        "@sim.episode\n"
        "def build(p):\n"
        "    sys.exit(3)\n"
    )
    with pytest.raises(
        ScenarioError, match=r"SystemExit: 3\n.*sc\.stop\(\) ends an episode"
    ) as raised:
        GymnasiumEnv(spec_of(file))
    assert "in build" in str(raised.value)


def test_a_file_that_cannot_be_imported_is_refused(tmp_path: Path) -> None:
    broken = tmp_path / "broken.py"
    mistakes = {
        "import no_such_module\n": "No module named 'no_such_module'",
        "import defiance_zoo.scenario\n": "declares 0 simulations",
        "x = 1\ndef build(p:\n    pass\n": r'broken\.py", line 2\n(.*\n)*SyntaxError',
        "\tx = 1\n": r"broken\.py.*line 1\n(.*\n)*IndentationError",
    }
    for text, words in mistakes.items():
        broken.write_text(text)
        with pytest.raises(ScenarioError, match=words) as raised:
            GymnasiumEnv(spec_of(broken))
        assert "describes_itself" not in str(raised.value)
        assert "importlib" not in str(raised.value)


def test_a_parameter_with_a_name_of_the_deployment_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "doubled.py"
    file.write_text(
        "import defiance_zoo.scenario as sc\n"
        "sim = sc.Simulation('doubled')\n"
        "sim.parameter('delay', 1.0, range=(0, 2))\n"
        "@sim.deployment\n"
        "class Doubled(sc.Deployment):\n"
        "    device = 'car'\n"
    )
    with pytest.raises(SimulationCrashed, match=r"'delay' is declared twice.*another") as raised:
        GymnasiumEnv(spec_of(file))
    assert "describes_itself" not in str(raised.value)
