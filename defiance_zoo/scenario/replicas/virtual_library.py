# SPDX-License-Identifier: GPL-2.0-only
"""The closed world of code under test: which calls are virtual, and which are refused."""

from __future__ import annotations

import builtins
import functools
import importlib
import importlib.machinery
import io
import os
import random
import sys
import time
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

from defiance_zoo.bridge.system import single_process
from defiance_zoo.scenario.replicas import virtual_files, virtual_functions
from defiance_zoo.scenario.replicas.replica import Running, refuse

_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT

_HARMLESS = frozenset(
    {
        *("array.__new__", "builtins.breakpoint", "builtins.id", "code.__new__", "compile"),
        *("exec", "function.__new__", "glob.glob", "glob.glob/2", "import", "marshal.dumps"),
        *("marshal.load", "marshal.loads", "object.__delattr__", "object.__getattr__"),
        *("object.__setattr__", "os.fwalk", "os.getxattr", "os.listdir", "os.listxattr"),
        *("os.scandir", "os.walk", "pathlib.Path.glob", "pathlib.Path.rglob", "pickle.find_class"),
        *("shutil.copyfile", "shutil.copymode", "shutil.copystat", "shutil.copytree"),
        *("shutil.move", "shutil.rmtree", "sys._current_frames", "sys._getframe"),
        *("sys._getframemodulename", "sys.excepthook", "sys.set_asyncgen_hook_finalizer"),
        *("sys.set_asyncgen_hook_firstiter", "sys.setprofile", "sys.settrace"),
        *("sys.unraisablehook", "tempfile.mkdtemp", "tempfile.mkstemp", "urllib.Request"),
    }
)
"""Audit events that code under test may cause; of several steps, each has an event as well."""

_VIRTUAL = ("/disk/", "/dev/random", "/dev/urandom", "/proc/sys/kernel/random/")
"""Beginnings of the paths of files that would show code under test another world."""

_CHECKS: dict[str, Callable[..., bool]] = {
    "open": lambda path, _mode, flags: not (flags & _WRITES or str(path).startswith(_VIRTUAL)),
    "mmap.__new__": lambda number, *_others: number == -1,
    "sqlite3.connect": lambda path: path == ":memory:",
    "sqlite3.connect/handle": lambda _connection: True,
    "ctypes.dlopen": lambda name: name is None,
    "socket.getaddrinfo": lambda host, *_others: str(host).replace(".", "").isdigit(),
}
"""Events that are harmless with some arguments."""


_LONGEST = 200
_REAL = ("defiance_zoo.", "_frozen_importlib", "_thread", "posix")
"""Modules that keep the original functions."""


class _Substitute:
    """A function that, while a replica runs, calls another function with the replica.

    Like a function in C, it does not become a method as an attribute of a class.
    """

    def __init__(self, original: Any, virtual: Callable[..., Any]) -> None:
        functools.update_wrapper(self, original, updated=())
        self._original, self._virtual = original, virtual

    def __call__(self, *arguments: Any, **more: Any) -> Any:
        process = Running.process
        if process is None:
            return self._original(*arguments, **more)
        return self._virtual(process, *arguments, **more)

    def __reduce__(self) -> str:
        """Copy and pickle it as a function, by its name."""
        return str(getattr(self, "__name__"))  # noqa: B009 (the attribute is set at run time)


_replaced: dict[int, tuple[Any, Any]] = {}
"""Originals and their substitutes, by the identity of the originals; empty: none is replaced."""


def _put(module: Any, name: str, virtual: Callable[..., Any]) -> None:
    """Replace a function of a module, which may lack it, while a replica runs."""
    original = getattr(module, name, None)
    if original is not None:
        _replace(module, name, _Substitute(original, virtual))


def _replace(module: Any, name: str, substitute: Any) -> None:
    """Replace a value of a module for everybody."""
    original = getattr(module, name)
    _replaced[id(original)] = (original, substitute)
    setattr(module, name, substitute)


def _replace_event_loop(module: Any, _put: Any, _replace: Any) -> None:
    from defiance_zoo.scenario.replicas.event_loop import make_loop  # slow to import

    policy = getattr(module, "_UnixDefaultEventLoopPolicy", None) or module._DefaultEventLoopPolicy
    policy._loop_factory = staticmethod(make_loop(policy._loop_factory))


def _replace_socket(module: Any, put: Any, replace: Any) -> None:
    from defiance_zoo.scenario.replicas.sockets import replace_functions  # imports the module

    replace_functions(module, put, replace)


_LATE = {
    **virtual_functions.LATE,
    "asyncio.unix_events": _replace_event_loop,
    "socket": _replace_socket,
}


class _Importer:
    """Replaces functions of modules that are imported later."""

    def find_spec(self, name: str, path: Any, _target: Any = None) -> Any:
        """Return the usual way to load a module that has substitutes."""
        replace = _LATE.get(name)
        spec = importlib.machinery.PathFinder.find_spec(name, path) if replace else None
        if replace and spec and spec.loader:
            execute = spec.loader.exec_module

            def execute_and_replace(module: ModuleType) -> None:
                execute(module)
                replace(module, _put, _replace)

            spec.loader.exec_module = execute_and_replace  # type: ignore[method-assign]
        return spec


def is_patched() -> bool:
    """Return whether code under test runs in a virtual world."""
    return bool(_replaced)


def install() -> None:
    """Replace functions in all loaded modules, and refuse what has no virtual version."""
    if _replaced:
        return
    os.environ["TZ"] = "UTC"
    time.tzset()
    virtual_functions.replace_early(_put, _replace)
    virtual_files.replace_in(os, _put)
    _put(builtins, "open", virtual_files.opening(builtins.open))
    io.open = builtins.open
    random._urandom = os.urandom  # type: ignore[attr-defined]
    for name, replace in _LATE.items():
        if name in sys.modules:
            replace(sys.modules[name], _put, _replace)
    sys.meta_path.insert(0, _Importer())
    for module in list(sys.modules.values()):
        if type(module) is ModuleType and not module.__name__.startswith(_REAL):
            _replace_names(module)
    sys.addaudithook(_audit)
    single_process.on_refusal = _refuse_in_replica


def _refuse_in_replica(words: str) -> None:
    if Running.process is not None:
        refuse(f"fails: {words}")


def _audit(event: str, arguments: tuple[Any, ...]) -> None:
    """Refuse everything but reading files, and a few harmless events, while a replica runs."""
    if Running.process is None or event in _HARMLESS or event.startswith(("gc.", "cpython.")):
        return
    check = _CHECKS.get(event)
    if check is not None and check(*arguments):
        return
    if event == "open" and str(arguments[0]).startswith(_VIRTUAL):
        refuse(f"opens the real {arguments[0]}")
    if event == "open":
        refuse(f"opens {arguments[0]} to write it: files of code under test are below /disk")
    if event == "socket.__new__":
        refuse("opens a socket: use asyncio in an AsyncReplica, or send() and message()")
    shown = ", ".join(map(repr, arguments))[:_LONGEST]
    refuse(f"calls {event}({shown}), which has effects outside the simulation")


def patched(name: str, path: str | os.PathLike[str] | None = None) -> ModuleType:
    """Import a library whose code is under test, in the virtual world of the running replica.

    docs/protocols/library.md has the calls that are virtual, real, or end the episode.

    Args:
        name: Name of the module.
        path: The folder to import from, such as one of `pip install --target`; a relative path
            starts at the folder of the calling file. None: the module is installed.

    Returns:
        The module.

    Raises:
        ImportError: There is no such module, or none in this folder; or the module was imported
            before, with real functions.
    """
    folder = "" if path is None else _beside(sys._getframe(1).f_globals.get("__file__"), path)
    if folder and folder not in sys.path:
        sys.path.insert(0, folder)
    install()
    if name in sys.modules and name not in _libraries:
        raise ImportError(f"{name} was imported before patched(), with real clocks and files")
    module = importlib.import_module(name)
    if folder and not _is_within(module, folder):
        raise ImportError(f"{name} is imported from {module.__file__}, not from {folder}")
    _libraries.setdefault(name)
    sys.dont_write_bytecode = True  # a module that a replica imports writes no file
    return module


_libraries: dict[str, None] = {}
"""Names of the libraries under test."""


def is_library(name: str) -> bool:
    """Return whether a module is of a library under test."""
    return name.partition(".")[0] in _libraries


def import_again(before: dict[str, ModuleType]) -> dict[str, ModuleType]:
    """Import all libraries under test again, and return the new modules; see `exchange()`."""
    _note_imports(before)
    names = [each for each in sys.modules if is_library(each)]
    for each in names:
        del sys.modules[each]
    made = {each: importlib.import_module(each) for each in names}
    _Loaded.count = len(sys.modules)
    return made


def exchange(before: dict[str, ModuleType], after: dict[str, ModuleType]) -> None:
    """Replace the loaded modules of a process, and those it has imported since, by others."""
    _note_imports(before)
    for each in before.keys() - after.keys():
        sys.modules.pop(each, None)
    sys.modules.update(after)
    _Loaded.count = len(sys.modules)


def _note_imports(loaded: dict[str, ModuleType]) -> None:
    if len(sys.modules) != _Loaded.count:
        loaded |= {each: module for each, module in sys.modules.items() if is_library(each)}


class _Loaded:
    """The number of loaded modules when they were exchanged."""

    count = 0


def _beside(file: str | None, path: str | os.PathLike[str]) -> str:
    """Return the absolute path of a folder from a path relative to a file."""
    return os.path.realpath(os.path.join(os.path.dirname(file or ""), path))  # noqa: PTH118, PTH120


def _is_within(module: ModuleType, folder: str) -> bool:
    return os.path.realpath(module.__file__ or "").startswith(f"{folder}/")


def _replace_names(owner: Any) -> None:
    """Replace functions in a loaded module: its names, defaults and attributes of classes."""
    for name, value in list(vars(owner).items()):
        if isinstance(value, FunctionType):
            value.__defaults__ = value.__defaults__ and tuple(map(_virtual, value.__defaults__))
        elif isinstance(value, type) and value.__module__ == getattr(owner, "__name__", ""):
            _replace_names(value)
        new = _virtual(value)
        if new is not value:
            setattr(owner, name, new)


def _virtual(value: Any) -> Any:
    """Return the substitute of a replaced function; any other value itself."""
    original, substitute = _replaced.get(id(value), (None, None))
    return substitute if original is value and substitute is not None else value
