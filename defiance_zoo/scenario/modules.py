# SPDX-License-Identifier: GPL-2.0-only
"""Objects of any ns-3 class, and the libraries that contain the classes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from defiance_zoo.bridge.system.spelling import near_word
from defiance_zoo.scenario.native import core, load_lte

Object = core.Object


def create(type: str, **attributes: Any) -> Any:
    """Create an ns-3 object.

    Args:
        type: Name of its class, such as "ns3::RateErrorModel".
        **attributes: Its attributes.

    Raises:
        AttributeError: No class or attribute has such a name; the message has the nearest one.
        ValueError: An attribute cannot have such a value.
    """
    return core.create(type, **attributes)


class _Defaults:
    """Values of attributes before `set_default`, which are restored after the warm-up."""

    changed: list[tuple[str, Any]] = []  # noqa: RUF012 (of this process)


def set_default(attribute: str, value: Any) -> None:
    """Set the value of an attribute of objects that are created from now on.

    Args:
        attribute: Class and attribute, such as "ns3::TcpSocket::SegmentSize".
        value: The value.

    Raises:
        AttributeError: No class or attribute has such a name.
        ValueError: The attribute cannot have such a value.
    """
    _Defaults.changed.append((attribute, core.get_default(attribute)))
    core.set_default(attribute, value)


def restore_defaults() -> None:
    """Undo all calls of `set_default`."""
    for attribute, value in reversed(_Defaults.changed):
        core.set_default(attribute, value)
    _Defaults.changed.clear()


def load_module(name: str) -> None:
    """Load a module of ns-3, so that its classes can be created.

    The modules of links and applications are always loaded.

    Args:
        name: A name such as "olsr".

    Raises:
        LookupError: The installed ns-3 has no such module.
    """
    if name == "lte":
        load_lte()
        return
    libraries = _modules()
    if name not in libraries:
        raise LookupError(f"no module of ns-3 is called {name!r}{near_word(name, libraries)}")
    core.load_library(str(libraries[name]))


def _modules() -> dict[str, Path]:
    """Return the libraries of ns-3's modules, by name."""
    found = Path(core.find_core())
    pattern = re.compile(re.escape(found.name).replace("core", "([a-z0-9-]+?)"))
    matches = [(pattern.fullmatch(path.name), path) for path in found.parent.iterdir()]
    return {match[1]: path for match, path in matches if match}


def load_library(path: str) -> None:
    """Load a shared library of your own, so that its ns-3 classes can be created.

    Args:
        path: Path of the library, built against the same ns-3.

    Raises:
        OSError: The library cannot be loaded.
    """
    core.load_library(path)
