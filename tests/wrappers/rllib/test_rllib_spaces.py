# SPDX-License-Identifier: GPL-2.0-only
"""Spaces between agents and RLlib: boxes of three dimensions, and masks of every action space."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from gymnasium import spaces
from ray.rllib.utils.pre_checks.env import check_multiagent_environments
from rllib_support import RAY_WARNINGS, SMALL

from defiance_zoo.bridge.simulation import Scenario
from defiance_zoo.environments import EnvironmentSpec
from defiance_zoo.errors import IllegalAction
from defiance_zoo.registration import ENTRIES
from defiance_zoo.wrappers.rllib import RLlibEnv
from defiance_zoo.wrappers.rllib.config import rllib_config
from defiance_zoo.wrappers.rllib.spaces import Encoding

PROGRAM = Path(__file__).parents[2] / "scenario" / "programs" / "masks.py"
MASKS = EnvironmentSpec(
    "masks_v0", Scenario.python("masks", PROGRAM, refuses_masked={"refuse": "yes"})
)
VOLUME = """
import defiance_zoo.scenario as sc

sim = sc.Simulation("volume", duration="100ms")

@sim.episode
def build(p):
    (node,) = sc.nodes(1)
    agent = sc.Agent(node, sc.Box(0, 50, (2, 3, 4)), sc.Discrete(2), StepInterval="10ms")
    agent.observe(lambda: [[[12 * i + 4 * j + k for k in range(4)] for j in range(3)]
                           for i in range(2)])
    agent.on_action(lambda action: None)
"""

pytestmark = RAY_WARNINGS
torch.set_num_threads(1)


def train(config: Any) -> dict[str, Any]:
    built = config.update_from_dict(SMALL["PPO"]).debugging(seed=1).build_algo()
    try:
        result: dict[str, Any] = built.train()["env_runners"]
    finally:
        built.stop()
    return result


# ---------------------------------------------------------------------- three dimensions


@pytest.mark.parametrize(
    "box",
    [
        spaces.Box(0.0, 1.0, (4, 5, 3), np.float32),
        spaces.Box(0.0, 1.0, (84, 84, 3), np.float32),
        spaces.Box(0, 255, (7, 7, 3), np.uint8),
        spaces.Box(0, 255, (84, 42, 3), np.uint8),
        spaces.Box(0, 255, (42, 42, 2), np.uint8),
        spaces.Box(0, 200, (42, 42, 3), np.uint8),
        spaces.Box(-5, 5, (2, 2, 2), np.int64),
    ],
    ids=str,
)
def test_three_dimensions_that_are_not_an_image_are_flattened(box: spaces.Box) -> None:
    encoding = Encoding(box, spaces.Discrete(2))
    size = int(np.prod(box.shape))
    low, high = box.low.ravel(), box.high.ravel()
    assert encoding.observation_space == spaces.Box(
        low.astype(np.float32), high.astype(np.float32), (size,), np.float32
    )
    observed = box.sample()
    shown = encoding.observation(observed, {})
    assert shown.dtype == np.float32
    assert shown.tolist() == observed.ravel().tolist()
    assert encoding.observation_space.contains(shown)


@pytest.mark.parametrize("channels", [1, 3, 4])
@pytest.mark.parametrize("size", [10, 84])
def test_images_supported_by_rllibs_networks_keep_their_dimensions(
    size: int, channels: int
) -> None:
    box = spaces.Box(0, 255, (size, size, channels), np.uint8)
    encoding = Encoding(box, spaces.Discrete(2))
    assert encoding.observation_space is box
    image = box.sample()
    assert encoding.observation(image, {}) is image


@pytest.mark.long
@pytest.mark.usefixtures("local_ray")
def test_ppo_trains_on_three_dimensions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "volume.py"
    program.write_text(VOLUME)
    volume = EnvironmentSpec("volume_v0", Scenario.python("volume", program))
    monkeypatch.setitem(ENTRIES, "volume_v0", volume)
    config = rllib_config("PPO", "volume_v0")
    with contextlib.closing(RLlibEnv(config.env_config)) as env:
        check_multiagent_environments(env)
        assert env.reset(seed=1)[0]["agent_0"].tolist() == list(range(24))
    assert train(config)["num_env_steps_sampled_lifetime"] >= 60


# ---------------------------------------------------------------------- masks


@pytest.fixture
def masks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ENTRIES, MASKS.name, MASKS)


@pytest.mark.long
@pytest.mark.usefixtures("local_ray", "masks")
@pytest.mark.parametrize(
    ("kind", "where"),
    [
        ("start", "info"),
        ("multi", "info"),
        ("multi_start", "observation"),
        ("binary", "info"),
        ("binary", "observation"),
    ],
)
def test_ppo_never_takes_forbidden_actions_of_any_space(kind: str, where: str) -> None:
    config = rllib_config(
        "PPO", MASKS.name, kind=kind, where=where, agents=2, action_masks=where == "info"
    )
    runners = train(config)
    assert runners["num_env_steps_sampled_lifetime"] >= 60
    assert runners["simulation_failures"] == 0
    told = runners["scenario_infos"]
    assert {agent: infos["illegal"] for agent, infos in told.items()} == {
        "agent_0": 0,
        "agent_1": 0,
    }


@pytest.mark.usefixtures("masks")
@pytest.mark.parametrize("encode", [False, True])
def test_rllibs_checker_ignores_enforced_masks_and_the_error_names_the_page(encode: bool) -> None:
    config = {"name": MASKS.name, "kind": "binary", "agents": 4, "interval": 10, "encode": encode}
    with contextlib.closing(RLlibEnv(config)) as env:
        env.action_spaces["agent_0"].seed(1)
        with pytest.raises(ValueError, match=r"`step\(\)` method seems to be faulty") as raised:
            check_multiagent_environments(env)
    assert isinstance(raised.value.__cause__, IllegalAction)
    assert "docs/coming-from/pettingzoo.md#checkers" in str(raised.value.__cause__)


@pytest.mark.usefixtures("masks")
@pytest.mark.parametrize("kind", ["multi_start", "binary"])
def test_rllibs_checker_passes_masks_that_are_not_enforced(kind: str) -> None:
    for where in ("info", "observation"):
        with contextlib.closing(
            RLlibEnv({"name": MASKS.name, "kind": kind, "where": where, "refuse": "no"})
        ) as env:
            check_multiagent_environments(env)


# ---------------------------------------------------------------------- parameters


def test_parameters_may_have_the_names_of_positional_arguments() -> None:
    config = rllib_config("PPO", "handover_v0", algorithm="a3_rsrp")
    assert config.env_config["name"] == "handover_v0"
    assert config.env_config["algorithm"] == "a3_rsrp"
