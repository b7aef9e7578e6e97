# SPDX-License-Identifier: GPL-2.0-only
"""Imports of modules, and of objects in them, by names from users."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import site
import sysconfig
from pathlib import Path
from types import ModuleType
from typing import Any

_PACKAGE = __name__.partition(".")[0]


def is_module_name(text: str) -> bool:
    """Return whether a text can be the full name of a module."""
    return all(part.isidentifier() for part in text.split("."))


def is_installed(module: str) -> bool:
    """Return whether a module is installed, so that its user chose to have it.

    Python's library, this package and the modules of installed distributions are. Modules in the
    current folder, in a folder of PYTHONPATH, or beside the running program are not.

    Args:
        module: Full name of the module, which is not imported.
    """
    top = module.partition(".")[0]
    if top == _PACKAGE:
        return True
    places = [sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"), *_site_folders()]
    folders = {Path(each).resolve() for each in places}
    try:
        spec = importlib.util.find_spec(top)
    except ValueError:  # such as __main__
        return False
    if spec is None:
        return False
    if spec.origin in ("built-in", "frozen"):
        return True
    found = [spec.origin] if spec.origin else list(spec.submodule_search_locations or ())
    if found and all(not folders.isdisjoint(Path(each).resolve().parents) for each in found):
        return True
    return top in _linked_modules()  # the files of an editable installation are elsewhere


def _site_folders() -> list[str]:
    user = [site.getusersitepackages()] if site.ENABLE_USER_SITE else []
    return [*site.getsitepackages(), *user]


def _linked_modules() -> set[str]:
    """Return the modules of installed distributions that list them."""
    found = importlib.metadata.distributions(path=_site_folders())
    return {name for each in found for name in (each.read_text("top_level.txt") or "").split()}


def import_named(module: str) -> ModuleType:
    """Import a module.

    Raises:
        ModuleNotFoundError: There is no such module, or the name is not valid.
    """
    if not is_module_name(module):
        raise ModuleNotFoundError(f"no module can be called {module!r}", name=module)
    return importlib.import_module(module)


def import_attribute(place: str) -> Any:
    """Return an object of a module.

    Args:
        place: `module:NAME`.

    Raises:
        ImportError: There is no such module, or it has no such name.
    """
    module, _, name = place.partition(":")
    found = import_named(module)
    try:
        return getattr(found, name)
    except AttributeError as error:
        raise ImportError(str(error), name=module) from error
