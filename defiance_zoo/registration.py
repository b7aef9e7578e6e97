# SPDX-License-Identifier: GPL-2.0-only
"""Names of environments; their specifications are imported on demand."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any, Literal, Protocol

import gymnasium
import pettingzoo

from defiance_zoo.errors import ParameterError

ENTRIES: dict[str, Any] = {}
"""Specifications, or the places of their definitions, by name."""
_VERSIONED = re.compile(r"[^/:\s]+_v[0-9]+")
_APIS: tuple[Literal["aec"], Literal["parallel"]] = ("aec", "parallel")


class _Specification(Protocol):
    """`EnvironmentSpec`, which takes long to import."""

    @property
    def scenario(self) -> Any: ...


def register(name: str, entry: _Specification | str, *, gymnasium_id: str | None = None) -> None:
    """Make an environment known to `make()`, PettingZoo and, if it is single-agent, Gymnasium.

    The same program may be registered again, with other parameters. Releases of PettingZoo before
    1.27 have no `pettingzoo.make()`.

    Args:
        name: Name with the version: `my_scenario_v0` is `defiance_zoo/my_scenario-v0` in
            PettingZoo.
        entry: The specification, or its place as `"module:attribute"`.
        gymnasium_id: An id such as `defiance_zoo/MyScenario-v0`; None for multi-agent environments.

    Raises:
        ParameterError: The name has no version, or is the name of another program; the entry is
            neither.
    """
    if not _VERSIONED.fullmatch(str(name)):
        raise ParameterError(
            f"{name!r} is not a name of an environment: add a version, such as _v0"
        )
    if not (":" in entry if isinstance(entry, str) else hasattr(entry, "scenario")):
        raise ParameterError(f"entry={entry!r} is neither an EnvironmentSpec nor module:attribute")
    known = ENTRIES.get(name, entry)
    if _program_of(known) != _program_of(entry):
        raise ParameterError(
            f"environment {name!r} is {_program_of(known)} already, and cannot also be "
            f"{_program_of(entry)}: choose another name, or the next version"
        )
    is_new = name not in ENTRIES
    ENTRIES[name] = entry
    stem, _, version = name.rpartition("_")
    if is_new and hasattr(pettingzoo, "register"):  # from 1.27 on
        for api in _APIS:
            pettingzoo.register(
                api,
                f"defiance_zoo/{stem}-{version}",
                "defiance_zoo.environments.registry:make",
                kwargs={"name": name, "api": api},
            )
    if gymnasium_id is not None:
        gymnasium.register(
            gymnasium_id,
            "defiance_zoo.wrappers.gymnasium:make_gymnasium_env",
            vector_entry_point="defiance_zoo.environments.registry:make_vec",
            kwargs={"name": name},
            order_enforce=True,
        )


def register_folders(parent: Path, package: str) -> None:
    """Register the environments of a package that has a folder for each of them.

    The module `FOLDER/NAME_vN.py` has the specification as `SPEC`; it is imported on demand. In
    Gymnasium `my_scenario_v0` is `defiance_zoo/MyScenario-v0`. Environments that are already
    registered do not change.

    Args:
        parent: The folder of the package.
        package: Its name, such as `defiance_zoo.envs`.
    """
    for module in sorted(parent.glob("*/*_v[0-9]*.py")):
        name, folder = module.stem, module.parent.name
        if _VERSIONED.fullmatch(name) and name not in ENTRIES:
            stem, _, version = name.rpartition("_")
            register(
                name,
                f"{package}.{folder}.{name}:SPEC",
                gymnasium_id=f"defiance_zoo/{camel_case(stem)}-{version}",
            )


def _program_of(entry: _Specification | str) -> str:
    """Return the program of an environment, or the place of its specification."""
    return entry if isinstance(entry, str) else os.fspath(entry.scenario.program)


def registered() -> list[str]:
    """Return the names of all environments."""
    return sorted(ENTRIES)


def camel_case(name: str) -> str:
    """Return a name in lower_snake_case as CamelCase: `my_scenario` becomes `MyScenario`."""
    return "".join(word.capitalize() for word in name.split("_"))
