# SPDX-License-Identifier: GPL-2.0-only
"""Vectors record the same episodes as single environments, into one folder."""

from __future__ import annotations

import contextlib
import copy
import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from conftest import TESTS, TRIAL
from gymnasium.vector import AutoresetMode
from programs import Program

from defiance_zoo import make_vec
from defiance_zoo.bridge.simulation.seeding import rng_seed
from defiance_zoo.environments import EnvironmentSpec, lookup
from defiance_zoo.environments.testing import exact
from defiance_zoo.errors import ParameterError
from defiance_zoo.recording import Episode, Record, find_episodes, read_episode, replay
from defiance_zoo.recording.replaying import open_recorded
from defiance_zoo.wrappers.gymnasium import GymnasiumEnv
from defiance_zoo.wrappers.sb3 import make_shared_policy_vec_env, make_vec_env

CARTS = lookup("cart_pole_v0")
SPEC = EnvironmentSpec("trial_v0", TRIAL)
UDP: dict[str, Any] = {"transport": "udp", "delay": "3ms", "loss": 0.2}
LONG: dict[str, Any] = {"duration": "1h"}
STEPS = 30
SIMULATED = ("messages", "links", "positions", "moves", "events")
By = dict[tuple[int, int], Episode]
"""Episodes by seed and run of ns-3."""


def read_all(folder: Path) -> By:
    found = [read_episode(each) for each in find_episodes(folder)]
    assert len(found) == len(list(folder.iterdir()))
    return {(each.header.rng.seed, each.header.rng.run): each for each in found}


def assert_same(ours: By, alone: By, spec: EnvironmentSpec) -> None:
    """Compare episodes with those of single environments, and replay them."""
    assert ours.keys() == alone.keys()
    for key, one in ours.items():
        other = alone[key]
        assert one.header == other.header
        assert one.steps.equals(other.steps)
        assert one.topology == other.topology
        for name in SIMULATED:
            assert getattr(one, name).equals(getattr(other, name))
        assert one.communication == other.communication
        with contextlib.closing(open_recorded(one.recording(), spec)) as episodes:
            replay(one.recording(), episodes)


def play_alone(
    spec: EnvironmentSpec, actions: Any, seed: int, *, reset: bool = False, **arguments: Any
) -> None:
    """Play actions in a single environment, with a new episode after each end.

    The last episode is abandoned by closing, or by a `reset`.
    """
    env = GymnasiumEnv(spec, link="local", **arguments)
    env.reset(seed=seed)
    over = False
    for action in actions:
        if over:
            env.reset()
        _, _, terminated, truncated, _ = env.step(action)
        over = terminated or truncated
    if reset:
        env.reset()
    env.close()


@pytest.mark.parametrize("link", ["local", "zmq"])
@pytest.mark.parametrize(
    ("mode", "max_cycles"), [(AutoresetMode.SAME_STEP, 12), (AutoresetMode.NEXT_STEP, None)]
)
def test_recorded_episodes_equal_those_of_single_environments(
    link: str, mode: AutoresetMode, max_cycles: int | None, tmp_path: Path
) -> None:
    """Episodes truncated by `max_cycles`, terminated ones, and abandoned ones."""
    arguments = {**UDP, "max_cycles": max_cycles, "communication_report": True}
    leave = {"reset": max_cycles is None}
    actions = np.random.default_rng(2).integers(2, size=(STEPS, 3))
    told = []
    taken: list[list[int]] = [[], [], []]
    for more in ({}, {"record": tmp_path / "vector"}):
        env = CARTS.vector_env(3, autoreset_mode=mode, link=link, **arguments, **more)
        said, begins = [exact(env.reset(seed=7))], np.zeros(3, bool)
        for row in actions:
            for member in np.flatnonzero(~begins) if more else ():
                taken[member].append(row[member])
            results = env.step(row)
            if mode is AutoresetMode.NEXT_STEP:
                begins = results[2] | results[3]
            said.append(exact(results))
        told.append(said)
        if leave["reset"]:
            env.reset()
        env.close()
    assert told[0] == told[1]
    for member in range(3):
        alone = {**arguments, **leave, "record": tmp_path / "alone"}
        play_alone(CARTS, taken[member], 7 + member, **alone)
    ours = read_all(tmp_path / "vector")
    assert_same(ours, read_all(tmp_path / "alone"), CARTS)
    assert {each.header.outcome for each in ours.values()} == {"ended", "unfinished"}
    assert all(each.communication for each in ours.values())


@pytest.mark.parametrize(
    "case",
    [
        {"agents": 3, "scenario_case": "uneven"},
        {"agents": 3, "scenario_case": "leaving"},
        {"agents": 3, "scenario_case": "late", "max_agents": 3},
        {"agents": 2, "max_cycles": 4},
    ],
    ids=str,
)
def test_agents_that_do_not_decide_in_each_round_are_recorded(
    case: dict[str, Any], tmp_path: Path
) -> None:
    """The vector ignores actions of other agents, and the recording lacks them."""
    arguments = {name: value for name, value in case.items() if name != "max_agents"}
    env = SPEC.multi_agent_vector_env(
        2, autoreset_mode="Disabled", record=tmp_path / "vector", **case
    )
    env.reset(seed=3)
    actions = np.random.default_rng(1).integers(8, size=(100, 2, env.max_agents))
    for row in actions:
        *_, infos = env.step(row)
        if not infos["alive"].any():
            break
    rows = {agent: place for place, agent in enumerate(env.possible_agents)}
    env.close()
    alone = SPEC.parallel_env(link="local", record=tmp_path / "alone", **arguments)
    for member in range(2):
        alone.reset(seed=3 + member)
        for row in actions:
            alone.step({agent: row[member, rows[agent]] for agent in alone.agents})
            if not alone.agents:
                break
    alone.close()
    ours = read_all(tmp_path / "vector")
    assert len(ours) == 2
    assert_same(ours, read_all(tmp_path / "alone"), SPEC)


def test_actions_of_every_kind_of_space_are_recorded(tmp_path: Path) -> None:
    env = SPEC.vector_env(2, scenario_case="echo", record=tmp_path / "vector")
    env.reset(seed=1)
    env.action_space.seed(1)
    batches = [env.action_space.sample() for _ in range(3)]
    for batch in batches:
        env.step(batch)
    env.close()
    rows = [list(gymnasium.vector.utils.iterate(env.action_space, batch)) for batch in batches]
    for member in range(2):
        mine = [each[member] for each in rows]
        play_alone(SPEC, mine, 1 + member, scenario_case="echo", record=tmp_path / "alone")
    assert_same(read_all(tmp_path / "vector"), read_all(tmp_path / "alone"), SPEC)


def acted(folder: Path) -> dict[tuple[int, int], tuple[str, list[int]]]:
    """Return the outcome of each episode, and the actions of its only agent, by seed and run."""
    seeds = {rng_seed(seed): seed for seed in range(20)}
    return {
        (seeds[seed], run): (
            each.header.outcome,
            [a["agent_0"] for a in each.recording().decisions],
        )
        for (seed, run), each in read_all(folder).items()
    }


def test_abandoned_episodes_are_written_as_far_as_played(tmp_path: Path) -> None:
    """By a reset of some, a reset while others play, and the end of the vector."""
    env = SPEC.vector_env(3, record=tmp_path, autoreset_mode="Disabled", **LONG)
    env.reset(seed=1)
    for action in (1, 2):
        env.step(np.full(3, action))
    env.reset(options={"reset_mask": np.array([False, True, False])})
    env.send(np.array([3, 4]), [0, 1])  # their answers are not received
    with pytest.raises(ParameterError):
        env.reset(seed=9, options={"agents": -1})  # they end even if the reset is refused
    env.reset(seed=11)
    env.send(np.array([5, 6, 7]))
    env.close()
    env.close()
    assert acted(tmp_path) == {
        (1, 1): ("unfinished", [1, 2, 3]),
        (2, 1): ("unfinished", [1, 2]),
        (2, 2): ("unfinished", [4]),
        (3, 1): ("unfinished", [1, 2]),
        **{(11 + member, 1): ("unfinished", [5 + member]) for member in range(3)},
    }


def test_simulations_that_are_ready_are_recorded(tmp_path: Path) -> None:
    env = SPEC.vector_env(3, batch_size=1, record=tmp_path, duration="45ms")
    env.async_reset(seed=1)
    expected: dict[tuple[int, int], tuple[str, list[int]]] = {}
    for member in range(3):
        expected[member + 1, 1] = ("unfinished", [])
    runs = [1, 1, 1]
    for step in range(30):
        *_, truncations, infos = env.recv()
        (member,) = infos["env_id"].tolist()
        _, actions = expected[member + 1, runs[member]]
        if truncations.all():  # the next actions begin new episodes
            expected[member + 1, runs[member]] = ("ended", actions)
            runs[member] += 1
            expected[member + 1, runs[member]] = ("unfinished", [])
        else:
            actions.append(step % 4)
        env.send(np.array([step % 4]), [member])
    env.close()
    assert acted(tmp_path) == {key: each for key, each in expected.items() if each[1]}
    assert sum(runs) > 3


def test_a_lost_simulation_is_recorded_as_failed(tmp_path: Path) -> None:
    env = SPEC.vector_env(2, record=tmp_path, restart_on_failure=True, **LONG)
    env.reset(seed=1)
    env.step(np.zeros(2, np.int64))
    _, process = env._pool.episodes[1].launcher.expected.conversation
    signal.pidfd_send_signal(process.exit_fd, signal.SIGKILL)
    *_, truncations, _ = env.step(np.zeros(2, np.int64))
    assert truncations.tolist() == [False, True]
    for _ in range(2):
        env.step(np.ones(2, np.int64))
    env.close()
    assert acted(tmp_path) == {
        (1, 1): ("unfinished", [0, 0, 1, 1]),
        (2, 1): ("failed", [0, 0]),
        (2, 2): ("unfinished", [1]),
    }
    assert "SIGKILL" in read_all(tmp_path)[rng_seed(2), 1].header.failure


@pytest.mark.parametrize("shared", [False, True])
def test_after_a_return_to_a_state_episodes_are_complete(shared: bool, tmp_path: Path) -> None:
    """The episodes played in between are there, too; `keep` can distinguish them."""
    make = SPEC.multi_agent_vector_env if shared else SPEC.vector_env
    record = Record(tmp_path, keep=lambda recording: len(recording.decisions) == 4)
    env = make(2, resumable=True, record=record, **LONG)
    actions = np.zeros(env.action_space.shape, np.int64)
    env.reset(seed=1)
    for action in (1, 2):
        env.step(actions + action)
    state = env.state_dict()
    env.step(actions + 3)
    env.load_state_dict(state)
    for action in (4, 5):
        env.step(actions + action)
    env.close()
    assert acted(tmp_path) == {(m + 1, 1): ("unfinished", [1, 2, 4, 5]) for m in range(2)}
    assert len(record.written) == 2


def test_a_fork_of_python_records_its_own_episodes(tmp_path: Path) -> None:
    env = SPEC.vector_env(2, record=tmp_path, **LONG)
    env.reset(seed=1)
    env.step(np.ones(2, np.int64))
    child = os.fork()
    if child == 0:
        try:
            env.reset(seed=11)
            env.step(np.full(2, 2))
            env.close()
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    env.step(np.full(2, 3))
    env.close()
    assert acted(tmp_path) == {
        **{(1 + member, 1): ("unfinished", [1, 3]) for member in range(2)},
        **{(11 + member, 1): ("unfinished", [2]) for member in range(2)},
    }


@pytest.mark.parametrize("make", [SPEC.vector_env, SPEC.multi_agent_vector_env])
def test_copies_record_to_the_same_folder(make: Callable[..., Any], tmp_path: Path) -> None:
    env = make(2, record=Record(tmp_path, name="one"), **LONG)
    for each in (env, copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        each.reset(seed=1)
        each.step(np.ones(each.action_space.shape, np.int64))
        each.close()
    names = [path.name for path in sorted(tmp_path.iterdir())]
    assert names == [f"one-{number:06}" for number in range(1, 7)]
    assert [read_episode(tmp_path / each).header.seed for each in names[::2]] == [1, 1, 1]


def test_fragments_inside_simulations_are_not_recorded(tmp_path: Path) -> None:
    folder = tmp_path / "episodes"
    env = SPEC.vector_env(2, autoreset_mode="SameStep", record=folder, **LONG)
    env.reset(seed=1)
    with pytest.raises(ParameterError, match="inside simulations that are recorded"):
        next(env.play_fragments(b"policy", np.zeros((3, 2, 1, 8), np.float32)))
    env.close()
    assert not folder.exists()


def test_wrong_arguments_are_refused_before_anything_starts(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for wrong in (tmp_path / "file", 5, Record(tmp_path, interval_ns=0)):
        with pytest.raises(ParameterError):
            SPEC.vector_env(2, record=wrong)


def _by_gymnasium(folder: Path) -> Any:
    return gymnasium.make_vec("defiance_zoo/CartPole-v0", num_envs=2, record=folder, max_cycles=5)


@pytest.mark.parametrize(
    ("make", "rows"),
    [
        pytest.param(lambda to: make_vec("cart_pole_v0", 2, record=to, max_cycles=5), 2, id="ours"),
        pytest.param(_by_gymnasium, 2, id="gymnasium"),
        pytest.param(
            lambda to: make_vec_env("cart_pole_v0", n_envs=2, record=to, max_cycles=5), 2, id="sb3"
        ),
        pytest.param(
            lambda to: make_shared_policy_vec_env(
                "cart_pole_v0", n_envs=2, carts=2, record=to, max_cycles=5
            ),
            4,
            id="sb3-shared",
        ),
    ],
)
def test_make_vec_and_vector_classes_accept_record(
    make: Callable[[Path], Any], rows: int, tmp_path: Path
) -> None:
    env = make(tmp_path)
    env.reset()
    for _ in range(5):
        env.step(np.ones(rows, np.int64))
    env.close()
    ended = [each for each in read_all(tmp_path).values() if each.header.outcome == "ended"]
    assert len(ended) == 2
    for each in ended:
        assert len(each.recording().decisions) == 5


def test_a_killed_process_leaves_complete_episodes_and_partial_last_ones(
    tmp_path: Path,
) -> None:
    program = (
        "import numpy as np\n"
        "from defiance_zoo import make_vec\n"
        f"env = make_vec('cart_pole_v0', 2, record={str(tmp_path)!r}, max_cycles=5)\n"
        "env.reset(seed=1)\n"
        "while True:\n"
        "    env.step(np.ones(2, np.int64))\n"
        "    print('step', flush=True)\n"
    )
    command = [sys.executable, "-c", program]
    environment = {"PYTHONPATH": f"{TESTS}/.."}
    with Program(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        for number, _ in enumerate(process.stdout):
            if number == 20:
                process.send_signal(signal.SIGKILL)
    found = [read_episode(each) for each in find_episodes(tmp_path)]
    ended = [each for each in found if each.header.outcome == "ended"]
    assert len(ended) >= 6
    assert len(found) - len(ended) <= 2
    with contextlib.closing(open_recorded(ended[-1].recording())) as episodes:
        replay(ended[-1].recording(), episodes)
