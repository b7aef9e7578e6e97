# SPDX-License-Identifier: GPL-2.0-only
"""Seeding of Python's and NumPy's random numbers with the seed of the episode."""

from __future__ import annotations

import importlib.machinery
import os
import random
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any

from defiance_zoo.scenario.native import core

_NUMPY = "numpy.random"


def reseed() -> None:
    """Seed `random` and `numpy.random` for this episode."""
    random.seed(_entropy())
    if _NUMPY in sys.modules:
        _reseed_numpy(sys.modules[_NUMPY])


def _entropy() -> int:
    seed, run = core.seed()
    return (int(seed) << 64) + int(run)


def _reseed_numpy(module: Any) -> None:
    entropy = _entropy()
    module.seed([entropy >> shift & 0xFFFFFFFF for shift in (0, 32, 64)])


class _SeededNumPy:
    """Finds and loads NumPy's module, and seeds it if an episode has begun.

    `importlib.abc` takes as long to import as the rest of this package.
    """

    def __init__(self) -> None:
        self._loader: Any = None

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != _NUMPY:
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path)
        if spec is not None:
            self._loader, spec.loader = spec.loader, self  # type: ignore[assignment]
        return spec

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        _reseed_numpy(module)


class _Kept:
    """The state of `random`, which Python would reseed in each copy of a process."""

    state: Any = None

    @classmethod
    def keep(cls) -> None:
        cls.state = random.getstate()

    @classmethod
    def restore(cls) -> None:
        random.setstate(cls.state)


def follow_the_seed() -> None:
    """Register the seeding of NumPy at its import, and of copies of this process."""
    sys.meta_path.insert(0, _SeededNumPy())
    os.register_at_fork(before=_Kept.keep, after_in_child=_Kept.restore)
