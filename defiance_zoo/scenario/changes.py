# SPDX-License-Identifier: GPL-2.0-only
"""Changes of a scenario's files since their import."""

from __future__ import annotations

import os
import sys


class ImportedFiles:
    """The files of imported modules, without Python's and installed packages."""

    def __init__(self) -> None:
        """Note the modules that are imported so far."""
        # Not whole prefixes: these can be /usr and /usr/local, and people work in /usr/src.
        prefixes = {sys.prefix, sys.base_prefix, sys.exec_prefix}
        folders = {"lib", sys.platlibdir}
        self._installed = tuple(f"{prefix}/{each}/" for prefix in prefixes for each in folders)
        self._seen: dict[str, tuple[int, int] | None] = {}
        self._note()

    def are_unchanged(self) -> bool:
        """Return whether no file has changed since its module was first seen here."""
        unchanged = all(_stamp(path) == stamp for path, stamp in self._seen.items())
        self._note()
        return unchanged

    def _note(self) -> None:
        for module in list(sys.modules.values()):
            path = getattr(module, "__file__", None)
            if isinstance(path, str) and path not in self._seen and self._is_own(path):
                self._seen[path] = _stamp(path)

    def _is_own(self, path: str) -> bool:
        return not path.startswith(self._installed)


def _stamp(path: str) -> tuple[int, int] | None:
    try:
        stat = os.stat(path)  # noqa: PTH116 (for each file, before each episode)
    except OSError:
        return None
    return stat.st_mtime_ns, stat.st_ino
