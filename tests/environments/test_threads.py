# SPDX-License-Identifier: GPL-2.0-only
"""Environments that several threads use: in turn, and at once."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from defiance_zoo.bridge.simulation import Scenario
from defiance_zoo.bridge.system.fork_safety import exclusive
from defiance_zoo.environments import EnvironmentSpec
from defiance_zoo.errors import ConcurrentUse
from defiance_zoo.wrappers.gymnasium import GymnasiumEnv

PROGRAM = Path(__file__).parents[1] / "scenario" / "programs" / "masks.py"
SPEC = EnvironmentSpec("threads_v0", Scenario.python("masks", PROGRAM))
OVER = {"link": "local", "where": "nowhere", "duration": "2s"}
MAKERS: dict[str, Callable[[], Any]] = {
    "aec": lambda: SPEC.raw_env(**OVER),
    "parallel": lambda: SPEC.parallel_env(**OVER),
    "gymnasium": lambda: GymnasiumEnv(SPEC, **OVER),
    "vector": lambda: SPEC.vector_env(2, **OVER),
    "rows": lambda: SPEC.multi_agent_vector_env(2, **OVER),
}
ACTIONS = {
    "aec": 0, "parallel": {"agent_0": 0}, "gymnasium": 0, "vector": np.zeros(2, np.int64),
    "rows": np.zeros((2, 1), np.int64),
}  # fmt: skip


@pytest.mark.parametrize("kind", MAKERS)
def test_threads_may_use_an_environment_in_turn(kind: str) -> None:
    with contextlib.closing(MAKERS[kind]()) as env:
        for call in (lambda: env.reset(seed=1), *[lambda: env.step(ACTIONS[kind])] * 3):
            with ThreadPoolExecutor(1) as thread:
                thread.submit(call).result()


@pytest.mark.parametrize("kind", MAKERS)
def test_a_call_during_a_call_of_another_thread_is_refused(kind: str) -> None:
    """The second thread calls while the first one waits for the simulation."""
    with contextlib.closing(MAKERS[kind]()) as env:
        env.reset(seed=1)
        owner = env._pool if hasattr(env, "_pool") else env._episodes
        waits, refused = threading.Event(), threading.Event()
        names = [name for name in ("advance", "gather") if hasattr(owner, name)]
        (name,) = names
        original = getattr(owner, name)

        def wait(*arguments: Any) -> Any:
            waits.set()
            assert refused.wait(60)
            return original(*arguments)

        setattr(owner, name, wait)
        with ThreadPoolExecutor(1) as thread:
            stepped = thread.submit(env.step, ACTIONS[kind])
            assert waits.wait(60)
            try:
                for call in (lambda: env.step(ACTIONS[kind]), env.reset, env.render, env.close):
                    with pytest.raises(ConcurrentUse, match="one thread at a time"):
                        call()
            finally:
                refused.set()
            stepped.result()
        setattr(owner, name, original)
        env.step(ACTIONS[kind])


def test_concurrent_steps_without_a_lock_succeed_or_are_refused() -> None:
    with contextlib.closing(MAKERS["gymnasium"]()) as env:
        env.reset(seed=1)
        taken, refused = [], []

        def step() -> None:
            for _ in range(30):
                try:
                    taken.append(env.step(0)[-1]["sim_time_ns"])
                except ConcurrentUse as error:
                    refused.append(error)

        with ThreadPoolExecutor(4) as threads:
            for done in [threads.submit(step) for _ in range(4)]:
                done.result()
        assert len(taken) + len(refused) == 120
        assert len(set(taken)) == len(taken)  # no step was reported twice
        assert env.step(0)[-1]["sim_time_ns"] > max(taken)


class Resource:
    @exclusive
    def use(self, then: Callable[[], Any]) -> Any:
        return then()


def test_a_thread_may_call_within_its_call_and_a_fork_may_call_at_once() -> None:
    resource = Resource()
    assert resource.use(lambda: resource.use(lambda: 3)) == 3

    def fork() -> int:
        child = os.fork()
        if child == 0:
            with ThreadPoolExecutor(1) as thread:
                os._exit(thread.submit(resource.use, lambda: 7).result())
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

    assert resource.use(fork) == 7
    assert vars(resource) == {}
