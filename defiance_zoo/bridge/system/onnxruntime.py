# SPDX-License-Identifier: GPL-2.0-only
"""The path of the ONNX runtime with which scenario programs run policy files."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from defiance_zoo.bridge.system.extras import install_command
from defiance_zoo.errors import DependencyMissing


def onnxruntime_library() -> Path:
    """Return the shared library of the package `onnxruntime`, for `DEFIANCE_ONNXRUNTIME`.

    Raises:
        DependencyMissing: The package is not installed, or has no such library.
    """
    spec = importlib.util.find_spec("onnxruntime")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        for library in sorted(Path(folder, "capi").glob("libonnxruntime.so.*")):
            return library
    raise DependencyMissing(
        f"ONNX Runtime's shared library was not found: {install_command('onnx')}"
    )
