# SPDX-License-Identifier: GPL-2.0-only
"""The extension modules of scenarios in Python."""

from __future__ import annotations

import functools
import mmap
import os
import sys
from typing import TYPE_CHECKING, Any

from defiance_zoo.bridge.system.extension import load_extension
from defiance_zoo.bridge.system.spelling import near_word
from defiance_zoo.errors import DependencyMissing

__all__ = ["PACKAGE", "Sealed", "core", "load", "load_lte", "load_used", "load_wifi"]


@functools.cache
def load(name: str) -> Any:
    """Return `_scripting`, or a module that needs it, built for this version of Python."""
    version = f"{sys.version_info.major}{sys.version_info.minor}"
    module = load_extension(name, f".cpython-{version}-*.so")
    if module is None:
        raise DependencyMissing(
            f"this package was not built for scenarios in Python {version[0]}.{version[1:]}; "
            "scenarios in C++, and environments, still work (in a checkout, `make build` builds "
            "everything, and `make demo` only what the demo needs)"
        )
    return module


if TYPE_CHECKING:
    from defiance_zoo._native.lib import _scripting as core  # information from the build
else:
    core = load("_scripting")
"""Nodes, links, attributes, applications, events: ns-3, as Python sees it."""


PACKAGE = __file__.rpartition("/")[0] + "/"
"""The folder of the modules for scenarios."""


class Sealed:
    """Lets users set only properties, so that misspelt names are refused; not in their classes."""

    def __setattr__(self, name: str, value: Any) -> None:
        kind = type(self)
        known = getattr(kind, name, None)
        if (
            hasattr(type(known), "__set__")
            or not kind.__module__.startswith("defiance_zoo.")
            or sys._getframe(1).f_code.co_filename.startswith(PACKAGE)
        ):
            super().__setattr__(name, value)
        elif known is not None:
            raise AttributeError(f"{kind.__name__}.{name} is a method, and cannot be set")
        else:
            near = near_word(name, [each for each in dir(kind) if each[0] != "_"])
            raise AttributeError(f"{kind.__name__} has no attribute {name!r}{near}")


_USED = mmap.mmap(-1, 2)
"""Whether an episode has loaded Wi-Fi, and LTE; all copies of this process share this memory."""


@functools.cache
def load_wifi() -> Any:
    """Return the extension module of Wi-Fi, whose trace sources are known from then on."""
    _USED[0] = 1
    module = load("_scripting_wifi")
    core.add_trace_signatures(module.trace_adapters())
    return module


@functools.cache
def load_lte() -> Any:
    """Return the extension module of LTE, whose classes are known from then on."""
    _USED[1] = 1
    # Libraries that LTE needs refer to GTK, which is missing: symbols are resolved on demand.
    flags = sys.getdlopenflags()
    sys.setdlopenflags(os.RTLD_LAZY)
    try:
        return load("_scripting_lte")
    finally:
        sys.setdlopenflags(flags)


def load_used() -> None:
    """Load what earlier episodes have loaded, so that later copies of this process need not."""
    for is_used, load_module in zip(_USED[:], (load_wifi, load_lte), strict=True):
        if is_used:
            load_module()
