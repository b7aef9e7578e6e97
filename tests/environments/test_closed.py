# SPDX-License-Identifier: GPL-2.0-only
"""A closed environment plays no further step, however far its episode was."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import TRIAL
from interfaces import INTERFACES, make, play_on

from defiance_zoo.environments import EnvironmentSpec
from defiance_zoo.errors import ClosedEnvironment

SPEC = EnvironmentSpec("trial_v0", TRIAL)


@pytest.mark.parametrize("scenario_case", ["ticker", "mute"])
@pytest.mark.parametrize("turns", [0, 1, 100])
@pytest.mark.parametrize("interface", INTERFACES)
@pytest.mark.filterwarnings("ignore::defiance_zoo.errors.NobodyDecided")
def test_a_step_after_close_names_the_remedy(
    interface: str, turns: int, scenario_case: str
) -> None:
    """In the case `mute`, the episode is over at its reset."""
    env = make(SPEC, interface, scenario_case=scenario_case, duration="30ms", link="local")
    env.reset(seed=1)
    play_on(env, seed=1, turns=turns)
    env.close()
    action = dict.fromkeys(env.agents, 0) if interface == "parallel" else 0
    for _ in range(2):
        with pytest.raises(ClosedEnvironment, match="make a new one"):
            env.step(action)


def test_a_vector_that_is_closed_between_the_halves_of_a_step_names_the_remedy() -> None:
    env = SPEC.vector_env(2)
    env.reset(seed=1)
    env.step_async(np.zeros(2, np.int64))
    env.close()
    for call in (env.step_wait, env.recv, lambda: env.step(np.zeros(2, np.int64))):
        with pytest.raises(ClosedEnvironment, match="make a new one"):
            call()
