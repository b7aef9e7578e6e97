# SPDX-License-Identifier: GPL-2.0-only
"""Policy files that decide in Python, and policy files shipped with environments."""

from __future__ import annotations

import re
import subprocess
import sys
import types
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import torch
from command_calls import call, call_for_json
from gymnasium import spaces

import defiance_zoo
from defiance_zoo.bridge.system.extras import onnxruntime_library
from defiance_zoo.command_line.commands.debug import alone
from defiance_zoo.environments import PolicyMaker, lookup, registered
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.evaluation import FilePolicy, NamedPolicy
from defiance_zoo.experiments.evaluation.policies import read_named
from defiance_zoo.experiments.training.export.policy_file import write_policy_file

LINKS: dict[str, Any] = {
    "bottleneck_rate": {"log_uniform": ["2Mbps", "8Mbps"]},
    "duration": "2s",
}
"""A distribution among the parameters."""
TRAINED = [name for name in registered() if lookup(name).trained is not None]


@pytest.fixture
def file() -> Path:
    """The trained policy of tcp_congestion_v1."""
    return defiance_zoo.pretrained("tcp_congestion_v1").path


def test_a_file_decides_in_python_like_without_python(file: Path) -> None:
    spec, policy = lookup("tcp_congestion_v1"), FilePolicy(file)
    library = str(onnxruntime_library())
    for seed in (3, 4):
        command = alone(
            spec.scenario, LINKS, seed, f"--policy={file}", DEFIANCE_ONNXRUNTIME=library
        )
        done = subprocess.run(command.shell(), shell=True, capture_output=True, text=True)
        (said,) = re.findall(r"agent_0: \d+ decisions, return (\S+),", done.stdout)
        with closing(spec.raw_env(link="local", **LINKS)) as env:
            env.reset(seed=seed)
            earned = env.last()[4]["initial_reward"]  # a program without Python counts it, too
            for agent in env.agent_iter():
                observation, reward, terminated, truncated, info = env.last()
                earned += reward
                over = terminated or truncated
                env.step(None if over else policy.act(agent, observation, info))
        assert earned == pytest.approx(float(said), rel=1e-12)


def test_one_file_decides_for_one_flow_and_for_several_with_one_agent(file: Path) -> None:
    for more in ([], ["-p", "placement=central", "-p", "flows=2"]):
        found = call_for_json(
            "eval", "tcp_congestion_v1", "--policy", "file", "-o", f"file.path={file}",
            "--episodes", 1, "-p", "duration=2s", *more,
        )  # fmt: skip
        assert found["policies"]["file"]["mean"] > 0


@pytest.mark.parametrize("env", TRAINED)
def test_trained_policies_name_their_origin(env: str) -> None:
    policy = defiance_zoo.pretrained(env)
    assert policy.path.stat().st_size <= 200_000
    said = policy.metadata
    assert (said["environment"], said["license"]) == (env, "GPL-2.0-only")
    assert said["run"].startswith(f"env: {env}\n")
    assert not re.search(r"folder: (?!null)", said["run"]), "a folder of another machine"
    assert {"defiance-zoo", "ns-3"} <= set(re.findall(r'"([\w-]+)":', said["versions"]))
    assert '"mean"' in said["leaderboard"]


def test_an_environment_without_a_trained_policy_raises() -> None:
    with pytest.raises(ParameterError, match="partition_v0 has no trained policy"):
        defiance_zoo.pretrained("partition_v0")
    status, _, errors = call("eval", "partition_v0", "--policy", "trained")
    assert (status, "no policy 'trained'" in errors) == (2, True)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is not a policy file"),
        (b"no model", "is not a policy file"),
        (None, "does not name its observation space"),
    ],
)
def test_files_that_are_no_policy_are_refused(
    content: bytes | None, said: str, file: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other.onnx"
    if content is None:
        model = onnx.load_model_from_string(file.read_bytes())
        onnx.helper.set_model_props(model, {})
        content = model.SerializeToString()
    other.write_bytes(content)
    with pytest.raises(ParameterError, match=said):
        FilePolicy(other)


class Alternating(torch.nn.Module):
    """A policy that acts 0 and 1 in turn."""

    state_size = 1

    def forward(self, observation: torch.Tensor, state: torch.Tensor) -> Any:
        """Return the number in the state, and the next state."""
        return state[:, 0].to(torch.int64) + (0 * observation[:, 0]).to(torch.int64), 1 - state


def test_the_state_of_each_agent_is_reset_with_each_episode(tmp_path: Path) -> None:
    file = tmp_path / "alternating.onnx"
    box = spaces.Box(-1, 1, (2,), np.float32)
    write_policy_file(Alternating(), box, spaces.Discrete(2), file, {})
    policy, seen = FilePolicy(file), np.zeros(2, np.float32)
    for _ in range(2):
        policy.reset()
        assert [policy.act("left", seen, {}) for _ in range(3)] == [0, 1, 0]
        assert policy.act("right", seen, {}) == 0
        assert policy.act("left", seen, {}) == 1


def test_a_file_for_other_spaces_is_refused_with_its_parameters(file: Path) -> None:
    env = lookup("cart_pole_v0")
    status, _, errors = call("eval", env.name, "--policy", "file", "-o", f"file.path={file}")
    assert status == 2
    assert "the policy was trained with observations float32[33]" in errors
    assert "its parameters were {" in errors
    status, _, errors = call("eval", env.name, "--policy", "file", "-o", "file.path=/not/there")
    assert (status, "path='/not/there': give the path" in errors) == (2, True)
    with pytest.raises(ParameterError, match="path=3: give the path"):
        read_named(env, NamedPolicy("file", {"path": 3}))


def test_a_pretrained_policy_plays_an_agent_iter_loop(file: Path) -> None:
    policy, earned = defiance_zoo.pretrained("tcp_congestion_v1"), 0.0
    with closing(defiance_zoo.make("tcp_congestion_v1", duration="2s")) as env:
        env.reset(seed=1)
        for agent in env.agent_iter():
            observation, reward, terminated, truncated, info = env.last()
            earned += reward
            over = terminated or truncated
            env.step(None if over else policy.act(agent, observation, info))
    assert earned > 1


@pytest.mark.parametrize("name", ["file", "lookahead"])
def test_facts_of_a_policy_change_with_the_files_by_which_it_decides(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Studies play a stored cell again if the facts of its policy have changed."""
    path = tmp_path / "baseline.py"
    path.write_text("one")
    module = types.ModuleType("baseline")
    module.__file__ = str(path)
    monkeypatch.setitem(sys.modules, "baseline", module)
    own: Any = PolicyMaker(lambda _env, _seed, _options: FilePolicy(path), "baseline")
    spec = replace(lookup("cart_pole_v0"), baselines={"own": own})
    options = {"path": str(path)} if name == "file" else {"then": "own"}
    before = NamedPolicy(name, options).facts(spec)
    path.write_text("two")
    assert NamedPolicy(name, options).facts(spec) != before
