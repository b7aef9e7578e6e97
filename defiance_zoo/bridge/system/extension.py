# SPDX-License-Identifier: GPL-2.0-only
"""Files that are installed with the package, and extension modules among them."""

from __future__ import annotations

import functools
import importlib.machinery
import importlib.util
from pathlib import Path
from typing import Any

from defiance_zoo.bridge.system.resources import (
    memory_limit,
    require_descriptors,
    too_little_memory,
)

NATIVE = Path(__file__).resolve().parents[2] / "_native"
"""Folder with `bin`, `lib` and the files with which users build their own programs."""


_DESCRIPTORS = 2


def load_extension(name: str, suffix: str) -> Any:
    """Return an extension module; None if there is no such file."""
    path = next((NATIVE / "lib").glob(f"{name}{suffix}"), None)
    if path is None:
        return None
    loader = importlib.machinery.ExtensionFileLoader(name, str(path))
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    assert spec is not None  # the loader was passed
    require_descriptors(_DESCRIPTORS)
    try:
        module = importlib.util.module_from_spec(spec)
    except ImportError as error:
        if memory_limit() is None:
            raise
        raise too_little_memory(f"{path.name} cannot be loaded: {error}") from error
    loader.exec_module(module)
    return module


@functools.cache
def exchange_module() -> Any:
    """Return the extension module of mailboxes, pipes, message templates and policy files."""
    module = load_extension("_exchange", ".abi3.so")
    assert module is not None  # the module is built with the package
    return module
