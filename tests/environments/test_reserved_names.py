# SPDX-License-Identifier: GPL-2.0-only
"""Names that scenarios cannot use, because environments or library adapters use them."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from program_environments import PROGRAMMED

from defiance_zoo.bridge.simulation import Scenario
from defiance_zoo.environments import EnvironmentSpec
from defiance_zoo.environments.arguments import require_free_agent, require_free_infos
from defiance_zoo.errors import ReservedName
from defiance_zoo.wrappers.gymnasium import GymnasiumEnv

TEXT = """
import defiance_zoo.scenario as sc

sim = sc.Simulation("named", duration="100ms")
sim.parameter("{parameter}", 1, range=(0, 9))

@sim.episode
def build(p):
    (node,) = sc.nodes(1)
    agent = sc.Agent(node, sc.Box(0, 1, (1,)), sc.Discrete(2), StepInterval="10ms")
    agent.observe(lambda: [0])
    agent.info(lambda: {{"{info}": 1}})
    agent.on_action(lambda action: None)
"""


def spec(folder: Path, parameter: str = "size", info: str = "load") -> EnvironmentSpec:
    (folder / "named.py").write_text(TEXT.format(parameter=parameter, info=info))
    return EnvironmentSpec("named_v0", Scenario.python("named", folder / "named.py"))


@pytest.mark.parametrize("name", ["seed", "copy", "spec", "name", "num_envs", "policies"])
def test_every_interface_refuses_a_parameter_named_like_an_argument(
    name: str, tmp_path: Path
) -> None:
    named = spec(tmp_path, parameter=name)
    for make in (
        named.raw_env, named.parallel_env, lambda: GymnasiumEnv(named),
        lambda: named.vector_env(2), lambda: named.multi_agent_vector_env(2),
    ):  # fmt: skip
        with pytest.raises(ReservedName, match=rf"declares \['{name}'\].*other names"):
            make()


@pytest.mark.parametrize("name", ["deciding", "sim_time_ns", "final_info", "_load"])
def test_an_info_named_like_one_of_the_environments_is_refused(name: str, tmp_path: Path) -> None:
    with (
        contextlib.closing(spec(tmp_path, info=name).raw_env(link="local")) as env,
        pytest.raises(ReservedName, match=rf"agent_0 has infos \['{name}'\]"),
    ):
        env.reset(seed=1)


@pytest.mark.parametrize("environment", PROGRAMMED, ids=lambda each: each.name)
def test_environments_of_the_zoo_use_no_reserved_name(environment: EnvironmentSpec) -> None:
    environment.episodes("sequential").close()


def test_other_names_are_accepted(tmp_path: Path) -> None:
    with contextlib.closing(spec(tmp_path).raw_env(link="local", size=3)) as env:
        env.reset(seed=1)
        assert env.infos["agent_0"]["load"] == 1
    require_free_infos("a", ["seed", "copy", "load_"])
    require_free_agent("all")


@pytest.mark.parametrize("name", ["", "__all__"])
def test_agent_names_with_another_meaning_are_refused(name: str) -> None:
    with pytest.raises(ReservedName, match="which environments use"):
        require_free_agent(name)
