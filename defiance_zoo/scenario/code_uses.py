# SPDX-License-Identifier: GPL-2.0-only
"""The names that the code of a scenario uses, and functions that return nothing."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from types import FunctionType, ModuleType
from typing import Any

_PACKAGE = __file__.rpartition("/scenario/")[0] + "/"
_BY_TEXT = {"getattr", "setattr", "exec", "eval"}

_NOT_PLAIN = 0x20 | 0x80 | 0x200
"""Flags of generators and coroutines, copied from `inspect`, which takes long to import."""


class CodeUses:
    """Names that the code of the scenario uses, in any of its functions."""

    _found: CodeUses | None = None

    @classmethod
    def of_scenario(cls) -> CodeUses:
        """Return the names in the files of the scenario."""
        if cls._found is None:
            cls._found = cls()
        return cls._found

    def __init__(self) -> None:
        import ast  # takes long; only doubtful scenarios need it

        self._read: set[str] = set()
        self._written: set[str] = set()
        self._texts: set[str] = set()
        self.may_connect_later = False
        functions = (ast.FunctionDef, ast.Lambda)
        for node in (node for tree in _trees(ast.parse) for node in ast.walk(tree)):
            match node:
                case ast.Attribute(attr=name, ctx=ast.Store()):
                    self._written.add(name)
                case ast.Attribute(attr=name) | ast.Name(id=name) | ast.alias(name=name):
                    self._read.add(name)
                case ast.Constant(value=str(text)):
                    self._texts.add(text)
                case ast.FunctionDef() | ast.ClassDef():
                    later = (
                        n for n in ast.walk(node) if isinstance(n, functions) and n is not node
                    )
                    inside = (each for function in later for each in ast.walk(function))
                    names = (getattr(n, "attr", getattr(n, "id", "")) for n in inside)
                    self.may_connect_later |= "connect" in names
        if self._read & _BY_TEXT:
            self._read |= self._texts
            self._written |= self._texts

    def calls(self, *names: str) -> bool:
        """Return whether one of these names is used."""
        return not self._read.isdisjoint(names)

    def sets(self, name: str) -> bool:
        """Return whether an attribute of this name is set."""
        return name in self._written

    def has_text(self, text: str) -> bool:
        """Return whether the code contains a text."""
        return text in self._texts


def _trees(parse: Callable[[str], Any]) -> Iterator[Any]:
    """Parse the files of modules that use this package, except the package itself."""
    for name, module in list(sys.modules.items()):
        if name in sys.stdlib_module_names:  # `os` holds functions of this package in scenarios
            continue
        path = getattr(module, "__file__", None)
        if not isinstance(path, str) or not path.endswith(".py") or path.startswith(_PACKAGE):
            continue
        if any(_is_of_package(each) for each in list(vars(module).values())):
            with contextlib.suppress(OSError, ValueError, SyntaxError):  # changed since its import
                with open(path, encoding="utf-8") as file:  # noqa: PTH123 (pathlib takes long)
                    tree = parse(file.read())
                yield tree


def _is_of_package(value: object) -> bool:
    """Return whether a value of a module is this package, or a class or function of it."""
    if isinstance(value, ModuleType):
        return value.__name__.startswith("defiance_zoo")
    return isinstance(value, type | FunctionType) and value.__module__.startswith("defiance_zoo")


def returns_nothing(function: Callable[..., Any]) -> bool:
    """Return whether every return of a function returns None."""
    code = getattr(function, "__code__", None)
    if code is None or code.co_flags & _NOT_PLAIN:
        return False
    import dis

    returned = []
    last: Any = None
    for instruction in dis.get_instructions(code):
        if instruction.opname == "RETURN_CONST":
            returned.append(instruction.argval)
        elif instruction.opname == "RETURN_VALUE":
            is_none = last is not None and last.opname == "LOAD_CONST" and last.argval is None
            returned.append(None if is_none else ...)
        last = instruction
    return bool(returned) and all(each is None for each in returned)


def locate(function: Callable[..., Any]) -> str:
    """Return a traceback's line with the place of a function."""
    code = function.__code__
    return f'  File "{code.co_filename}", line {code.co_firstlineno}, in {code.co_name}\n'
