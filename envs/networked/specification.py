# SPDX-License-Identifier: GPL-2.0-only
"""Environments by the names of their plants: `networked:CartPole-v1`."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from defiance_zoo.bridge.simulation import Scenario
from defiance_zoo.bridge.system.imports import is_installed, is_module_name
from defiance_zoo.environments import AgentView, EnvironmentSpec, Renderer, make
from defiance_zoo.errors import NotSingleAgent, ParameterError


class PlantRenderer(Renderer):
    """Shows the pictures that plants draw themselves, in `rgb_array`."""

    modes = ("ansi", "human", "rgb_array")
    arguments = MappingProxyType({"pictures": True})

    def render(self, mode: str, views: Mapping[str, AgentView], time_ns: int) -> Any:
        """Return text, or the newest picture of a plant, of shape (height, width, 3), uint8."""
        if mode != "rgb_array":
            return super().render(mode, views, time_ns)
        drawn = [view.info for view in views.values() if "picture" in view.info]
        if not drawn:
            return np.zeros((1, 1, 3), np.uint8)
        return max(drawn, key=lambda info: int(info["tick"]))["picture"]


def make_spec(plant: str) -> EnvironmentSpec:
    """Return the specification of a plant behind a network; nothing of the plant is imported."""
    name = f"networked:{plant}"
    folder, file = _find_module(plant)
    given = {"plant": plant, "folder": folder}
    return EnvironmentSpec(
        name=name,
        scenario=Scenario.python(
            name,
            "scenario.py",
            variables={"DEFIANCE_PLANT": json.dumps(given)},
            seed_parameter="plant_seed",
            modules={file: folder} if file else {},
        ),
        renderer=PlantRenderer(),
        description=f"{plant} behind a simulated network",
    )


def make_board(name: str, plant: str, defaults: dict[str, Any], **own: Any) -> EnvironmentSpec:
    """Return the specification of an environment that has a plant, its defaults and a board."""
    spec = make_spec(plant)
    scenario = replace(spec.scenario, name=name, defaults=defaults)
    return replace(spec, name=name, scenario=scenario, **own)


def _find_module(plant: str) -> tuple[str, str]:
    """Return the folder of the plant's module, and its file; empty: none, or it is installed."""
    module = plant.rpartition(":")[0]
    if not module or not is_module_name(module) or is_installed(module):
        return "", ""
    top, *inner = module.split(".")
    found = importlib.util.find_spec(top)
    if found is None:
        return "", ""
    places = [*(found.submodule_search_locations or ()), found.origin or ""]
    folder = Path(places[0]).absolute().parent
    path = folder.joinpath(top, *inner)
    files = (path / "__init__.py", path.with_name(f"{path.name}.py"))
    return str(folder), next((str(each) for each in files if each.is_file()), "")


def make_networked(
    plant: str | Callable[..., Any],
    *,
    api: str | None,
    plant_arguments: Mapping[str, Any] | None,
    plant_options: Mapping[str, Any] | None,
    **arguments: Any,
) -> Any:
    """Make an environment; see `defiance_zoo.networked`."""
    name = f"networked:{_name(plant)}"
    given = {"plant_arguments": plant_arguments, "plant_options": plant_options}
    for key, value in given.items():
        if value is not None:
            try:
                arguments[key] = json.dumps(value)
            except (TypeError, ValueError) as error:
                fault = f"{key}={value!r} cannot be written as JSON: {error}"
                raise ParameterError(fault) from None
    if "tick" in arguments and arguments["tick"] is None:
        arguments["tick"] = "0s"
    if api is not None:
        return make(name, api=api, **arguments)  # type: ignore[call-overload]
    try:
        return make(name, api="gymnasium", **arguments)
    except NotSingleAgent:
        return make(name, api="parallel", **arguments)


def _name(plant: str | Callable[..., Any]) -> str:
    """Return the name by which the simulation imports a plant."""
    if isinstance(plant, str):
        return plant
    if not callable(plant):
        raise ParameterError(
            f"plant {plant!r} is neither a name nor a function: each episode makes its own plant, "
            "so give Gymnasium's id, or the function or class that makes it"
        )
    name = getattr(plant, "__qualname__", "")
    module = sys.modules.get(getattr(plant, "__module__", None) or "")
    if module is None or getattr(module, name, None) is not plant:
        module, name = _find(plant)
    if module.__name__ != "__main__":
        return f"{module.__name__}:{name}"
    file = getattr(module, "__file__", None)
    if file is None:
        raise ParameterError(
            f"plant {name!r} is defined at a prompt or in a notebook: import it from a file"
        )
    return f"{Path(file).stem}:{name}"


def _find(plant: Callable[..., Any]) -> tuple[Any, str]:
    """Return a module that has a function under some name, and the name."""
    for module in list(sys.modules.values()):
        for name, value in list(getattr(module, "__dict__", {}).items()):
            if value is plant and name.isidentifier():
                return module, name
    raise ParameterError(
        f"plant {plant!r} has no name in a module, by which a simulation imports it: define it as "
        "a function of a module"
    )
