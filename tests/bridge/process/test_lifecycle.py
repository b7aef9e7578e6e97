# SPDX-License-Identifier: GPL-2.0-only
"""Environments are created and closed in any number and order, and leave nothing behind."""

from __future__ import annotations

import os
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest
from conftest import TRIAL, fork_servers, resources, simulations

from defiance_zoo import errors
from defiance_zoo.environments import SimulationAECEnv

Make = Callable[..., Any]


@pytest.mark.long
@pytest.mark.timeout(300)
def test_a_thousand_resets_use_no_more_resources_than_the_first(make_aec: Make) -> None:
    env = make_aec(duration="30ms")
    env.reset(seed=0)
    env.step(0)
    before = resources()
    for episode in range(1000):
        env.reset()
        env.step(0)
        if episode % 2:  # half of them played to the end
            for _agent in env.agent_iter():
                *_, terminated, truncated, _info = env.last()
                env.step(None if terminated or truncated else 0)
    env.reset()
    env.step(0)
    assert resources() == before


def test_close_releases_all_resources_and_may_be_called_twice(
    own_temporary_folder: Path, make_aec: Make, link: str
) -> None:
    before = resources()
    env = make_aec()
    env.reset()
    assert resources() != before
    made = list(own_temporary_folder.glob("defiance-*"))
    assert len(made) == (link == "zmq")
    assert all(directory.stat().st_mode & 0o777 == 0o700 for directory in made)
    env.close()
    env.close()
    assert resources() == before
    assert not any(directory.exists() for directory in made)
    with pytest.raises(errors.ClosedEnvironment):
        env.step(0)
    with pytest.raises(errors.ClosedEnvironment):
        env.reset()


def test_an_unreferenced_environment_is_closed() -> None:
    before = resources()
    env = SimulationAECEnv(TRIAL)
    env.reset()
    del env
    assert resources() == before


def test_no_simulation_starts_before_the_first_reset() -> None:
    before = resources()
    env = SimulationAECEnv(TRIAL)
    assert resources() == before
    assert env.possible_agents == ["agent_0"]
    assert simulations() == []  # the simulation that described its agents has ended
    env.close()
    assert resources() == before


def test_the_first_episode_uses_the_fork_server_that_described_the_agents(make_aec: Make) -> None:
    env = make_aec()
    assert env.possible_agents == ["agent_0"]
    servers = fork_servers()
    assert len(servers) == 1
    env.reset()
    assert fork_servers() == servers


def test_environments_side_by_side_do_not_affect_each_other(make_aec: Make) -> None:
    """Ten environments of different sizes, stepped in turns and reset in between."""
    envs = [make_aec(size=size, duration="1s") for size in range(1, 11)]
    for env in envs:
        env.reset()
    for turn in range(5):
        for number, env in enumerate(envs):
            if turn == number % 5:
                env.reset()
            env.step(0)
            observation, *_ = env.last()
            assert observation.shape == (number + 1,)
    assert len(simulations()) == 10


def test_unpickling_makes_an_equal_environment(make_aec: Make) -> None:
    env = make_aec(agents=3, size=2, max_cycles=4)
    env.reset(seed=5)
    copy = pickle.loads(pickle.dumps(env))
    assert copy.possible_agents == env.possible_agents
    copy.reset(seed=5)
    copy.step(1)
    assert copy.observe("agent_0").shape == (2,)
    copy.close()


def test_a_forked_python_does_not_affect_its_parents_simulation(make_aec: Make) -> None:
    env = make_aec(duration="1s")
    env.reset()
    child = os.fork()
    if child == 0:
        env.close()
        os._exit(len(simulations()))
    _, status = os.waitpid(child, 0)
    assert status == 0
    env.step(3)
    assert env.infos["agent_0"]["last_action"] == "3"


def test_parameters_persist_over_resets_and_options_do_not(make_aec: Make) -> None:
    env = make_aec(size=7)
    for options, size in ((None, 7), ({"size": 2}, 2), (None, 7), ({"no_such": 1}, 7)):
        env.reset(options=options)
        assert env.observe("agent_0").shape == (size,)


@pytest.mark.filterwarnings("ignore:no agent decided")
def test_step_raises_after_the_end_of_the_episode(make_aec: Make) -> None:
    env = make_aec(duration="0ms")
    env.reset()
    assert env.truncations == {"agent_0": True}
    env.step(None)
    assert env.agents == []
    with pytest.raises(errors.ResetNeeded):
        env.step(0)


def test_a_running_simulation_is_a_child_and_does_not_spin(make_aec: Make) -> None:
    """While the policy computes, the simulation sleeps."""
    env = make_aec(duration="1h")
    env.reset()
    (simulation,) = simulations()
    used = simulation.cpu_times().user
    psutil.cpu_percent(interval=0.3)  # the policy computes
    assert simulation.cpu_times().user - used < 0.1


def test_a_simulation_exits_without_finalising_the_libraries_of_ns3(
    make_aec: Make, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DEFIANCE_ALLOCATOR", "system")  # which leaves jemalloc out
    monkeypatch.setenv("LD_DEBUG", "files")
    monkeypatch.setenv("LD_DEBUG_OUTPUT", str(tmp_path / "loader"))
    env = make_aec(launch="spawn")
    env.reset()
    written = tmp_path / f"loader.{simulations()[0].pid}"
    env.close()
    torn_down = re.findall(r"calling fini: (.*) \[0\]", written.read_text())
    # The loader has no name for the program itself.
    assert [Path(each).name for each in torn_down] == ["", "libdefiance.so"]
