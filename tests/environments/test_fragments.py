# SPDX-License-Identifier: GPL-2.0-only
"""Fragments that a policy plays inside simulations equal steps with its actions."""

from __future__ import annotations

import itertools
import pickle
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import PROGRAMS, resources, simulations
from numpy.typing import NDArray
from onnx import TensorProto, helper

from defiance_zoo import errors
from defiance_zoo.bridge.simulation import Fragment, Scenario
from defiance_zoo.bridge.system.extras import onnxruntime_library
from defiance_zoo.environments import EnvironmentSpec, lookup
from defiance_zoo.environments.testing import exact
from defiance_zoo.environments.vector import fragments
from defiance_zoo.environments.vector.fragments import PlayedFragment

TARGETS = EnvironmentSpec("targets_v0", Scenario("targets", PROGRAMS / "targets"))
TRIAL = EnvironmentSpec("trial_v0", Scenario("trial", PROGRAMS / "trial"))
MASKED = EnvironmentSpec("masked_v0", Scenario("masked", PROGRAMS / "masked", refuses_masked=True))
MIXED = {"agents": 3, "uneven": True, "leaving": True}
LATE = {"agents": 3, "scenario_case": "late", "max_agents": 3}
STEPS = 40
RUNTIME = str(onnxruntime_library())
Make = Callable[..., Any]


def policy(
    seen: int,
    *choices: int,
    noise: str = "noise",
    output: str = "action",
    element: int = TensorProto.FLOAT,
) -> bytes:
    """Return a policy that chooses the greatest noise, or the least if it sees a negative sum."""
    inputs = [
        helper.make_tensor_value_info("observation", TensorProto.FLOAT, ["batch", seen]),
        helper.make_tensor_value_info(noise, element, ["batch", *choices]),
    ]
    nodes = [
        helper.make_node("ReduceSum", ["observation", "axis"], ["sum"], keepdims=1),
        helper.make_node("Sign", ["sum"], ["sign"]),
        helper.make_node("Mul", ["sign", noise], ["score"]),
        helper.make_node("ArgMax", ["score"], [output], axis=1, keepdims=0),
    ]
    axis = helper.make_tensor("axis", TensorProto.INT64, [1], [1])
    outputs = [helper.make_tensor_value_info(output, TensorProto.INT64, ["batch"])]
    graph = helper.make_graph(nodes, "policy", inputs, outputs, [axis])
    opset = [helper.make_opsetid("", 18)]
    data: bytes = helper.make_model(graph, opset_imports=opset, ir_version=10).SerializeToString()
    return data


def choose(seen: NDArray[Any], noise: NDArray[Any]) -> NDArray[np.int64]:
    """Return the policy's actions."""
    chosen: NDArray[np.int64] = np.argmax(np.sign(seen.sum(-1, keepdims=True)) * noise, axis=-1)
    return chosen


@pytest.fixture
def make() -> Iterator[Make]:
    """Make vectors that are closed after the test."""
    made: list[Any] = []

    def make_one(spec: EnvironmentSpec, count: int = 2, *, shared: bool, **arguments: Any) -> Any:
        kind = spec.multi_agent_vector_env if shared else spec.vector_env
        made.append(kind(count, **{"autoreset_mode": "SameStep", **arguments}))
        return made[-1]

    yield make_one
    for env in made:
        env.close()


class Stepped:
    """The results of steps with the policy's actions, with a row for each agent."""

    def __init__(self, env: Any, noise: NDArray[Any]) -> None:
        count, rows = noise.shape[1:3]
        seen, infos = env.reset(seed=3)
        self.seen, self.acted, self.actions, self.told = [], [], [], []
        for each in noise:
            everybody = np.ones((count, rows), np.bool_)
            self.seen.append(seen.reshape(count, rows, -1).copy())
            self.acted.append(infos.get("deciding", everybody).copy())
            self.actions.append(choose(self.seen[-1], each))
            actions = self.actions[-1] if "deciding" in infos else self.actions[-1][:, 0]
            seen, *told, infos = env.step(actions)
            self.told.append((seen.copy(), *told, infos))

    def compare(self, played: PlayedFragment) -> None:
        """Compare steps with the report of a fragment."""
        member, trajectory = played.member, played.trajectory
        assert trajectory is not None
        ends = np.cumsum(trajectory.sizes)
        for number in range(played.steps):
            step = played.first + number
            rows = slice(ends[number] - trajectory.sizes[number], ends[number])
            deciding = trajectory.agents[rows]
            assert sorted(deciding) == np.flatnonzero(self.acted[step][member]).tolist()
            assert exact(trajectory.observations[rows]) == exact(self.seen[step][member, deciding])
            assert (trajectory.actions[rows] == self.actions[step][member, deciding]).all()
            if number:
                earned = self.told[step - 1][1].reshape(len(self.acted[0]), -1)
                assert (trajectory.rewards[rows] == earned[member, deciding]).all()
                told_ns = self.told[step - 1][4]["sim_time_ns"][member]
                assert trajectory.times_ns[number] == told_ns
        self._compare_last(played)

    def _compare_last(self, played: PlayedFragment) -> None:
        member = played.member
        *there, infos = self.told[played.first + played.steps - 1]
        *here, found = played.last
        for one, other in zip(here, there, strict=True):
            assert exact(one[member]) == exact(other[member])
        for key in ("final_obs", "deciding", "alive", "sim_time_ns"):
            if key in infos and infos[key][member] is not None:
                assert exact(found[key][member]) == exact(infos[key][member])


@pytest.mark.parametrize(
    ("spec", "choices", "shared", "arguments"),
    [
        (TARGETS, 4, False, {}),
        (TARGETS, 4, True, MIXED),
        (TARGETS, 4, True, {**MIXED, "max_cycles": 3}),
        (TRIAL, 8, True, LATE),
        (TRIAL, 8, False, {"duration": "75ms"}),
        (lookup("cart_pole_v0"), 2, False, {"transport": "udp", "delay": "10ms"}),
        (
            lookup("packet_routing_v0"),
            2,
            True,
            {"topology": "grid:2x2", "packet_rate": 300, "duration": "50ms"},
        ),
    ],
)
def test_a_fragment_equals_steps_with_the_same_actions(
    make: Make, spec: EnvironmentSpec, choices: int, arguments: dict[str, Any], *, shared: bool
) -> None:
    stepped = make(spec, shared=shared, **arguments)
    env = make(spec, shared=shared, resumable=True, **arguments)
    rows = env.max_agents if shared else 1
    noise = np.random.default_rng(1).random((STEPS, 2, rows, choices), np.float32)
    expected = Stepped(stepped, noise)
    env.reset(seed=3)
    model = policy(int(np.prod(env.single_observation_space.shape)), choices)
    done = [0, 0]
    for played in env.play_fragments(model, noise, RUNTIME):
        assert played.first == done[played.member]
        expected.compare(played)
        done[played.member] += played.steps
    assert done == [STEPS, STEPS]
    # Both continue, and so does a vector that returns to this state.
    again = make(spec, shared=shared, resumable=True, **arguments)
    again.load_state_dict(pickle.loads(pickle.dumps(env.state_dict())))
    actions = np.ones((2, rows) if shared else 2, np.int64)
    for _ in range(15):
        told = exact(env.step(actions))
        assert told == exact(stepped.step(actions))
        assert told == exact(again.step(actions))


def halt(env: Any, member: int, number: int) -> None:
    """Send a simulation a signal."""
    _, process = env._pool.episodes[member].launcher.expected.conversation
    signal.pidfd_send_signal(process.exit_fd, number)


NOISE = np.ones((5, 2, 1, 8), np.float32)


def test_a_simulation_lost_in_a_fragment_is_replaced(make: Make) -> None:
    env = make(TRIAL, shared=False, duration="1h", restart_on_failure=True)
    env.reset(seed=1)
    halt(env, 1, signal.SIGSTOP)
    told = env.play_fragments(policy(4, 8), NOISE, RUNTIME)
    assert next(told).member == 0
    halt(env, 1, signal.SIGKILL)
    lost = next(told)
    assert (lost.member, lost.first, lost.steps, lost.trajectory) == (1, 0, 1, None)
    _, _, terminations, truncations, infos = lost.last
    assert (terminations.tolist(), truncations.tolist()) == ([False, False], [False, True])
    assert "SIGKILL" in infos["final_info"]["failure"][1]
    (rest,) = told
    assert (rest.member, rest.first, rest.steps) == (1, 1, 4)
    assert rest.trajectory is not None
    assert rest.trajectory.observations[:, 0].tolist() == [0, 1, 2, 3]
    assert env.failures == 1


def test_a_simulation_lost_in_a_fragment_raises_by_default(make: Make) -> None:
    env = make(TRIAL, shared=False, duration="1h")
    env.reset(seed=1)
    halt(env, 1, signal.SIGSTOP)
    told = env.play_fragments(policy(4, 8), NOISE, RUNTIME)
    next(told)
    halt(env, 1, signal.SIGKILL)
    with pytest.raises(errors.SimulationCrashed, match="SIGKILL"):
        next(told)
    with pytest.raises(errors.ResetNeeded):
        env.step(np.zeros(2, np.int64))
    env.reset(seed=1)
    assert len(simulations()) == 2


@pytest.mark.parametrize(
    ("model", "noise", "error", "fault"),
    [
        (b"nonsense", NOISE, errors.InvalidPolicy, "it is not an ONNX file"),
        (policy(4, 8, noise="luck"), NOISE, errors.InvalidPolicy, "it has no 'noise'"),
        (policy(4, 8, output="deed"), NOISE, errors.InvalidPolicy, "it has no 'action'"),
        (policy(2, 8), NOISE, errors.InvalidPolicy, "it has observations of 2 numbers, and those"),
        (policy(4, 9), NOISE, errors.InvalidPolicy, "not float32 of 5 rounds, agents and 9"),
        # Several axes whose product 2^64 overflows to 0 in 64 bits.
        (policy(4, 2**32, 2**32), NOISE, errors.InvalidPolicy, r"more than 2\^24 numbers"),
        (
            policy(4, 8, element=TensorProto.INT64),
            NOISE,
            errors.InvalidPolicy,
            "'noise' is not float32",
        ),
        (
            policy(4, 9),
            np.broadcast_to(np.arange(9, dtype=np.float32), (5, 2, 1, 9)),
            errors.InvalidPolicy,
            r"its action 8 is not of Discrete\(8",
        ),
    ],
)
def test_a_policy_that_does_not_fit_is_refused(
    make: Make, model: bytes, noise: Any, error: type[Exception], fault: str
) -> None:
    before = resources()
    # A lost simulation would be replaced, but the next one would refuse the policy, too.
    env = make(TRIAL, shared=False, duration="1h", restart_on_failure=True)
    env.reset(seed=1)
    # The second decision observes a positive sum, and then chooses the last action.
    with pytest.raises(error, match=fault):
        list(env.play_fragments(model, noise, RUNTIME))
    env.close()
    assert resources() == before


def play_one(env: Any, model: bytes, noise: NDArray[Any]) -> Any:
    """Return the result of a fragment of one simulation; noise of shape (steps, agents, 4)."""
    env._episodes.submit_fragment(Fragment(model, noise, RUNTIME))
    return env._episodes.collect().trajectory


@pytest.mark.parametrize(
    ("shape", "fault"),
    [
        ((5, 2, 3), "the noise of a fragment is not float32 of 5 rounds, agents and 4 numbers"),
        ((5, 8), "the noise of a fragment is not float32"),
        ((5, 2, 4, 1), "the noise of a fragment is not float32"),
        ((5, 0, 4), "the noise of a fragment is not float32"),
        ((5, 1, 4), "there is no noise for agent_1"),
    ],
)
def test_noise_of_another_shape_is_refused(shape: tuple[int, ...], fault: str) -> None:
    env = TARGETS.parallel_env(agents=2)
    env.reset(seed=1)
    with pytest.raises(errors.InvalidPolicy, match=fault):
        play_one(env, policy(2, 4), np.ones(shape, np.float32))
    env.reset(seed=1)
    assert len(play_one(env, policy(2, 4), np.ones((5, 2, 4), np.float32)).agents) == 10
    env.close()


def test_a_fragment_can_follow_a_snapshot(monkeypatch: pytest.MonkeyPatch) -> None:
    """A copy plays like the simulation, also if it was taken after the runtime played."""
    # With these variables set, the runtime starts no reporting thread in any process.
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    before = resources()
    env = TARGETS.parallel_env(agents=2, duration="1s")
    env.reset(seed=3)
    env.step({"agent_0": 1, "agent_1": 2})
    noise = np.random.default_rng(1).random((2, 5, 2, 4), np.float32)
    told = []
    with env.snapshot() as snapshot:
        for _ in range(2):
            first = play_one(env, policy(2, 4), noise[0])
            with env.snapshot() as later:
                second = play_one(env, b"", noise[1])
                env.restore(later)
            told += [[first, second], [first, play_one(env, b"", noise[1])]]
            env.restore(snapshot)
    env.close()
    for played in zip(*told, strict=True):
        for name in ("times_ns", "sizes", "agents", "observations", "rewards", "actions"):
            assert len({str(exact(getattr(fragment, name))) for fragment in played}) == 1
    for fragment, drawn in zip(told[0], noise, strict=True):
        seen = fragment.observations.reshape(5, 2, 2)
        assert (fragment.actions == choose(seen, drawn).ravel()).all()
    assert resources() == before


@pytest.mark.parametrize("threaded", [False, True])
def test_the_runtime_is_loaded_once_for_all_episodes(
    make: Make, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, *, threaded: bool
) -> None:
    """The fork server loads it after a trial; simulations load a runtime with threads."""
    noted = tmp_path / "processes"
    monkeypatch.setenv("COUNTED_RUNTIME", RUNTIME)
    monkeypatch.setenv("COUNTED_FILE", str(noted))
    if threaded:
        monkeypatch.setenv("COUNTED_THREAD", "1")
    monkeypatch.delenv("DEFIANCE_ONNXRUNTIME", raising=False)
    library = str(PROGRAMS / "libcounting_runtime.so")
    env = make(TARGETS, shared=False)
    env.expect_fragments(library)
    env.reset(seed=3)
    played, processes = 0, []
    while played < 4:
        processes += [each.pid for each in simulations()]
        for each in env.play_fragments(policy(2, 4), np.ones((20, 2, 1, 4), np.float32), library):
            played += int(each.last[2].any() or each.last[3].any())
    prepared = [int(pid) for pid in noted.read_text().split()]
    assert len(set(prepared)) == len(prepared)
    if threaded:
        assert len(prepared) > 4
        assert set(processes) < set(prepared)
    else:
        assert len(prepared) == 2
        assert not set(processes) & set(prepared)


def test_a_missing_runtime_is_reported(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DEFIANCE_ONNXRUNTIME", raising=False)
    env = make(TRIAL, shared=False)
    env.reset(seed=1)
    with pytest.raises(errors.InvalidPolicy, match=r"needs ONNX Runtime.*\n.*/nowhere/runtime.so"):
        list(env.play_fragments(policy(4, 8), NOISE, "/nowhere/runtime.so"))


def test_fragments_that_cannot_be_played_are_refused(make: Make) -> None:
    env = make(TRIAL, shared=False, autoreset_mode="NextStep")
    env.reset(seed=1)
    with pytest.raises(errors.ParameterError, match="fragments need autoreset_mode='SameStep'"):
        next(env.play_fragments(policy(4, 8), NOISE, RUNTIME))
    env.step(np.zeros(2, np.int64))
    masked = make(MASKED, shared=False)
    masked.reset(seed=1)
    with pytest.raises(errors.ParameterError, match="refuse actions that a mask forbids"):
        next(masked.play_fragments(policy(4, 8), NOISE, RUNTIME))


def test_simulations_that_time_out_share_a_deadline(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The deadline begins with the wait, so several hanging simulations take no longer than one."""
    vec = make(TRIAL, shared=False)
    vec.reset(seed=1)
    times = itertools.count(100.0)
    collect, since = vec._engine.collect, []

    def note(member: int, infos: Any, began: float) -> None:
        since.append(began)
        collect(member, infos, None)

    def say_nothing(_: Any) -> list[int]:
        raise errors.SimulationTimeout("nothing was said")

    monkeypatch.setattr(vec._pool, "wait", say_nothing)
    monkeypatch.setattr(vec._engine, "collect", note)
    monkeypatch.setattr(fragments, "running_time", lambda: next(times))
    played = {each.member for each in vec.play_fragments(policy(4, 8), NOISE, RUNTIME)}
    assert len(played) == vec.num_envs > 1
    assert since[: vec.num_envs] == [100.0] * vec.num_envs
