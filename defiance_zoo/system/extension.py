# SPDX-License-Identifier: GPL-2.0-only
"""The extension module that is built with the defiance library, for what each step calls."""

from __future__ import annotations

import functools
import importlib.machinery
import importlib.util
from typing import Any

from defiance_zoo.system.descriptors import require_descriptors
from defiance_zoo.system.native import NATIVE

_DESCRIPTORS = 2


@functools.cache
def exchange_module() -> Any:
    """Return the extension module of mailboxes, pipes and messages that look alike.

    Raises:
        TooFewDescriptors: There are none to load it through.
    """
    name = "_exchange"
    path = str(NATIVE / "lib" / f"{name}.abi3.so")
    loader = importlib.machinery.ExtensionFileLoader(name, path)
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    assert spec is not None  # the loader is given
    require_descriptors(_DESCRIPTORS)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module
