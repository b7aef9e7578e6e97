# SPDX-License-Identifier: GPL-2.0-only
"""Rules for the names of new scenarios."""

from __future__ import annotations

import importlib.util
import keyword
import os
import re
from pathlib import Path

import click

from defiance_zoo.bridge.system.spelling import snake_case
from defiance_zoo.environments import registered

SNAKE_CASE = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")

CMAKE_TARGETS = (
    "all",
    "clean",
    "depend",
    "edit_cache",
    "help",
    "install",
    "package",
    "preinstall",
    "rebuild_cache",
    "test",
)
TAKEN = {
    "build": "the project builds in a folder of this name",
    "scenario": "the project has a folder of this name for its C++ files",
    "tests": "the project has a folder of this name",
    "defiance": "CMake finds the library by this name",
    **dict.fromkeys(CMAKE_TARGETS, "CMake has a target of this name"),
}
"""Names that have a meaning in the project."""


def check_name(name: str, folder: Path | None) -> None:
    """Refuse a name that some part of a new project cannot have.

    Args:
        name: Name of the Python package, the program and, with `_v0`, the environment.
        folder: Where the project will be; Python may see the empty folder as a package. None for
            an environment of the zoo, whose package is inside of another one.
    """
    problem = _problem(name, folder)
    if problem is not None:
        raise click.BadParameter(problem, param_hint="'NAME'")


def _problem(name: str, folder: Path | None) -> str | None:
    if not SNAKE_CASE.fullmatch(name):
        return (
            f"{name!r} is not lower_snake_case: small letters, digits and single underscores, "
            f"beginning with a letter{_suggestion(name)}"
        )
    if keyword.iskeyword(name):
        return f"{name!r} is a keyword of Python"
    if re.search(r"_v\d+$", name):
        return f"{name!r} ends like a version; leave the version out: the environment gets _v0"
    if f"{name}_v0" in registered():
        return f"{name}_v0 is a registered environment"
    if folder is None:
        return None
    if name in TAKEN:
        return f"{name!r} is taken: {TAKEN[name]}"
    module = _find_module(name, folder)
    if module is not None:
        return f"{name!r} would hide a module that can be imported: {module}"
    return None


def _suggestion(name: str) -> str:
    words = snake_case(name)
    return f"; did you mean {words!r}?" if SNAKE_CASE.fullmatch(words) else ""


def _find_module(name: str, folder: Path) -> str | None:
    """Return the place from which Python would import `name`, unless it is `folder`."""
    spec = importlib.util.find_spec(name)
    if spec is None:
        return None
    if spec.origin is not None:
        return spec.origin
    places = [Path(place).resolve() for place in spec.submodule_search_locations or ()]
    return next((str(place) for place in places if place != Path(os.path.realpath(folder))), None)
