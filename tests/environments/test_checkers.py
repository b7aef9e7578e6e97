# SPDX-License-Identifier: GPL-2.0-only
"""Checkers of PettingZoo, Gymnasium and SB3 on environments with masks or with uneven decisions."""

from __future__ import annotations

import contextlib
import copy
import functools
import pickle
import random
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from conftest import ROOT, TRIAL
from gymnasium import spaces
from gymnasium.utils.env_checker import check_env as check_gymnasium
from gymnasium.vector import SyncVectorEnv
from pettingzoo.test import (
    api_test,
    max_cycles_test,
    parallel_api_test,
    parallel_seed_test,
    performance_benchmark,
    render_test,
    seed_test,
)

from defiance_zoo.bridge.codec.masks import allows, check_mask, take_masks
from defiance_zoo.bridge.simulation import Scenario
from defiance_zoo.environments import EnvironmentSpec
from defiance_zoo.errors import IllegalAction
from defiance_zoo.wrappers.gymnasium import GymnasiumEnv

KINDS = ("discrete", "start", "multi", "multi_start", "binary")
PROGRAM = Path(__file__).parents[1] / "scenario" / "programs" / "masks.py"
MASKS = EnvironmentSpec(
    "masks_v0", Scenario.python("masks", PROGRAM, refuses_masked={"refuse": "yes"})
)
LATE = EnvironmentSpec("trial_v0", TRIAL)
CHECKERS_PAGE = "docs/coming-from/pettingzoo.md#checkers"
PAGE = re.escape(CHECKERS_PAGE)
LONG = pytest.mark.long

pytestmark = [
    # At the beginning nothing has happened, and most features are 0.
    pytest.mark.filterwarnings("ignore:Observation numpy array is all zeros"),
    # A dict with a mask is what PettingZoo's own documentation recommends.
    pytest.mark.filterwarnings("ignore:(Observation|Action) space for each agent probably should"),
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array"),
    pytest.mark.filterwarnings("ignore:.*Not able to test alternative render modes"),
    pytest.mark.filterwarnings("ignore:.*non-zero start"),
]


def module(spec: EnvironmentSpec, **arguments: Any) -> SimpleNamespace:
    """Return the module argument of `max_cycles_test`."""
    given = {"link": "local", **arguments}
    return SimpleNamespace(
        env=functools.partial(spec.env, **given),
        parallel_env=functools.partial(spec.parallel_env, **given),
    )


def check(checker: Callable[[Any], None], env: Any) -> None:
    with contextlib.closing(env):
        checker(env)


# ------------------------------------------------------------------ drawing under masks


@pytest.mark.parametrize(
    ("space", "mask"),
    [
        (spaces.Discrete(4, start=2), [0, 1, 0, 1]),
        (spaces.MultiDiscrete([2, 3], start=[-1, 5]), [1, 0, 0, 1, 1]),
        (spaces.MultiDiscrete([[2, 3], [1, 2]]), [0, 1, 0, 1, 1, 1, 1, 0]),
        (spaces.MultiBinary(3), [1, 0, 0, 1, 1, 1]),
        (spaces.MultiBinary((2, 1)), [0, 1, 1, 1]),
    ],
)
def test_action_spaces_sample_actions_that_a_flat_mask_allows(space: Any, mask: list[int]) -> None:
    taking = take_masks(space)
    assert (taking, space) == (space, taking)
    checked = check_mask("agent", space, mask)
    forms = (mask, tuple(mask), np.array(mask), np.array(mask, bool), np.array(mask, np.int8))
    for form in forms:
        taking.seed(1)
        drawn = [taking.sample(form) for _ in range(60)]
        assert all(space.contains(each) and allows(space, checked, each) for each in drawn)
        every = {str(np.asarray(taking.sample()).tolist()) for _ in range(60)}
        assert len({str(np.asarray(each).tolist()) for each in drawn}) < len(every)
    copied = copy.deepcopy(taking)
    assert np.array_equal(copied.sample(mask), taking.sample(mask))
    assert type(pickle.loads(pickle.dumps(taking))) is type(space)


def test_action_spaces_sample_with_gymnasiums_own_masks() -> None:
    numbers = take_masks(spaces.MultiDiscrete([2, 2]))
    own = (np.array([0, 1], np.int8), np.array([1, 0], np.int8))
    assert numbers.sample(own).tolist() == [1, 0]
    bits = take_masks(spaces.MultiBinary(4))
    assert bits.sample(np.array([0, 1, 1, 0], np.int8)).tolist() == [0, 1, 1, 0]
    with pytest.raises(AssertionError):
        bits.sample(np.array([0, 1, 1], np.int8))
    box = spaces.Box(0, 1, (2,))
    assert take_masks(box) is box


SOME = [
    ("discrete", "info"), ("multi_start", "info"), ("start", "observation"),
    ("binary", "observation"),
]  # fmt: skip
PLACES = ("info", "observation")
OTHERS = [(kind, where) for kind in KINDS for where in PLACES if (kind, where) not in SOME]


@pytest.mark.parametrize(
    ("kind", "where"), [*SOME, *(pytest.param(*each, marks=LONG) for each in OTHERS)]
)
def test_pettingzoos_checkers_that_use_the_mask_pass_if_it_is_enforced(
    kind: str, where: str
) -> None:
    made = module(MASKS, kind=kind, where=where, agents=2, written="bools", refuse="yes")
    check(functools.partial(api_test, num_cycles=12), made.env())
    seed_test(made.env, num_cycles=12)
    if where == "observation":
        check(functools.partial(parallel_api_test, num_cycles=12), made.parallel_env())


@pytest.mark.parametrize(("kind", "where"), SOME)
@pytest.mark.long
def test_checkers_that_ignore_masks_pass_if_it_is_not_enforced(kind: str, where: str) -> None:
    from stable_baselines3.common.env_checker import check_env as check_sb3

    given = {"kind": kind, "where": where, "refuse": "no"}
    made = module(MASKS, **given)
    check(functools.partial(parallel_api_test, num_cycles=12), made.parallel_env())
    parallel_seed_test(made.parallel_env, num_cycles=12)
    max_cycles_test(made)
    render_test(made.env)
    check(
        functools.partial(check_gymnasium, skip_close_check=True),
        GymnasiumEnv(MASKS, **given, link="local"),
    )
    check(check_sb3, GymnasiumEnv(MASKS, **given, link="local"))


# ------------------------------------------------------------------ failures that name the page


def ignore_masks(env: Any) -> None:
    env.reset(seed=1)
    for _ in range(20):
        env.step(env.action_space.sample())


def make_gymnasium() -> GymnasiumEnv:
    return GymnasiumEnv(MASKS, kind="binary", link="local")


def run_sb3s() -> None:
    from stable_baselines3.common.env_checker import check_env as check_sb3

    check(check_sb3, make_gymnasium())


BINARY = module(MASKS, kind="binary")
IGNORING: dict[str, Callable[[], None]] = {
    "parallel_api_test": lambda: check(parallel_api_test, BINARY.parallel_env()),
    "max_cycles_test": lambda: max_cycles_test(BINARY),
    "performance_benchmark": lambda: check(performance_benchmark, BINARY.env()),
    "render_test": lambda: render_test(BINARY.env),
    "gymnasium": lambda: check(check_gymnasium, make_gymnasium()),
    "SyncVectorEnv": lambda: check(ignore_masks, SyncVectorEnv([make_gymnasium] * 2)),
    "sb3": run_sb3s,
}


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # checkers leave environments open
@pytest.mark.parametrize(
    "checker", [pytest.param(name, marks=LONG if name == "sb3" else ()) for name in IGNORING]
)
def test_a_checker_that_ignores_enforced_masks_fails_and_names_the_page(checker: str) -> None:
    random.seed(1)
    with pytest.raises(IllegalAction, match=f"forbids action.*{PAGE}"):
        IGNORING[checker]()


def test_the_page_about_checkers_exists() -> None:
    page, _, heading = CHECKERS_PAGE.partition("#")
    assert f"\n## {heading.capitalize()}\n" in (ROOT / page).read_text()


# ------------------------------------------------------------------ decisions at different times


def test_max_cycles_truncates_uneven_decisions_outside_of_the_test() -> None:
    made = module(LATE, scenario_case="uneven", agents=3)
    with contextlib.closing(made.env(max_cycles=4)) as env:
        env.reset(seed=1)
        for agent in env.agent_iter():
            *_, terminated, truncated, _ = env.last()
            over = terminated or truncated
            env.step(None if over else env.action_space(agent).sample())
    with contextlib.closing(made.parallel_env(max_cycles=4)) as parallel:
        parallel.reset(seed=1)
        while parallel.agents:
            parallel.step({each: parallel.action_space(each).sample() for each in parallel.agents})


def test_max_cycles_test_passes_where_agents_decide_equally_often() -> None:
    max_cycles_test(module(LATE, agents=3))
    max_cycles_test(module(LATE, scenario_case="leaving", agents=3))


def test_actions_of_late_agents_are_sampled_from_the_seed() -> None:
    made = module(LATE, scenario_case="late", agents=3)
    seed_test(made.env, num_cycles=20)
    parallel_seed_test(made.parallel_env, num_cycles=20)

    def draw(seed: int | None) -> list[Any]:
        with contextlib.closing(made.parallel_env()) as env:
            env.reset(seed=seed)
            while "agent_2" not in env.agents:
                env.step({each: env.action_space(each).sample() for each in env.agents})
            return [env.action_space(each).sample() for each in ["agent_1", "agent_2"] * 20]

    assert draw(3) == draw(3) != draw(4)
    assert draw(None) != draw(None)


@pytest.mark.filterwarnings("ignore:no agent decided")
@pytest.mark.parametrize("case", ["late", "leaving", "uneven", "mute"])
def test_benchmark_and_pictures_support_agents_that_come_and_go(
    case: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = iter(range(0, 1000, 2))  # a clock that advances two seconds a call, for five calls
    clock = SimpleNamespace(time=lambda: next(times))
    monkeypatch.setattr(sys.modules["pettingzoo.test.performance_benchmark"], "time", clock)
    made = module(LATE, scenario_case=case, agents=3)
    check(performance_benchmark, made.env())
    render_test(made.env)
