# SPDX-License-Identifier: GPL-2.0-only
"""Clocks, random numbers, waits and names of the machine, as a running replica sees them."""

from __future__ import annotations

import math
import os
import random
import sys
import threading
import time
from collections.abc import Callable
from importlib.machinery import ExtensionFileLoader, SourceFileLoader
from typing import Any

from defiance_zoo.scenario.replicas import virtual_files
from defiance_zoo.scenario.replicas.replica import Replica, Running, clock, refuse, refusing, sleep
from defiance_zoo.scenario.replicas.virtual_files import Put

_EPOCH = 1_700_000_000.0
"""Value of `time.time()` at the beginning of an episode."""

_UPTIME = 1000.0
"""Value of `time.monotonic()` then, as on a machine that has run for a while."""

_FIRST_PROCESS = 1000
_TIMES = ("monotonic", "perf_counter", "process_time", "thread_time")

_RIGHTS = ("setuid", "setgid", "sete", "setre", "setgr", "initgr", "setpg", "sched_set", "chroot")
"""Beginnings of the names of functions that change the rights and the order of a real process."""

Replace = Callable[[Any, str, Any], None]


def wall_time(process: Replica) -> float:
    """Return the seconds since 1970."""
    error = process.disk.clock.error if process.disk.clock else 0.0
    return _EPOCH + clock(process) + error + process.disk.clock_error


def uptime(process: Replica) -> float:
    """Return the seconds since the start of the machine."""
    return _UPTIME + clock(process)


def wait(process: Replica, seconds: float | None) -> None:
    """Advance the clock of a replica that waits; refuse an endless wait."""
    if seconds is None or seconds == math.inf:
        refuse("waits without a timeout: no other thread can wake it")
    if seconds > 0:
        sleep(process, seconds)


def host_name(id: int) -> str:
    """Return the name of a replica's machine."""
    return f"replica{id}"


def address(id: int) -> str:
    """Return the address of a replica's machine."""
    return f"10.0.0.{id}"


def replace_early(put: Put, replace: Replace) -> None:
    """Replace functions of modules that every program loads."""
    _replace_time(put)
    _replace_chance(put, replace)
    put(os, "getpid", lambda process: _FIRST_PROCESS + process.id)
    put(os, "getppid", lambda _process: 1)
    uname = os.uname
    put(os, "uname", lambda p: os.uname_result((uname()[0], host_name(p.id), *uname()[2:])))
    put(threading, "get_ident", lambda _process: 1)
    put(threading, "get_native_id", lambda _process: 1)
    put(threading, "current_thread", lambda _process: threading.main_thread())
    ident: Any = threading.Thread.ident
    threading.Thread.ident = property(lambda self: 1 if Running.process else ident.fget(self))  # type: ignore[assignment,method-assign]
    threading.Condition.wait = _condition_wait(threading.Condition.wait)  # type: ignore[method-assign]
    _refuse_calls(put, os, "pipe", "pipe2", "eventfd", "memfd_create", "openpty", "statvfs")
    _refuse_calls(put, os, "getloadavg", "wait", "waitpid", "posix_fallocate", "copy_file_range")
    _refuse_calls(put, os, "abort", "nice", "setpriority", "closerange", "setsid")
    _refuse_calls(put, os, *(each for each in dir(os) if each.startswith(_RIGHTS)))
    put(os, "cpu_count", lambda _process: 1)
    put(os, "umask", lambda _process, _mask: 0o022)  # no file of a disk has other rights
    for name in ("_gdbm", "_dbm", "_sqlite3_dbm", "dbm.sqlite3"):  # their files would be real
        sys.modules[name] = None  # type: ignore[assignment]


def _replace_time(put: Put) -> None:
    put(time, "time", wall_time)
    put(time, "time_ns", lambda process: _nanoseconds(wall_time(process)))
    for name in _TIMES:
        put(time, name, uptime)
        put(time, f"{name}_ns", lambda process: _nanoseconds(uptime(process)))
    put(time, "sleep", _sleep)
    put(time, "clock_gettime", _read_clock)
    put(time, "clock_gettime_ns", lambda process, id: _nanoseconds(_read_clock(process, id)))
    for name in ("gmtime", "localtime", "ctime"):
        put(time, name, _at_once(getattr(time, name)))
    broken_down, text, plain = time.gmtime, time.strftime, time.asctime
    put(time, "strftime", lambda p, how, at=None: text(how, at or broken_down(wall_time(p))))
    put(time, "asctime", lambda p, at=None: plain(at or broken_down(wall_time(p))))
    put(os, "times", lambda process: os.times_result((uptime(process), 0, 0, 0, uptime(process))))


def _sleep(process: Replica, seconds: float) -> None:
    if not seconds >= 0:
        raise ValueError("sleep length must be non-negative")
    wait(process, seconds)


def _nanoseconds(seconds: float) -> int:
    return round(seconds * 1e9)


def _at_once(original: Any) -> Callable[..., Any]:
    return lambda process, at=None: original(wall_time(process) if at is None else at)


def _read_clock(process: Replica, clock_id: int) -> float:
    is_wall = clock_id in (time.CLOCK_REALTIME, getattr(time, "CLOCK_TAI", -1))
    return wall_time(process) if is_wall else uptime(process)


def _replace_chance(put: Put, replace: Replace) -> None:
    own = random._inst  # whose methods are the module's functions
    names = [each for each in dir(random) if getattr(getattr(random, each), "__self__", 0) is own]
    for name in names:
        put(random, name, _drawing(name))
    put(os, "urandom", _draw_bytes)
    put(os, "getrandom", _draw_bytes)
    original: Any = random.Random

    class Random(original):  # type: ignore[misc]
        """A generator that follows the running replica if it has no seed."""

        _follows = True
        """Whether it was made without a seed while no replica ran, such as for a module."""

        def __init__(self, x: Any = None) -> None:
            super().__init__()
            Random.seed(self, x)

        def seed(self, a: Any = None, version: int = 2) -> None:
            process = Running.process
            self._follows = a is None and process is None
            super().seed(process.random.getrandbits(64) if a is None and process else a, version)

        def random(self) -> float:
            process = Running.process if self._follows else None
            return process.random.random() if process else super().random()

        def getrandbits(self, k: int) -> int:
            process = Running.process if self._follows else None
            return process.random.getrandbits(k) if process else super().getrandbits(k)

    Random.__module__, Random.__qualname__ = "random", "Random"
    replace(random, "Random", Random)


def _draw_bytes(process: Replica, count: int, _flags: int = 0) -> bytes:
    return process.random.randbytes(count)


def _drawing(name: str) -> Callable[..., Any]:
    def draw(process: Replica, *given: Any, **more: Any) -> Any:
        return getattr(process.random, name)(*given, **more)

    return draw


def _condition_wait(original: Any) -> Any:
    def wait_for_nobody(self: threading.Condition, timeout: float | None = None) -> Any:
        if Running.process is None:
            return original(self, timeout)
        wait(Running.process, timeout)
        return False

    return wait_for_nobody


def _refuse_calls(put: Put, module: Any, *names: str) -> None:
    for name in names:
        put(module, name, refusing(f"calls {module.__name__}.{name}(), which is real"))


def _replace_datetime(module: Any, _put: Put, replace: Replace) -> None:
    original: Any = module.datetime

    class Instances(type):
        def __instancecheck__(cls, value: Any) -> bool:
            return (
                isinstance(value, original) if cls is Virtual else super().__instancecheck__(value)
            )

        def __subclasscheck__(cls, kind: type) -> bool:
            return type.__subclasscheck__(original if cls is Virtual else cls, kind)

    class Virtual(original, metaclass=Instances):  # type: ignore[misc]
        @classmethod
        def now(cls, tz: Any = None) -> Any:
            process = Running.process
            return cls.fromtimestamp(wall_time(process), tz) if process else super().now(tz)

        @classmethod
        def utcnow(cls) -> Any:
            return cls.now(module.timezone.utc).replace(tzinfo=None)

    Virtual.__module__, Virtual.__name__, Virtual.__qualname__ = "datetime", *["datetime"] * 2
    replace(module, "datetime", Virtual)
    for loader, seen in ((ExtensionFileLoader, original), (SourceFileLoader, Virtual)):
        for name in ("create_module", "exec_module"):
            setattr(loader, name, _showing(module, seen, getattr(loader, name)))


def _showing(module: Any, kind: type, load: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method of a loader that shows modules a class: those in C may only extend C's."""

    def load_with_it(*given: Any) -> Any:
        before, module.datetime = module.datetime, kind
        try:
            return load(*given)
        finally:
            module.datetime = before

    return load_with_it


def _replace_uuid(module: Any, put: Put, _replace: Replace) -> None:
    module._generate_time_safe = None
    put(module, "getnode", lambda process: process.id)


def _replace_numpy(module: Any, put: Put, _replace: Replace) -> None:
    shared = module.mtrand._rand  # whose methods are the module's functions
    names = [
        each for each in dir(module) if getattr(getattr(module, each), "__self__", 0) is shared
    ]
    _refuse_calls(put, module, *names)


def _find_socket(file: Any) -> Any:
    """Return the simulated socket with a number, or the number of an object."""
    network = getattr(getattr(Running.process, "loop", None), "network", None)
    number = file if isinstance(file, int) else file.fileno()
    found = network.sockets.get(number) if network else None
    return found or refuse("waits for a file that is no simulated socket")


class _Poll:
    """A `select.poll()` or `epoll()` for simulated sockets, and for time."""

    def __init__(self, unit: float) -> None:
        self._unit = unit
        self._watched: dict[int, tuple[Any, int]] = {}

    def register(self, file: Any, events: int = 7) -> None:
        found = _find_socket(file)
        self._watched[found.number] = found, events

    modify = register

    def unregister(self, file: Any) -> None:
        del self._watched[file if isinstance(file, int) else file.fileno()]

    def close(self) -> None:
        self._watched.clear()

    def poll(self, timeout: float | None = None, _most: int = -1) -> list[tuple[int, int]]:
        ready = [(number, each.ready & events) for number, (each, events) in self._watched.items()]
        found = [each for each in ready if each[1]]
        if not found and Running.process is not None:
            is_endless = timeout is None or timeout < 0
            wait(Running.process, None if is_endless else (timeout or 0) * self._unit)
        return found


def _replace_select(module: Any, put: Put, _replace: Replace) -> None:
    def select(process: Replica, readers: Any, writers: Any, _others: Any, *timeout: Any) -> Any:
        can_read = [each for each in readers if _find_socket(each).ready & module.POLLIN]
        can_write = [each for each in writers if _find_socket(each).ready & module.POLLOUT]
        if not can_read and not can_write:
            wait(process, *timeout or (None,))
        return can_read, can_write, []

    put(module, "select", select)
    put(module, "poll", lambda _process: _Poll(1e-3))
    put(module, "epoll", lambda _process, *_sizes: _Poll(1.0))


def _replace_signal(module: Any, put: Put, _replace: Replace) -> None:
    put(module, "signal", lambda _process, _number, _handler: module.SIG_DFL)  # none arrives
    _refuse_calls(put, module, "setitimer", "alarm", "pause", "sigwait", "sigtimedwait")
    _refuse_calls(put, module, "raise_signal", "pthread_sigmask", "set_wakeup_fd")


def _replace_platform(module: Any, put: Put, _replace: Replace) -> None:
    uname, make = module.uname, module.uname_result

    def named(process: Replica) -> Any:
        real = uname()
        return make(real.system, host_name(process.id), real.release, real.version, real.machine)

    put(module, "uname", named)


LATE: dict[str, Callable[[Any, Put, Replace], None]] = {
    "datetime": _replace_datetime,
    "uuid": _replace_uuid,
    "ssl": lambda module, put, _replace: put(module, "RAND_bytes", _draw_bytes),
    "numpy.random": _replace_numpy,
    "select": _replace_select,
    "signal": _replace_signal,
    # Its version in Python waits for a Condition.
    "queue": lambda module, _, replace: replace(module, "SimpleQueue", module._PySimpleQueue),
    "platform": _replace_platform,
    "resource": lambda module, put, _replace: _refuse_calls(put, module, "getrusage"),
    "mmap": virtual_files.replace_mmap,
    "fcntl": virtual_files.replace_fcntl,
    "shutil": virtual_files.replace_shutil,
}
"""Functions that replace functions of modules, when these are imported."""
