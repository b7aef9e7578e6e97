# SPDX-License-Identifier: GPL-2.0-only
"""Libraries under test that were not written for simulations."""

from __future__ import annotations

import importlib
import os
import sys
from types import ModuleType

from defiance_zoo.scenario.replicas.virtual_library import Substitutes, install

_replaced: Substitutes = {}
"""Names to replace; empty: nothing is patched."""


def is_patched() -> bool:
    """Return whether code under test runs in a virtual world."""
    return bool(_replaced)


def patched(name: str, path: str | os.PathLike[str] | None = None) -> ModuleType:
    """Import a library whose code is under test, in the virtual world of the running replica.

    While a method of a replica runs, `time`, `random`, `secrets`, `uuid` and `os.urandom` follow
    the simulation, in every module. `time.sleep()` returns at once, and advances the replica's
    clock. Files below `/disk` are on the replica's disk, in memory; writing other files, threads,
    processes and sockets end the episode. Names that the library has imported are replaced as well.
    `datetime.now()` stays real, as code in C reads the clock for it.

    Args:
        name: Name of the module.
        path: The folder to import from, such as one of `pip install --target`; a relative path
            starts at the folder of the calling file. None: the module is installed.

    Returns:
        The module.

    Raises:
        ImportError: There is no such module, or none in this folder.
    """
    folder = "" if path is None else _beside(sys._getframe(1).f_globals.get("__file__"), path)
    if folder:
        sys.path.insert(0, folder)
    module = importlib.import_module(name)
    if folder and not _is_within(module, folder):
        raise ImportError(f"{name} is imported from {module.__file__}, not from {folder}")
    if not _replaced:
        _replaced.update(install())
    for each, loaded in list(sys.modules.items()):
        if f"{each}.".startswith(f"{name}."):
            _replace_names(loaded)
    return module


def _beside(file: str | None, path: str | os.PathLike[str]) -> str:
    """Return the absolute path of a folder from a path relative to a file."""
    return os.path.realpath(os.path.join(os.path.dirname(file or ""), path))  # noqa: PTH118, PTH120


def _is_within(module: ModuleType, folder: str) -> bool:
    return os.path.realpath(module.__file__ or "").startswith(f"{folder}/")


def _replace_names(module: ModuleType) -> None:
    for name, value in list(vars(module).items()):
        original, substitute = _replaced.get(id(value), (None, None))
        if original is value and substitute is not None:
            setattr(module, name, substitute)
