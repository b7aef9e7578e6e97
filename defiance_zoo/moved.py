# SPDX-License-Identifier: GPL-2.0-only
"""Further names of modules: programs import them, and pickles in checkpoints hold them."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType


class _FurtherNames(MetaPathFinder, Loader):
    """Imports a module by its further names, and only when one of them is asked for."""

    def __init__(self, package: str, modules: Mapping[str, str]) -> None:
        self._modules = {f"{package}.{name}": f"{package}.{at}" for name, at in modules.items()}

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return who imports a module, if this is a further name of it."""
        return ModuleSpec(fullname, self) if fullname in self._modules else None

    def exec_module(self, module: ModuleType) -> None:
        """Put the module itself in the place of the empty one that Python has made."""
        sys.modules[module.__name__] = importlib.import_module(self._modules[module.__name__])


def add_names(package: str, modules: Mapping[str, str]) -> None:
    """Let modules of a package be imported by further names, too.

    Args:
        package: That has the modules.
        modules: Where each of the names leads, both without the package's name.
    """
    sys.meta_path.append(_FurtherNames(package, modules))
