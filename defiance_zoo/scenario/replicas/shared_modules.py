# SPDX-License-Identifier: GPL-2.0-only
"""Modules that asynchronous replicas share by mistake: their state would connect the processes."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from enum import Enum
from opcode import opmap
from types import CodeType, FrameType, FunctionType
from typing import Any

from defiance_zoo.scenario.replicas.replica import Replica, Running, refuse
from defiance_zoo.scenario.replicas.virtual_library import is_library

_CHANGING = ("asyncio", "collections", "itertools", "queue", "random")
"""Modules of Python whose objects have state."""

_passed: set[int] = set()
"""Identities of the names of modules that were looked at."""


def watch_modules(frame: FrameType, event: str, _argument: Any) -> None:
    """Refuse a call to a shared module that has state; a function for `sys.setprofile()`.

    Modules under test are those of `patched()`, and those beside the file of the replica.
    """
    process, names = Running.process, frame.f_globals
    is_separate = hasattr(process, "_modules")  # as of asynchronous replicas after their start
    if event != "call" or process is None or not is_separate or id(names) in _passed:
        return
    if getattr(names.get("__spec__"), "_initializing", False):
        return  # it is being imported
    _passed.add(id(names))
    name = str(names.get("__name__"))
    if is_library(name):
        is_shared = getattr(sys.modules.get(name), "__dict__", None) is not names
    else:
        is_scenario = name in {each.__module__ for each in type(process).__mro__}
        is_shared = not is_scenario and _is_beside(name, process)
    if not is_shared:
        return
    state = next(_find_state(name, names), None)
    if state is not None:
        top = name.partition(".")[0]
        refuse(
            f"calls {frame.f_code.co_name}() of the module {name}, which all replicas share, with "
            f'its {state}: write rp.patched("{top}") at the top of the file of the replica, and '
            f"import {name} in main(), where each process has a separate module"
        )


def _is_beside(name: str, process: Replica) -> bool:
    """Return whether a module, or its package, is in the folder of a replica's file."""
    file, own = (
        getattr(sys.modules.get(each), "__file__", None) or ""
        for each in (name.partition(".")[0], type(process).__module__)
    )
    folder, base = os.path.split(os.path.realpath(file))
    folder = os.path.dirname(folder) if base == "__init__.py" else folder  # noqa: PTH120
    return bool(file) and folder == os.path.dirname(os.path.realpath(own))  # noqa: PTH120


def _find_state(module: str, values: Mapping[str, Any]) -> Iterator[str]:
    """Yield the names of a module or its class that may change while the module is used."""
    for name, value in list(values.items()):
        function = getattr(value, "__func__", value)
        if name.startswith("__"):
            continue
        if isinstance(function, FunctionType):
            yield from _find_writes(function.__code__) if function.__module__ == module else ()
        elif isinstance(value, type):
            if value.__module__ == module and not issubclass(value, Enum | tuple):
                yield from (f"{name}.{each}" for each in _find_state(module, vars(value)))
        elif _can_change(value):
            yield name


def _find_writes(code: CodeType) -> Iterator[str]:
    """Yield the global names that a function writes."""
    for at in range(0, len(code.co_code), 2):
        if code.co_code[at] in (opmap["STORE_GLOBAL"], opmap["DELETE_GLOBAL"]):
            yield code.co_names[code.co_code[at + 1]]
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _find_writes(each)


def _can_change(value: Any) -> bool:
    """Return whether an object has state; functions, classes and values of Python have none."""
    if isinstance(value, dict | list | set | bytearray):
        return True
    top = type(value).__module__.partition(".")[0]
    is_own = top not in (*sys.stdlib_module_names, "defiance_zoo")
    return top in _CHANGING or (is_own and not isinstance(value, Enum | tuple))
