# SPDX-License-Identifier: GPL-2.0-only
"""Environments by name, with the zoo's, PettingZoo's and Gymnasium's functions."""

from __future__ import annotations

import contextlib
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from unittest import mock

import gymnasium
import pettingzoo
import pytest
from conftest import TRIAL
from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, OrderEnforcingWrapper

import defiance_zoo
from defiance_zoo import Scenario, envs, errors, registration
from defiance_zoo.environments import SimulationAECEnv, SimulationParallelEnv, registry


@pytest.fixture(autouse=True)
def names_of_this_file() -> Iterator[None]:
    """Forget names that a test registers: other files in this process may use them."""
    with mock.patch.dict(registration.ENTRIES):
        yield


def test_make_returns_the_named_environment() -> None:
    env = defiance_zoo.make("cart_pole_v0", carts=2)
    assert isinstance(env, OrderEnforcingWrapper)
    assert isinstance(env.env, AssertOutOfBoundsWrapper)
    assert isinstance(env.unwrapped, SimulationAECEnv)
    assert str(env) == "cart_pole_v0"
    assert env.possible_agents == ["agent_0", "agent_1"]
    parallel = defiance_zoo.make("cart_pole_v0", api="parallel")
    assert isinstance(parallel, SimulationParallelEnv)


@pytest.mark.parametrize("api", ["aec", "parallel", "gymnasium", "vector", "parallel vector"])
def test_every_interface_warns_of_episodes_without_decisions(api: str) -> None:
    """Also of an episode that follows others. Other tests fail at a warning without a reason."""
    late = {"delay": "1s", "duration": "200ms"}
    kind = api.removesuffix("vector").strip() or "gymnasium"
    make = partial(defiance_zoo.make_vec, num_envs=2) if "vector" in api else defiance_zoo.make
    with contextlib.closing(make("cart_pole_v0", api=kind, **late)) as env:
        for seed in (1, 2):
            with pytest.warns(errors.NobodyDecided, match=r"ended after 0\.2 s .* lack a route"):
                env.reset(seed=seed)


@pytest.mark.parametrize("module", ["no_such_module", ".m", "a..b", "a-b"])
def test_missing_modules_are_refused(module: str) -> None:
    with pytest.raises(errors.UnknownEnvironment, match=r"no module .* to register environments"):
        defiance_zoo.make(f"{module}:x_v0")


def test_unknown_names_are_refused_with_the_nearest_one() -> None:
    with pytest.raises(errors.UnknownEnvironment, match="did you mean 'cart_pole_v0'"):
        defiance_zoo.make("cartpole_v0")
    with pytest.raises(errors.ParameterError, match=r"api='gym' .* did you mean 'gymnasium'"):
        defiance_zoo.make("cart_pole_v0", api="gym")  # type: ignore[call-overload] # the point
    with pytest.raises(errors.ParameterError, match="api='aecs'"):
        defiance_zoo.make("cart_pole_v0", api="aecs")  # type: ignore[call-overload] # the point


needs_registry = pytest.mark.skipif(
    not hasattr(pettingzoo, "make"), reason="PettingZoo has a registry from 1.27 on"
)


@pytest.mark.parametrize("name", ["a" * 5000, f"{'a' * 5000}.py", f"{'a' * 5000}:b", "a\0b", ""])
def test_names_that_no_file_can_have_are_unknown(name: str) -> None:
    with pytest.raises(errors.UnknownEnvironment):
        registry.lookup(name)


@needs_registry
def test_pettingzoo_has_the_environments() -> None:
    env = pettingzoo.make("aec", "defiance_zoo/cart_pole-v0", carts=3, max_cycles=5)
    assert isinstance(env.unwrapped, SimulationAECEnv)
    assert len(env.possible_agents) == 3
    parallel = pettingzoo.make("parallel", "defiance_zoo/cart_pole-v0")
    assert isinstance(parallel, SimulationParallelEnv)


def test_gymnasium_has_the_environments() -> None:
    env = gymnasium.make("defiance_zoo/CartPole-v0", transport="udp")
    observation, info = env.reset(seed=1)
    assert env.observation_space.contains(observation)
    assert info["sim_time_ns"] > 0
    env.close()


@needs_registry
def test_the_calls_of_all_interfaces_work_in_a_fresh_process() -> None:
    """Gymnasium reads no entry points of packages: the environment's name gives the import."""
    root = Path(__file__).resolve().parents[2]
    page = (root / "docs/reference/environments.md").read_text()
    (gymnasiums,) = re.findall(r"`(gymnasium\.make\([^`]*\))`", page)
    (pettingzoos,) = re.findall(r"after `(import defiance_zoo)`, also `(petting[^`]*\))`", page)
    for setup, call in (("pass", gymnasiums), pettingzoos):
        program = f"import gymnasium, pettingzoo; {setup}; {call}.close()"
        subprocess.run([sys.executable, "-c", program], check=True)


def test_environments_are_found_by_their_folders(tmp_path: Path) -> None:
    for path in (
        "bus/bus_v0.py",
        "bus/bus_v12.py",
        "bus/not_v0_yet.py",
        "bus_v0.py",
        "a/b/c_v0.py",
    ):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).touch()
    found: dict[str, str] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            registration, "register", lambda name, entry, **_: found.update({name: entry})
        )
        registration.register_folders(tmp_path, "zoo_of_mine")
    assert found == {
        "bus_v0": "zoo_of_mine.bus.bus_v0:SPEC",
        "bus_v12": "zoo_of_mine.bus.bus_v12:SPEC",
    }


def test_the_zoo_exports_each_of_its_modules() -> None:
    """Each module has its own line, because type checkers need the imports."""
    folder = Path(envs.__file__).parent
    assert envs.__all__ == sorted(path.stem for path in folder.glob("*/*_v[0-9]*.py"))


def test_users_can_register_their_own_environments() -> None:
    spec = defiance_zoo.EnvironmentSpec(name="own_v0", scenario=TRIAL)
    defiance_zoo.register("own_v0", spec, gymnasium_id="defiance_zoo/Own-v0")
    assert "own_v0" in defiance_zoo.registered()
    env = gymnasium.make("defiance_zoo/Own-v0", size=3)
    assert env.observation_space.shape == (3,)
    env.close()


def test_a_name_belongs_to_one_program(tmp_path: Path) -> None:
    spec = defiance_zoo.EnvironmentSpec(name="twice_v0", scenario=TRIAL)
    defiance_zoo.register("twice_v0", spec)
    defiance_zoo.register("twice_v0", replace(spec, scenario=replace(TRIAL, defaults={"size": 2})))
    other = replace(spec, scenario=Scenario.python("twice", tmp_path / "twice.py"))
    words = r"environment 'twice_v0' is .*trial already, and cannot also be .*twice\.py"
    with pytest.raises(errors.ParameterError, match=words):
        defiance_zoo.register("twice_v0", other)
    with pytest.raises(errors.ParameterError, match=r"'cart_pole_v0' is .* already"):
        defiance_zoo.register("cart_pole_v0", other)
    assert defiance_zoo.make("cart_pole_v0").unwrapped.possible_agents == ["agent_0"]
    for name in ("twice", "twice_v", "two words_v0", "a/b_v0"):
        with pytest.raises(errors.ParameterError, match="is not a name of an environment"):
            defiance_zoo.register(name, other)


def test_the_core_imports_no_extra() -> None:
    """Neither importing nor playing imports a training library."""
    program = (
        "import sys, defiance_zoo\n"
        "env = defiance_zoo.make('cart_pole_v0'); env.reset(seed=1); env.step(0); env.close()\n"
        "import gymnasium; gymnasium.make('defiance_zoo/CartPole-v0').close()\n"
        "extras = {'torch', 'stable_baselines3', 'supersuit', 'ray', 'matplotlib', 'rich'}\n"
        "assert not extras & set(sys.modules), extras & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_the_import_alone_loads_neither_links_nor_messages() -> None:
    program = (
        "import sys, defiance_zoo\n"
        "heavy = {'zmq', 'google.protobuf', 'defiance_zoo.bridge.simulation'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
        "assert set(defiance_zoo.__all__) <= set(dir(defiance_zoo))\n"
        "from defiance_zoo import *\n"
        "assert make is defiance_zoo.make and 'zmq' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
    with pytest.raises(AttributeError, match="'make_enw'"):
        _ = getattr(defiance_zoo, "make_enw")  # noqa: B009 (mypy knows that there is none)
