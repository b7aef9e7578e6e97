# SPDX-License-Identifier: GPL-2.0-only
"""Simulations allocate with jemalloc, and play the same episodes as without it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from conftest import TRIAL, simulations

from defiance_zoo import EnvironmentSpec, Scenario
from defiance_zoo.bridge.process import programs
from defiance_zoo.bridge.process.programs import allocator_variables
from defiance_zoo.environments import lookup
from defiance_zoo.environments.testing import play
from defiance_zoo.errors import ParameterError

OF_PYTHON = EnvironmentSpec(
    "sketch_v0",
    Scenario.python("sketch", Path(__file__).parents[2] / "scenario" / "programs" / "sketch.py"),
)
OF_CXX = EnvironmentSpec("trial_v0", TRIAL)


@pytest.fixture(autouse=True)
def _nothing_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DEFIANCE_ALLOCATOR", "LD_PRELOAD", "GLIBC_TUNABLES", "MALLOC_CONF"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("chosen", ["jemalloc", "glibc", "system", None])
@pytest.mark.parametrize("launch", ["fork", "spawn"])
@pytest.mark.parametrize("spec", [OF_CXX, OF_PYTHON], ids=lambda spec: spec.name)
def test_the_variable_chooses_the_allocator(
    spec: EnvironmentSpec, launch: Any, chosen: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if chosen is not None:
        monkeypatch.setenv("DEFIANCE_ALLOCATOR", chosen)
    env = spec.parallel_env(launch=launch)
    env.reset(seed=1)
    (simulation,) = simulations()
    loaded = Path(f"/proc/{simulation.pid}/maps").read_text()
    assert ("libjemalloc" in loaded) == (chosen in ("jemalloc", None))
    assert ("GLIBC_TUNABLES" in simulation.environ()) == (chosen == "glibc")
    env.close()


def test_glibc_keeps_more_memory_without_jemalloc(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(programs, "_can_preload", lambda: False)
    assert allocator_variables(TRIAL.locate()) == {"GLIBC_TUNABLES": programs.TUNABLES}
    monkeypatch.setenv("GLIBC_TUNABLES", "glibc.malloc.perturb=1")
    assert allocator_variables(TRIAL.locate()) == {}


def test_other_values_of_the_variable_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEFIANCE_ALLOCATOR", "tcmalloc")
    env = OF_CXX.parallel_env()
    with pytest.raises(ParameterError, match="DEFIANCE_ALLOCATOR='tcmalloc' is not one of"):
        env.reset()
    env.close()


def test_large_observations_take_the_same_memory_in_each_step() -> None:
    file = Path(__file__).parents[3] / "benchmarks" / "scenarios" / "growth.py"
    env = EnvironmentSpec("growth_v0", Scenario.python("growth", file)).parallel_env(size=2_500_000)
    env.reset(seed=1)
    (simulation,) = simulations()
    faults = []
    for _ in range(8):
        env.step(dict.fromkeys(env.agents, 1))
        state = Path(f"/proc/{simulation.pid}/stat").read_text().rsplit(")", 1)[1].split()
        faults.append(int(state[7]))  # minor page faults
    env.close()
    assert faults[-1] - faults[2] < 1000  # 20 MB are 4,883 pages


def test_jemalloc_options_of_the_user_remain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MALLOC_CONF", "narenas:1")
    assert allocator_variables(TRIAL.locate())["MALLOC_CONF"] == "narenas:1"


def test_jemalloc_is_not_added_to_preloaded_libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LD_PRELOAD", "libother.so")
    assert allocator_variables(TRIAL.locate()) == {}


def test_sanitized_programs_keep_their_own_allocator(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_bytes(b"\x7fELF" + bytes(5000))
    assert allocator_variables(program)
    program.write_bytes(b"\x7fELF" + bytes(5001) + b"libasan.so.8\0")
    assert allocator_variables(program) == {}


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("cart_pole_v0", {"carts": 2, "transport": "tcp", "loss": 0.1}),
        ("jamming_v0", {}),
        *(
            pytest.param(name, arguments, marks=pytest.mark.thorough)
            for name, arguments in {
                "video_streaming_v0": {"clients": 2, "bottleneck": "shared", "chunks": 4},
                "packet_routing_v0": {"duration": "2s", "topology": "abilene"},
                "tcp_congestion_v0": {"flows": 4, "duration": "3s"},
                "cell_sleep_v0": {"duration": "3s"},
                "handover_v0": {"duration": "3s"},
                "wifi_contention_v0": {"duration": "1s"},
                "wifi_rate_control_v0": {"duration": "1s"},
            }.items()
        ),
    ],
    ids=str,
)
def test_episodes_are_equal_with_each_allocator(
    name: str, arguments: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    played = []
    for chosen in programs.ALLOCATORS:
        monkeypatch.setenv("DEFIANCE_ALLOCATOR", chosen)
        env = lookup(name).parallel_env(**arguments)
        played.append(play(env, 3, episodes=2))
        env.close()
    assert played[0] == played[1] == played[2]
