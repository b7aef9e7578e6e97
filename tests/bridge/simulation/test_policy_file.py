# SPDX-License-Identifier: GPL-2.0-only
"""Scenario programs that run policy files, without Python."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx.parser
import onnxruntime
import pytest
from conftest import TRIAL
from gymnasium import spaces
from onnx import TensorProto, helper, numpy_helper
from policy_files import write_policy

import defiance_zoo
from defiance_zoo.bridge.codec import space_to_json
from defiance_zoo.bridge.simulation import Scenario
from defiance_zoo.bridge.simulation.seeding import rng_seed
from defiance_zoo.bridge.system.extras import onnxruntime_library
from defiance_zoo.environments import lookup

CART_POLE = lookup("cart_pole_v0").scenario
BALANCE = [0.0, 0.0, 1.0, 0.25]
"""Push in the direction in which the pole leans or falls."""
FALL = [0.0, 0.0, -1.0, -0.25]


def run(
    scenario: Scenario, *arguments: str, library: Path | str | None = None, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run a scenario with only the given environment variables, and without Python on the path."""
    library = onnxruntime_library() if library is None else library
    return subprocess.run(
        [scenario.locate(), *arguments],
        env={"DEFIANCE_ONNXRUNTIME": str(library), **variables},
        capture_output=True,
        text=True,
        check=False,
    )


def returns(done: subprocess.CompletedProcess[str]) -> dict[str, float]:
    """Return the actions of each agent."""
    assert done.returncode == 0, done.stderr
    reported = re.findall(r"^(\w+): \d+ decisions, return (\S+), \w+$", done.stdout, re.MULTILINE)
    return {agent: float(amount) for agent, amount in reported}


def played(seed: int, gains: dict[str, list[float]], **parameters: Any) -> dict[str, float]:
    """Return the actions of each agent when Python decides."""
    env = defiance_zoo.make("cart_pole_v0", **parameters)
    env.reset(seed=seed)
    # The reward before the first decision is an info.
    totals = {agent: env.infos[agent].get("initial_reward", 0.0) for agent in gains}
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        totals[agent] += reward
        right = np.dot(observation, np.array(gains[agent], np.float32)) > 0
        env.step(None if terminated or truncated else int(right))
    env.close()
    return totals


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize(
    "parameters",
    [{}, {"transport": "udp", "delay": "40ms"}, {"transport": "tcp", "delay": "30ms"}],
    ids=["local", "udp", "tcp"],
)
def test_an_episode_is_the_same_without_python(
    seed: int, parameters: dict[str, Any], tmp_path: Path
) -> None:
    file = write_policy(tmp_path / "policy.onnx", BALANCE)
    done = run(
        CART_POLE,
        f"--policy={file}",
        *(f"--{name}={value}" for name, value in parameters.items()),
        NS_GLOBAL_VALUE=f"RngSeed={rng_seed(seed)};RngRun=1",
    )
    assert returns(done) == played(seed, {"agent_0": BALANCE}, **parameters)


def test_each_agent_may_have_its_own_policy_file(tmp_path: Path) -> None:
    balance = write_policy(tmp_path / "balance.onnx", BALANCE)
    fall = write_policy(tmp_path / "fall.onnx", FALL)
    done = run(
        CART_POLE,
        "--carts=3",
        f"--policy=agent_1={fall},agent_*={balance}",
        NS_GLOBAL_VALUE=f"RngSeed={rng_seed(4)};RngRun=1",
    )
    reported = returns(done)
    assert reported == played(4, {"agent_0": BALANCE, "agent_1": FALL, "agent_2": BALANCE}, carts=3)
    assert reported["agent_1"] < 20 < reported["agent_0"]


def test_the_environment_variable_may_name_the_file(tmp_path: Path) -> None:
    file = write_policy(tmp_path / "policy.onnx", BALANCE)
    said = run(CART_POLE, f"--policy={file}", "--RngRun=3")
    assert run(CART_POLE, "--RngRun=3", DEFIANCE_POLICY=str(file)).stdout == said.stdout


def test_a_file_with_the_agents_spaces_in_its_metadata_is_accepted(tmp_path: Path) -> None:
    env = defiance_zoo.make("cart_pole_v0")
    metadata = {
        "defiance.v1.observation_space": space_to_json(env.observation_space("agent_0")),
        "defiance.v1.action_space": space_to_json(env.action_space("agent_0")),
    }
    env.close()
    file = write_policy(tmp_path / "policy.onnx", BALANCE, metadata=metadata)
    assert returns(run(CART_POLE, f"--policy={file}"))["agent_0"] > 20


def test_weights_in_other_files_are_refused(tmp_path: Path) -> None:
    whole = onnx.load(write_policy(tmp_path / "whole.onnx", BALANCE))
    file = tmp_path / "policy.onnx"
    onnx.save(whole, file, save_as_external_data=True, location="part", size_threshold=0)
    done = run(CART_POLE, f"--policy={file}")
    assert (done.returncode, done.stdout) == (2, "")
    assert f"policy file '{file}': it has external data instead of weights" in done.stderr


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"gains": [1.0] * 8}, r"observations of 8 numbers.*agent_0 are of Box\(.*makes 4"),
        ({"inputs": "obs"}, "no 'observation'"),
        ({"output": TensorProto.FLOAT}, r"element types.*Discrete\(2"),
        ({"output": TensorProto.INT32}, "'action' is neither float32 nor int64"),
        ({"batch": 16}, "'observation' must be a batch of any size"),
        ({"axes": [2**62, 16]}, r"a decision computes more than 2\^24 numbers"),
        (
            {"metadata": {"defiance.v1.action_space": space_to_json(spaces.Discrete(3))}},
            r"exported for actions of another space.*agent_0 are of Discrete\(2",
        ),
        (
            {"metadata": {"defiance.v1.observation_space": space_to_json(spaces.Discrete(4))}},
            r"exported for observations of another space.*agent_0 are of Box\(",
        ),
        (
            {"metadata": {"defiance.v1.action_space": "Discrete(2)"}},
            "defiance.v1.action_space cannot be read",
        ),
    ],
    ids=[
        "size",
        "name",
        "type",
        "unknown type",
        "batch",
        "overflow",
        "actions",
        "observations",
        "metadata",
    ],
)
def test_a_file_for_other_spaces_is_refused(
    change: dict[str, Any], words: str, tmp_path: Path
) -> None:
    file = write_policy(tmp_path / "policy.onnx", **{"gains": BALANCE, **change})
    done = run(CART_POLE, f"--policy={file}")
    assert (done.returncode, done.stdout) == (2, "")
    assert re.search(f"policy file '{file}': .*{words}", done.stderr), done.stderr


REMEMBERING = """
agent (float[n, 4] observation, float[n, {state}] state)
    => (int64[n] action, {type}[n, {next_state}] {name})
{{
    one = Constant<value = float[1, 1] {{1}}>()
    half = Constant<value = float {{0.5}}>()
    turned = Sub(one, state)
    axis = Constant<value = int64[1] {{1}}>()
    flat = Squeeze(state, axis)
    right = Greater(flat, half)
    action = Cast<to = 7>(right)
    {name} = {end}
}}
"""
"""Pushes to the left, to the right, to the left, ...: the state is the next one."""


def write_remembering(file: Path, **changes: Any) -> Path:
    """Write a policy with a state; the arguments replace parts of its text."""
    parts: dict[str, Any] = {
        "state": 1,
        "next_state": 1,
        "name": "next_state",
        "type": "float",
        "end": "Identity(turned)",
    }
    text = REMEMBERING.format(**{**parts, **changes})
    model = onnx.parser.parse_model(f'<ir_version: 10, opset_import: ["" : 18]> {text}')
    onnx.save(model, file)
    return file


def test_the_state_of_each_agent_begins_with_zeros(tmp_path: Path) -> None:
    """Each agent pushes alternately, independent of the others, as when Python plays the file."""
    file = write_remembering(tmp_path / "policy.onnx")
    done = run(
        CART_POLE,
        "--carts=3",
        f"--policy={file}",
        NS_GLOBAL_VALUE=f"RngSeed={rng_seed(4)};RngRun=1",
    )
    session = onnxruntime.InferenceSession(str(file), providers=["CPUExecutionProvider"])
    env = defiance_zoo.make("cart_pole_v0", carts=3)
    for _ in range(2):  # the second episode of one Python process equals the first
        env.reset(seed=4)
        totals = {each: env.infos[each].get("initial_reward", 0.0) for each in env.agents}
        states = {each: np.zeros((1, 1), np.float32) for each in env.agents}
        pushes: dict[str, list[int]] = {each: [] for each in env.agents}
        for agent in env.agent_iter():
            observation, reward, terminated, truncated, _ = env.last()
            totals[agent] += reward
            if terminated or truncated:
                env.step(None)
                continue
            given = {"observation": observation[None], "state": states[agent]}
            (action,), states[agent] = session.run(["action", "next_state"], given)
            pushes[agent].append(int(action))
            env.step(int(action))
        assert returns(done) == totals
        assert all(each[:4] == [0, 1, 0, 1] for each in pushes.values())
    env.close()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"next_state": 2}, "'state' has 1 numbers, but 'next_state' has 2"),
        ({"name": "other"}, "it has no 'next_state'"),
        ({"type": "int64", "end": "Cast<to = 7>(turned)"}, "are not both float32"),
        ({"end": "Log(state)"}, "its 'next_state' is not finite"),
    ],
)
def test_a_state_of_wrong_shape_or_type_is_refused(
    changes: dict[str, Any], words: str, tmp_path: Path
) -> None:
    file = write_remembering(tmp_path / "policy.onnx", **changes)
    done = run(CART_POLE, f"--policy={file}")
    assert done.returncode == 2
    assert re.search(f"policy file '{file}': .*{words}", done.stderr), done.stderr


def test_a_policy_file_decides_for_an_agent_that_joins_late(tmp_path: Path) -> None:
    file = write_policy(tmp_path / "policy.onnx", [1.0, 0.0, 0.0, 0.0])
    late = ("--scenario_case=late", "--agents=2")
    assert len(returns(run(TRIAL, *late, f"--policy={file}"))) == 2
    done = run(TRIAL, *late, f"--policy=agent_0={file}")
    assert done.returncode == 2
    assert "no policy file is for agent_1" in done.stderr


@pytest.mark.parametrize(
    ("content", "words"),
    [(None, "No such file or directory"), (b"", "not an ONNX file"), (b"\xff" * 99, "not an ONNX")],
)
def test_files_that_are_no_policy_are_refused(
    content: bytes | None, words: str, tmp_path: Path
) -> None:
    file = tmp_path / "policy.onnx"
    if content is not None:
        file.write_bytes(content)
    done = run(CART_POLE, f"--policy={file}")
    assert (done.returncode, done.stdout) == (2, "")
    assert re.search(f"policy file '{file}': .*{words}", done.stderr)


def test_special_files_are_refused_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.onnx")
    (tmp_path / "device.onnx").symlink_to("/dev/zero")
    for file in (tmp_path / "pipe.onnx", tmp_path / "device.onnx"):
        done = run(CART_POLE, f"--policy={file}")
        assert (done.returncode, done.stdout) == (2, "")
        assert f"policy file '{file}': it is not a regular file" in done.stderr


def test_a_truncated_file_is_refused_at_each_length(tmp_path: Path) -> None:
    whole = write_policy(tmp_path / "whole.onnx", BALANCE).read_bytes()
    file = tmp_path / "policy.onnx"
    for length in range(1, len(whole), 37):
        file.write_bytes(whole[:length])
        done = run(CART_POLE, f"--policy={file}")
        assert (done.returncode, done.stdout) == (2, ""), length
        assert f"policy file '{file}': " in done.stderr


def test_an_agent_without_a_file_is_refused(tmp_path: Path) -> None:
    file = write_policy(tmp_path / "policy.onnx", BALANCE)
    done = run(CART_POLE, "--carts=2", f"--policy=agent_0={file}")
    assert (done.returncode, done.stdout) == (2, "")
    assert "no policy file is for agent_1" in done.stderr


def test_an_action_outside_of_its_space_ends_the_run(tmp_path: Path) -> None:
    file = write_policy(tmp_path / "policy.onnx", BALANCE)
    model = onnx.load(file)
    model.graph.node[3].CopyFrom(helper.make_node("Cast", ["flat"], ["action"], to=7))
    model.graph.initializer[0].CopyFrom(
        numpy_helper.from_array(np.full((4, 1), 1e6, np.float32), "gains")
    )
    onnx.save(model, file)
    done = run(CART_POLE, f"--policy={file}")
    assert done.returncode == 2
    assert re.search(r"its action -?\d+ is not of Discrete\(2", done.stderr)


@pytest.mark.parametrize(
    ("library", "words"),
    [
        ("", "needs ONNX Runtime, which was not found.*pip install onnxruntime"),
        ("/nowhere/libonnxruntime.so", "/nowhere/libonnxruntime.so.*DEFIANCE_ONNXRUNTIME"),
        ("libm.so.6", "is not ONNX Runtime"),
    ],
)
def test_without_the_runtime_the_error_says_what_to_install(
    library: str, words: str, tmp_path: Path
) -> None:
    file = write_policy(tmp_path / "policy.onnx", BALANCE)
    done = run(CART_POLE, f"--policy={file}", library=library)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.search(words, done.stderr, re.DOTALL)
