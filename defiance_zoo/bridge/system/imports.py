# SPDX-License-Identifier: GPL-2.0-only
"""Modules, and what is in them, by names that people write."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any


def import_named(module: str) -> ModuleType:
    """Import a module.

    Args:
        module: Its name, with those of the packages that it is in.

    Raises:
        ModuleNotFoundError: There is none, or no module can be called so.
    """
    if not all(part.isidentifier() for part in module.split(".")):
        raise ModuleNotFoundError(f"no module can be called {module!r}", name=module)
    return importlib.import_module(module)


def import_attribute(place: str) -> Any:
    """Return the object of this name in a module.

    Args:
        place: `module:NAME`.

    Raises:
        ImportError: There is no such module, or nothing in it has the name.
    """
    module, _, name = place.partition(":")
    found = import_named(module)
    try:
        return getattr(found, name)
    except AttributeError as error:
        raise ImportError(str(error), name=module) from error
