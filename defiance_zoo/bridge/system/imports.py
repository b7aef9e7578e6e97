# SPDX-License-Identifier: GPL-2.0-only
"""Imports of modules, and of objects in them, by names from users."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any


def import_named(module: str) -> ModuleType:
    """Import a module.

    Args:
        module: Full name of the module.

    Raises:
        ModuleNotFoundError: There is no such module, or the name is not valid.
    """
    if not all(part.isidentifier() for part in module.split(".")):
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
