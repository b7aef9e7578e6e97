# SPDX-License-Identifier: GPL-2.0-only
"""The installed libraries, found by the entry points of their descriptions."""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from defiance_zoo.bridge.system.spelling import known_words
from defiance_zoo.errors import BrokenPlugin, ParameterError
from defiance_zoo.experiments.libraries.library import Library
from defiance_zoo.experiments.workbench.wording import locating

GROUP = "defiance_zoo.libraries"
"""Group of the entry points."""

_OWN = {
    name: EntryPoint(name, f"defiance_zoo.experiments.libraries.{name}:{name.upper()}", GROUP)
    for name in ("benchmarl", "rllib", "sb3")
}
"""Entry points of this package; they are valid without installation, too."""

_OURS = "defiance-zoo"


@dataclass(frozen=True)
class _Registered:
    """An entry point and its distribution."""

    entry: EntryPoint
    distribution: str

    def load(self) -> Library:
        """Return the description of the entry point."""
        try:
            found = self.entry.load()
        except Exception as error:  # modules of others may raise any exception
            raise self.broken(f"{type(error).__name__}: {error}") from error
        if not isinstance(found, Library):
            raise self.broken(f"{self.entry.value} is a {type(found).__name__}, not a Library")
        return found

    def broken(self, why: str) -> BrokenPlugin:
        """Return the error for a library that cannot be used."""
        return BrokenPlugin(
            f"the library {self.entry.name!r} of the installed distribution {self.distribution!r} "
            f"cannot be used: {why}"
        )


def library_names() -> list[str]:
    """Return the names of all registered libraries, broken ones included."""
    return sorted(_registered(tuple(sys.path)))


def find_library(name: str) -> Library:
    """Return the description of a library.

    Raises:
        ParameterError: There is no library of this name.
        BrokenPlugin: The description cannot be loaded, or two distributions register this name.
    """
    return _find(name).load()


def broken(name: str, why: str) -> BrokenPlugin:
    """Return the error for a library that cannot be used."""
    return _find(name).broken(why)


def own_libraries() -> Iterator[Library]:
    """Yield the descriptions of this package's libraries."""
    for entry in _OWN.values():
        yield _Registered(entry, _OURS).load()


def require_installed(name: str) -> None:
    """Refuse a name that no library has."""
    names = library_names()
    if name not in names:
        raise ParameterError(f"no library of this name is installed{known_words(name, names)}")


def _find(name: str) -> _Registered:
    with locating(f"library={name!r}"):
        require_installed(name)
    found = _registered(tuple(sys.path))[name]
    if len(found) > 1:
        distributions = " and ".join(sorted(repr(each.distribution) for each in found))
        raise BrokenPlugin(
            f"the library {name!r} is registered by several distributions, {distributions}: "
            "uninstall all but one of them"
        )
    return found[0]


@functools.lru_cache(maxsize=4)
def _registered(_path: tuple[str, ...]) -> dict[str, list[_Registered]]:
    """Return all entry points by name.

    The argument is Python's search path for distributions: reading it takes some hundred files.
    """
    found = {name: [_Registered(entry, _OURS)] for name, entry in _OWN.items()}
    for entry in entry_points(group=GROUP):
        if entry.dist and not Path(str(entry.dist.locate_file(""))).is_absolute():
            continue  # it lies in the current folder, and is not installed
        distribution = entry.dist.name if entry.dist else "unknown"
        found.setdefault(entry.name, []).append(_Registered(entry, distribution))
    return found
