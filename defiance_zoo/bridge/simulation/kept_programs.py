# SPDX-License-Identifier: GPL-2.0-only
"""Digests of scenarios' programs and files, which must not change while an experiment runs."""

from __future__ import annotations

import ast
import contextlib
import hashlib
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from defiance_zoo.bridge.process.programs import is_python
from defiance_zoo.bridge.system.imports import file_stamp
from defiance_zoo.bridge.system.reading import read_bytes
from defiance_zoo.errors import ProgramChanged

_MOST_BYTES = 2**32
_SHOWN = 16  # digits of a digest in messages


@dataclass(frozen=True)
class _Known:
    """A digest, and the files from which it was computed with their stamps before reading."""

    stamps: dict[Path, tuple[int, ...] | None]
    digest: str


_known: dict[tuple[Path, Path | None], _Known] = {}
_kept: list[dict[str, str]] = []
"""Digests by path, of each context of `keep_programs()`; the last one counts."""


def program_digest(program: Path, folder: Path | None = None) -> str:
    """Return SHA-256 of a scenario's program, in hexadecimal digits.

    The digest of a file in Python covers the modules in a folder, by default the program's, that it
    imports by `import` statements, directly or through each other.
    """
    known = _known.get((program, folder))
    if known is None or any(file_stamp(path) != stamp for path, stamp in known.stamps.items()):
        known = _known[program, folder] = _read(program, folder or program.parent)
    return known.digest


def named_files(values: Iterable[Any]) -> dict[str, str]:
    """Return the digest of each file that a text among values names, by path."""
    found: dict[str, str] = {}
    for text in (each for each in values if isinstance(each, str)):
        # The simulation refuses a file that cannot be read, and other texts may be any.
        with contextlib.suppress(OSError, ValueError):
            # The first check is cheap, as each start of a simulation makes it for all texts.
            if os.access(text, os.F_OK) and (path := Path(text).absolute()).is_file():
                found[str(path)] = program_digest(path)
    return found


@contextlib.contextmanager
def keep_programs(digests: Mapping[str, str] = MappingProxyType({})) -> Iterator[None]:
    """Refuse to start simulations of programs, or with files, that change in this context.

    Args:
        digests: The digest of each program and file, by path; others count from their first use.
    """
    _kept.append(kept_programs())
    try:
        for program, digest in digests.items():
            require_equal(program, _kept[-1].setdefault(program, digest), digest)
        yield
    finally:
        _kept.pop()


def kept_programs() -> dict[str, str]:
    """Return the digests of the programs that this process keeps, for other processes."""
    return dict(_kept[-1]) if _kept else {}


def adopt_programs(digests: Mapping[str, str]) -> None:
    """Keep another process's `kept_programs()`, in a process that works for it."""
    if digests:
        _kept[-1:] = [{**kept_programs(), **digests}]


def require_kept(find_digests: Callable[[], Mapping[str, str]]) -> None:
    """Refuse programs and files that have changed since their first use, if any are kept."""
    for program, digest in find_digests().items() if _kept else ():
        require_equal(program, _kept[-1].setdefault(program, digest), digest)


def require_equal(
    program: Path | str, begun: str, now: str, remedy: str = "restore the file, or begin anew"
) -> None:
    """Compare the digests of a program."""
    if begun != now:
        raise ProgramChanged(
            f"{program}, or a module or file that it reads, has changed: the work began with "
            f"SHA-256 {begun[:_SHOWN]}, and now it is {now[:_SHOWN]}; {remedy}"
        )


def _read(program: Path, folder: Path) -> _Known:
    found = hashlib.sha256()
    stamps: dict[Path, tuple[int, ...] | None] = {}
    waiting = [program]
    while waiting:
        path = waiting.pop()
        stamps[path] = file_stamp(path)
        content = read_bytes(path, _MOST_BYTES)
        if path != program:  # a single file has the usual digest of its content
            found.update(f"\0{path.relative_to(folder)}\0".encode())
        found.update(content)
        if is_python(path):
            named = _find_modules(content, path, folder)
            waiting += sorted(named - {*stamps, *waiting}, reverse=True)
    return _Known(stamps, found.hexdigest())


def _find_modules(content: bytes, importer: Path, folder: Path) -> set[Path]:
    """Return the files in a folder that a Python file imports."""
    try:
        tree = ast.parse(content)
    except (SyntaxError, ValueError, RecursionError):  # loading the file reports it
        return set()
    names: set[tuple[str, ...]] = set()
    package = importer.parent.relative_to(folder).parts
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(tuple(each.name.split(".")) for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) + 1 - node.level] if node.level else ()
            origin = (*above, *(node.module.split(".") if node.module else ()))
            names.update((*origin, *each.name.split(".")) for each in node.names)
    own = (name for name in names if name[0] not in sys.stdlib_module_names)
    return {
        path
        for name in own
        for end in range(1, len(name) + 1)
        for path in (folder.joinpath(*name[:end], "__init__.py"), _module(folder, name[:end]))
        if path.is_file()
    }


def _module(folder: Path, name: tuple[str, ...]) -> Path:
    return folder.joinpath(*name[:-1], f"{name[-1]}.py")
