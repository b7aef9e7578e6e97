# SPDX-License-Identifier: GPL-2.0-only
"""Imports of modules, and of objects in them, by names and paths from users."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import os
import site
import sys
import sysconfig
import traceback
from importlib.machinery import (
    EXTENSION_SUFFIXES,
    SOURCE_SUFFIXES,
    ExtensionFileLoader,
    FileFinder,
    SourceFileLoader,
)
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

_PACKAGE = __name__.partition(".")[0]
_imported: dict[str, tuple[int, ...] | None] = {}
"""Stamps of the imported files of users, by name of the module."""


def is_module_name(text: str) -> bool:
    """Return whether a text can be the full name of a module."""
    return all(part.isidentifier() for part in text.split("."))


def is_installed(module: str) -> bool:
    """Return whether a module is installed, so that its user chose to have it.

    Python's library, this package and the modules of installed distributions are. Modules in the
    current folder, in a folder of PYTHONPATH, or beside the running program are not.
    """
    top = module.partition(".")[0]
    if top == _PACKAGE:
        return True
    places = [sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"), *_site_folders()]
    folders = {Path(each).resolve() for each in places}
    try:
        spec = importlib.util.find_spec(top)
    except ValueError:  # such as __main__
        return False
    if spec is None:
        return False
    if spec.origin in ("built-in", "frozen"):
        return True
    found = [spec.origin] if spec.origin else list(spec.submodule_search_locations or ())
    if found and all(not folders.isdisjoint(Path(each).resolve().parents) for each in found):
        return True
    return top in _linked_modules()  # the files of an editable installation are elsewhere


def _site_folders() -> list[str]:
    user = [site.getusersitepackages()] if site.ENABLE_USER_SITE else []
    return [*site.getsitepackages(), *user]


def _linked_modules() -> set[str]:
    """Return the modules of installed distributions that list them."""
    import importlib.metadata  # as long to load as the rest of a simulation's program

    found = importlib.metadata.distributions(path=_site_folders())
    return {name for each in found for name in (each.read_text("top_level.txt") or "").split()}


def import_named(module: str) -> ModuleType:
    """Import a module."""
    if not is_module_name(module):
        raise ModuleNotFoundError(f"no module can be called {module!r}", name=module)
    return importlib.import_module(module)


def import_attribute(place: str) -> Any:
    """Return an object of a module."""
    module, _, name = place.partition(":")
    found = import_named(module)
    try:
        return getattr(found, name)
    except AttributeError as error:
        raise ImportError(str(error), name=module) from error


def file_stamp(path: Path | str) -> tuple[int, ...] | None:
    """Return numbers that change when a file does; None: there is no file.

    Writing changes the last one even if the time of the change is set back.
    """
    try:
        stat = os.stat(path)  # noqa: PTH116 (for each file, before each episode)
    except OSError:
        return None
    return stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns


class CurrentSourceLoader(SourceFileLoader):
    """Compiles the source that is there now.

    Python's cache of compiled modules knows a source by its size and the second of its last change,
    so a file that was edited twice in a second could run in its first form. The code of a file
    that has not changed is kept in this process: each start of a replica imports its libraries.
    """

    _kept: ClassVar[dict[str, tuple[Any, Any]]] = {}  # stamps of files and their code, by path

    def get_code(self, fullname: str) -> Any:
        path = self.get_filename(fullname)
        stamp = file_stamp(path)
        if path not in self._kept or self._kept[path][0] != stamp:
            self._kept[path] = stamp, self.source_to_code(self.get_data(path), path)
        return self._kept[path][1]


def import_file(name: str, path: Path | str) -> ModuleType:
    """Import a file by its path, as a module that `sys.modules` has under this name."""
    loader = CurrentSourceLoader(name, str(path))
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    assert spec is not None  # the loader was passed
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    return module


def compile_sources_of(folder: str) -> None:
    """Import modules in a folder and below by `CurrentSourceLoader`; not installed ones."""
    uncached = FileFinder.path_hook(
        (ExtensionFileLoader, EXTENSION_SUFFIXES), (CurrentSourceLoader, SOURCE_SUFFIXES)
    )

    def find(path: str) -> Any:
        if path != folder and not path.startswith(f"{folder}/"):
            raise ImportError(f"{path} is not below {folder}", path=path)
        if "-packages" in path.removeprefix(folder):
            raise ImportError(f"{path} is installed", path=path)
        return uncached(path)

    sys.path_hooks.insert(0, find)
    sys.path_importer_cache.clear()


def import_module_or_file(place: str) -> ModuleType:
    """Import a module or a file by its name; a file again after each change, as in a notebook."""
    try:
        if not place.endswith(".py"):
            return import_named(place)
        path = Path(place).absolute()
        if not path.is_file():
            raise FileNotFoundError(2, "No such file", str(path))
        name = f"defiance_code_{hashlib.sha256(str(path).encode()).hexdigest()[:16]}"
        stamp = file_stamp(path)
        if name not in sys.modules or _imported.get(name) != stamp:
            import_file(name, path)
            _imported[name] = stamp
        return sys.modules[name]
    except Exception as error:  # users' modules may raise any exception
        if isinstance(error, FileNotFoundError) and error.filename == str(Path(place).absolute()):
            raise ImportError(f"there is no file {error.filename}") from error
        missing = isinstance(error, ModuleNotFoundError) and error.name
        if missing and f"{place}.".startswith(f"{missing}."):
            raise ImportError(
                f"there is no module {missing!r}: install it, or name its folder in PYTHONPATH"
            ) from error
        raise ImportError(describe_failure(error)) from error


def describe_failure(error: Exception, *callers: str) -> str:
    """Return a text for an exception in a user's code, with the line of that code.

    `callers` are the files that called the user's code.
    """
    passed = {__file__, importlib.__file__, *callers}
    own = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename not in passed and not frame.filename.startswith("<")
    ]
    where = f"{own[-1].filename}:{own[-1].lineno}: " if own else ""
    return f"{where}{type(error).__name__}: {error}"
