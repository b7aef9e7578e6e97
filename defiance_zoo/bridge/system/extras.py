# SPDX-License-Identifier: GPL-2.0-only
"""The commands that install optional parts of the package, and the path of an installed one."""

from __future__ import annotations

import importlib
import importlib.util
import re
from importlib import metadata
from pathlib import Path
from typing import Any

from defiance_zoo.errors import DependencyMissing

_NAME = "defiance-zoo"
_REQUIREMENT = re.compile(
    r"(?P<name>[\w.-]+)(\[(?P<extras>[^]]*)\])?[^;]*;.*extra == \"(?P<extra>\w+)\""
)


def install_command(extra: str) -> str:
    """Return the command that installs an extra, and the packages that it installs.

    The command needs an index with the packages; this package itself may come from a wheel.
    """
    packages = _packages(extra)
    named = f" (that is {', '.join(packages)})" if packages else ""
    return f"pip install '{_NAME}[{extra}]'{named}"


def _packages(extra: str) -> list[str]:
    """Return the packages of an extra; empty if this package is not installed."""
    try:
        requirements = metadata.requires(_NAME) or []
    except metadata.PackageNotFoundError:
        return []
    found: dict[str, None] = {}
    for requirement in requirements:
        parts = _REQUIREMENT.fullmatch(requirement)
        if parts is None or parts["extra"] != extra:
            continue
        if parts["name"] != _NAME:
            found[parts["name"]] = None
            continue
        for inner in parts["extras"].split(","):
            found.update(dict.fromkeys(_packages(inner)))
    return sorted(found)


def import_optional(module: str, extra: str) -> Any:
    """Import a module that needs the packages of an extra."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise DependencyMissing(
            f"{error.name!r} is not installed: {install_command(extra)}"
        ) from error


def onnxruntime_library() -> Path:
    """Return the shared library of the package `onnxruntime`, for `DEFIANCE_ONNXRUNTIME`."""
    spec = importlib.util.find_spec("onnxruntime")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        for library in sorted(Path(folder, "capi").glob("libonnxruntime.so.*")):
            return library
    raise DependencyMissing(
        f"ONNX Runtime's shared library was not found: {install_command('onnx')}"
    )
