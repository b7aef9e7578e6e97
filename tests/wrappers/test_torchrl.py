# SPDX-License-Identifier: GPL-2.0-only
"""FixedInfos reports the same names at each step; `make test-clients` tests TorchRL itself."""

from __future__ import annotations

from pathlib import Path

import pytest

import defiance_zoo
from defiance_zoo.bridge.simulation import Scenario
from defiance_zoo.environments import EnvironmentSpec
from defiance_zoo.wrappers.torchrl import FixedInfos

ALWAYS = {"deciding", "sim_time_ns"}


@pytest.mark.parametrize(
    ("name", "names", "kept"),
    [
        ("jamming_v0", (), ALWAYS),  # infos with texts
        ("jamming_v0", ("goodput",), {*ALWAYS, "goodput"}),
        ("partition_v0", (), ALWAYS),  # masks in observations and infos
    ],
)
def test_infos_keep_their_names(name: str, names: tuple[str, ...], kept: set[str]) -> None:
    env = FixedInfos(defiance_zoo.make(name, api="parallel"), *names)
    _, infos = env.reset(seed=1)
    *_, later = env.step(dict.fromkeys(env.agents, 0))
    env.close()
    assert all(info.keys() == kept for info in (*infos.values(), *later.values()))


@pytest.mark.parametrize("where", ["info", "observation", "both"])
def test_masks_are_in_one_place_only(where: str) -> None:
    program = Path(__file__).parents[1] / "scenario" / "programs" / "masks.py"
    spec = EnvironmentSpec("masks_v0", Scenario.python("masks", program))
    env = FixedInfos(spec.parallel_env(where=where))
    observations, infos = env.reset(seed=1)
    env.close()
    (observation,), (info,) = observations.values(), infos.values()
    has_mask = isinstance(observation, dict) and "action_mask" in observation
    assert has_mask != ("action_mask" in info)
