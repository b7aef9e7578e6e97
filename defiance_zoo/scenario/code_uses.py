# SPDX-License-Identifier: GPL-2.0-only
"""The names that the code of a scenario uses, and functions that return nothing."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterable, Iterator
from types import FunctionType, ModuleType
from typing import Any

_PACKAGE = __file__.rpartition("/scenario/")[0] + "/"
_READING = ("LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER_ATTR", "IMPORT_FROM")
_BY_TEXT = {"getattr", "setattr", "exec", "eval"}
_TELLING = {*_BY_TEXT, "connect"}
"""Names of functions that matter wherever the code uses them."""

_Key = tuple[str, int, str]
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
        self._read: set[str] = set()
        self._written: set[str] = set()
        self._texts: set[str] = set()
        self._senders: list[tuple[_Key, str]] = []
        self.may_connect_later = False
        for code in _codes():
            self._note(code, 0)
        if self._read & _BY_TEXT:
            self._read |= self._texts
            self._written |= self._texts

    def calls(self, *names: str) -> bool:
        """Return whether an attribute of one of these names is used."""
        return not self._read.isdisjoint(names)

    def sends(
        self, functions: Iterable[Callable[..., Any]], is_sender: Callable[[Any], bool]
    ) -> bool:
        """Return whether the code may call `send()` of an object of some kind.

        Args:
            functions: Functions whose variables are known; code elsewhere may call `send()`.
            is_sender: Returns whether a value is such an object.
        """
        if self._read & _BY_TEXT:
            return self.calls("send")
        known = {_key(each.__code__): each for each in functions if hasattr(each, "__code__")}
        values = [
            _value_of(known[key], name) if key in known else ... for key, name in self._senders
        ]
        return any(value is ... or is_sender(value) for value in values)

    def sets(self, name: str) -> bool:
        """Return whether an attribute of this name is set."""
        return name in self._written

    def has_text(self, text: str) -> bool:
        """Return whether the code contains a text."""
        return text in self._texts

    def _note(self, code: Any, depth: int) -> None:
        import dis  # takes long; only doubtful scenarios need it

        before: Any = None
        for instruction in dis.get_instructions(code):
            name, kind = instruction.argval, instruction.opname
            if kind in _READING and name == "send":
                self._senders.append((_key(code), str(before)))
            before = name
            if kind == "STORE_ATTR":
                self._written.add(name)
            elif kind == "LOAD_CONST" and isinstance(name, str):
                self._texts.add(name)
            elif kind in _READING or (isinstance(name, str) and name in _TELLING):
                self._read.add(name)
                self.may_connect_later |= depth > 1 and name == "connect"
        for constant in code.co_consts:
            if isinstance(constant, tuple):
                self._texts |= {each for each in constant if isinstance(each, str)}
            elif hasattr(constant, "co_code"):
                self._note(constant, depth + 1)


def _key(code: Any) -> _Key:
    """Return the file, line and name of code, which identify it after another compilation."""
    return code.co_filename, code.co_firstlineno, code.co_name


def _value_of(function: Any, name: str) -> Any:
    """Return the value of a closure's variable; `...` if it has none."""
    shared = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    if name in shared:
        with contextlib.suppress(ValueError):  # the variable has no value yet
            return shared[name].cell_contents
        return ...
    return function.__globals__.get(name, ...)


def _codes() -> Iterator[Any]:
    """Compile the files of modules that use this package, except the package itself."""
    for name, module in list(sys.modules.items()):
        if name in sys.stdlib_module_names:  # `os` holds functions of this package in scenarios
            continue
        path = getattr(module, "__file__", None)
        if not isinstance(path, str) or not path.endswith(".py") or path.startswith(_PACKAGE):
            continue
        if any(_is_of_package(each) for each in list(vars(module).values())):
            with contextlib.suppress(OSError, ValueError, SyntaxError):
                with open(path, encoding="utf-8") as file:  # noqa: PTH123 (pathlib takes long)
                    text = file.read()
                yield compile(text, path, "exec")


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
