# SPDX-License-Identifier: GPL-2.0-only
"""The process of a scenario in Python, which has one thread and starts no processes."""

from __future__ import annotations

import _thread
import contextlib
import fcntl
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn

from defiance_zoo.errors import NotInScenario

_REFUSED = {
    "os.fork": "a process (os.fork)",
    "os.forkpty": "a process (os.forkpty)",
    "os.posix_spawn": "a process (os.posix_spawn)",
    "os.system": "a process (os.system)",
    "os.exec": "another program in its place (os.exec)",
    "pty.spawn": "a process (pty.spawn)",
    "subprocess.Popen": "a process (subprocess.Popen)",
}
"""Forbidden operations, by the Python audit event that precedes them."""

_C_FUNCTIONS = {
    *("clone", "daemon", "execv", "execve", "execvp", "fork", "forkpty", "popen", "posix_spawn"),
    *("posix_spawnp", "pthread_create", "system", "vfork"),
}
"""Functions of the C library that start processes and threads, for calls by `ctypes`."""

_THREAD_STARTERS = ("start_new_thread", "start_new", "start_joinable_thread")
_SIGKILL = 9

end_process = os._exit
"""Ends the process at once; in scenarios, `os._exit()` itself raises an error."""

_PR_SET_PDEATHSIG = 1

_scenario: str | None = None
_may_start = False
"""Whether programs may start: in `start_companion()` and `short_programs()`."""


def be_single(scenario: str) -> None:
    """From now on, refuse threads, processes, simulations and `os._exit()` in this process.

    A copy of a process has none of its threads, and processes would outlive the simulation.
    """
    global _scenario
    if _scenario is None:
        _scenario = scenario
        sys.addaudithook(_audit)
        _refuse_threads()
        os._exit = _refuse_end


def require_player(what: str) -> None:
    """Refuse to start simulations in a process that is the simulation of a scenario in Python."""
    if _scenario is not None:
        raise NotInScenario(
            f"this process is the simulation of {_scenario}, and cannot start {what}: put the "
            'code that plays it below `if __name__ == "__main__":`, or into a separate file'
        )


def die_with(lifeline: int) -> None:
    """Make the kernel end this process when the last write end of a pipe is closed.

    The program does the same after reading its arguments, but loading the scenario's file comes
    first, and may never end.
    """
    own = os.open(f"/proc/self/fd/{lifeline}", os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    fcntl.fcntl(own, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(own, fcntl.F_SETSIG, _SIGKILL)
    fcntl.fcntl(own, fcntl.F_SETFL, os.O_RDONLY | os.O_NONBLOCK | os.O_ASYNC)
    with contextlib.suppress(BlockingIOError):  # raised while a write end is open
        os.read(own, 1)
        os.kill(os.getpid(), _SIGKILL)


def start_companion(command: Sequence[str], inherited: Sequence[int] = ()) -> tuple[int, int, int]:
    """Start a program that the kernel ends with this process.

    Returns its process id, and the descriptors of its standard input and standard output.
    """
    global _may_start
    import ctypes

    library, parent = ctypes.CDLL(None), os.getpid()
    (its_input, to_it), (from_it, its_output) = os.pipe(), os.pipe()
    _may_start = True
    try:
        process = os.fork()
        if process == 0:
            library.prctl(_PR_SET_PDEATHSIG, _SIGKILL)
            if os.getppid() == parent:
                os.dup2(its_input, 0)
                os.dup2(its_output, 1)
                for each in inherited:
                    os.set_inheritable(each, True)
                os.execvp(command[0], [*command])
    except OSError as error:  # the program was not executed
        os.write(2, f"{command[0]}: {error.strerror}\n".encode())
    finally:
        if os.getpid() != parent:
            end_process(127)
        _may_start = False
    os.close(its_input)
    os.close(its_output)
    return process, to_it, from_it


@contextlib.contextmanager
def short_programs() -> Iterator[None]:
    """Allow programs that end before the context does, as imports of some libraries start them."""
    global _may_start
    _may_start = True
    try:
        yield
    finally:
        _may_start = False
    with contextlib.suppress(ChildProcessError):  # there is none
        if os.waitpid(-1, os.WNOHANG) == (0, 0):
            _refuse("a process that does not end at once")


def _audit(event: str, arguments: tuple[Any, ...]) -> None:
    if event in _REFUSED and not _may_start:
        _refuse(_REFUSED[event])
    if event == "ctypes.dlsym" and arguments[1] in _C_FUNCTIONS:
        _refuse(f"a process or a thread ({arguments[1]} of the C library)")


def _refuse_threads() -> None:
    """Replace functions that start threads or processes without an audit event."""

    def start_thread(*_arguments: Any, **_more: Any) -> NoReturn:
        _refuse("a thread")

    import _posixsubprocess

    fork_exec = _posixsubprocess.fork_exec

    def start_program(*arguments: Any) -> Any:
        return fork_exec(*arguments) if _may_start else _refuse("a process")

    _posixsubprocess.fork_exec = start_program
    for name in _THREAD_STARTERS:
        for module in (_thread, sys.modules.get("threading")):
            for each in (name, f"_{name}"):
                if hasattr(module, each):
                    setattr(module, each, start_thread)


on_refusal: Callable[[str], Any] | None = None
"""A function that receives each refusal first, and may end the process."""


def _refuse_end(status: int) -> NoReturn:
    _raise(f"a scenario cannot end its process (os._exit({status})): sc.stop() ends an episode")


def _raise(message: str) -> NoReturn:
    if on_refusal is not None:
        on_refusal(message)
    raise NotInScenario(message)


def _refuse(what: str) -> NoReturn:
    _raise(
        f"a scenario cannot start {what}: a simulation is one process with one thread, which is "
        "copied for each episode; do it in the program that plays the scenario, below `if __name__ "
        '== "__main__":`, or pass its result as a parameter'
    )


ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""Variables without threads, as a process with threads cannot be copied."""
