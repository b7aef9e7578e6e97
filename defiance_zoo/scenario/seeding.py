# SPDX-License-Identifier: GPL-2.0-only
"""Random numbers of Python and NumPy follow from the seed of the episode, as ns-3's do."""

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
    """Begin the streams of `random` and `numpy.random` anew, for this episode."""
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
    """Finds and loads NumPy's module, and seeds it where an episode has begun.

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
    """The state of `random`, which Python would draw anew in each copy of a process."""

    state: Any = None

    @classmethod
    def keep(cls) -> None:
        cls.state = random.getstate()

    @classmethod
    def restore(cls) -> None:
        random.setstate(cls.state)


def follow_the_seed() -> None:
    """From now on, see to NumPy where it is imported, and to copies of this process."""
    sys.meta_path.insert(0, _SeededNumPy())
    os.register_at_fork(before=_Kept.keep, after_in_child=_Kept.restore)
