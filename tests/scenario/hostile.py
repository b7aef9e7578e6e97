# SPDX-License-Identifier: GPL-2.0-only
"""Hostile scenarios: their code, its place, and the expected end of an episode."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from defiance_zoo.errors import (
    DefianceZooError,
    InvalidObservation,
    ScenarioError,
    SimulationCrashed,
    SimulationError,
    SimulationTimeout,
)

_TEMPLATE = """\
import atexit, ctypes, gc, os, resource, signal, sys, threading, time
import defiance_zoo.scenario as sc
{load}
sim = sc.Simulation("hostile", duration="60ms")

def make(node):
    agent = sc.Agent(node, sc.Box(0, 1, (2,)), sc.Discrete(2), StepInterval="10ms")

    @agent.observe
    def look():
        looks.append(sc.now())
        if len(looks) == 3:
            return hook(agent)
        return [0.5, 0.5]

    @agent.on_action
    def act(action):
        agent.reward += action

    return agent

looks = []

def hook(agent):
    {hook}
    return [0.5, 0.5]

@sim.episode
def build(p):
    looks.clear()
    a, b = sc.nodes(2)
    agent = make(a)
    {build}
"""


@dataclass(frozen=True)
class Hostile:
    """A hostile scenario.

    Attributes:
        code: The hostile statements.
        where: "load", "build" or "hook", a function called during the episode.
        error: The exception of the environment; None: a normal episode.
        words: A regular expression that the message matches.
        waits: Whether the error comes only after the timeout.
        may_play: Whether the episode may also be normal, which depends on the link.
    """

    code: str
    where: str = "hook"
    error: type[DefianceZooError] | None = None
    words: str = ""
    waits: bool = False
    may_play: bool = False

    def write(self, folder: Path) -> Path:
        """Write the scenario to a file."""
        parts = dict.fromkeys(("load", "hook", "build"), "pass")
        code = self.code.strip()
        parts[self.where] = code if self.where == "load" else code.replace("\n", "\n    ")
        file = folder / "hostile.py"
        file.write_text(_TEMPLATE.format(**parts))
        return file


_NO_PROCESS = r'hostile\.py", line \d+(.*\n)*.*a scenario cannot start a process'
_NO_THREAD = r'hostile\.py", line \d+(.*\n)*.*a scenario cannot start a thread'
_NO_GAME = r'hostile\.py", line \d+(.*\n)*.*this process is the simulation of .*__main__'
_STACK = r'File ".*hostile\.py", line \d+ in hook'

HOSTILE = {
    # further processes, threads and simulations
    "fork": Hostile("if os.fork() == 0: time.sleep(1000)", "hook", ScenarioError, _NO_PROCESS),
    "fork in build": Hostile("os.fork()", "build", ScenarioError, _NO_PROCESS),
    "fork at load": Hostile("os.fork()", "load", ScenarioError, _NO_PROCESS),
    "program": Hostile(
        "import subprocess\nsubprocess.Popen(['sleep', '1000'], start_new_session=True)",
        "hook",
        ScenarioError,
        _NO_PROCESS,
    ),
    "shell": Hostile("os.system('sleep 1000 &')", "build", ScenarioError, _NO_PROCESS),
    "posix_spawn": Hostile(
        "os.posix_spawn('/bin/sleep', ['sleep', '1000'], dict())",
        "hook",
        ScenarioError,
        _NO_PROCESS,
    ),
    "exec": Hostile("os.execv('/bin/sleep', ['sleep', '9'])", "hook", ScenarioError, "os.exec"),
    "fork of the C library": Hostile(
        "ctypes.CDLL(None).fork()", "hook", ScenarioError, "fork of the C library"
    ),
    "pool of processes": Hostile(
        "import multiprocessing\nmultiprocessing.Pool(2).map(abs, [1])",
        "hook",
        ScenarioError,
        "a scenario cannot start a (process|thread)",
    ),
    "spawned process": Hostile(
        "import multiprocessing\n"
        "multiprocessing.get_context('spawn').Process(target=print).start()",
        "build",
        ScenarioError,
        _NO_PROCESS,
    ),
    "thread": Hostile(
        "threading.Thread(target=time.sleep, args=(9,)).start()", "hook", ScenarioError, _NO_THREAD
    ),
    "thread at load": Hostile(
        "threading.Thread(target=time.sleep, args=(9,)).start()", "load", ScenarioError, _NO_THREAD
    ),
    "pool of threads": Hostile(
        "from concurrent.futures import ThreadPoolExecutor\nThreadPoolExecutor().submit(print)",
        "hook",
        ScenarioError,
        _NO_THREAD,
    ),
    "timer": Hostile("threading.Timer(0.01, print).start()", "build", ScenarioError, _NO_THREAD),
    "plays at load": Hostile(
        "import defiance_zoo\ndefiance_zoo.make('cart_pole_v0')", "load", ScenarioError, _NO_GAME
    ),
    "plays in a hook": Hostile(
        "import defiance_zoo\ndefiance_zoo.make_vec('cart_pole_v0', 2)",
        "hook",
        ScenarioError,
        _NO_GAME,
    ),
    # ends of the process
    "exit at load": Hostile("sys.exit(0)", "load", ScenarioError, "ends the process while"),
    "hard exit at load": Hostile(
        "os._exit(0)", "load", ScenarioError, r"line \d+, in <module>\n +os\._exit\(0\)\n"
    ),
    "exit in build": Hostile("sys.exit(3)", "build", ScenarioError, r"sc\.stop\(\) ends"),
    "exit in a hook": Hostile("sys.exit(0)", "hook", ScenarioError, r"sc\.stop\(\) ends"),
    "hard exit": Hostile(
        "os._exit(0)", "hook", ScenarioError, r"line \d+, in hook\n +os\._exit\(0\)\n"
    ),
    "environment cleared at load": Hostile("os.environ.clear()", "load"),
    "environment cleared in a hook": Hostile("os.environ.clear()", "hook"),
    "exit at the exit": Hostile("atexit.register(sys.exit, 5)", "build"),
    "exception at the exit": Hostile("atexit.register(lambda: 1 / 0)", "build"),
    "segmentation fault": Hostile("ctypes.string_at(0)", "hook", SimulationCrashed, "SIGSEGV"),
    "abort": Hostile("os.abort()", "hook", SimulationCrashed, "SIGABRT"),
    "kills itself": Hostile("os.kill(os.getpid(), 9)", "hook", SimulationCrashed, "SIGKILL"),
    "stops itself": Hostile(
        "os.kill(os.getpid(), signal.SIGSTOP)", "hook", SimulationTimeout, "no message", waits=True
    ),
    "ignores SIGTERM": Hostile(
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep(1e6)",
        "hook",
        SimulationTimeout,
        _STACK,
        waits=True,
    ),
    # exceptions
    "exception": Hostile("raise ArithmeticError('seven')", "hook", ScenarioError, "seven"),
    "exception in an event": Hostile(
        "sc.after('25ms', lambda: 1 / 0)", "build", ScenarioError, "ZeroDivisionError"
    ),
    "exception without words": Hostile(
        "class Dumb(Exception):\n    def __str__(self): raise self\nraise Dumb",
        "hook",
        ScenarioError,
        "Dumb",
    ),
    "exception of the keyboard": Hostile(
        "raise KeyboardInterrupt", "hook", ScenarioError, "KeyboardInterrupt"
    ),
    "infinite recursion": Hostile(
        "def down(): down()\ndown()", "hook", ScenarioError, "RecursionError"
    ),
    "memory": Hostile(
        "resource.setrlimit(resource.RLIMIT_AS, (2**31, -1))\n[0] * 2**40",
        "hook",
        ScenarioError,
        "MemoryError",
    ),
    # no progress of simulated time
    "sleeps": Hostile("time.sleep(1e6)", "hook", SimulationTimeout, _STACK, waits=True),
    "loops": Hostile(
        "while True: pass",
        "hook",
        SimulationTimeout,
        r"stands still at 0\.03 s, in one event(.*\n)*.*" + _STACK,
        waits=True,
    ),
    "events without delay": Hostile(
        "def again(): sc.after('0s', again)\nsc.after('25ms', again)",
        "build",
        SimulationTimeout,
        r"stands still at 0\.025 s, where \d+ events",
        waits=True,
    ),
    "loops in build": Hostile(
        "while True: pass", "build", SimulationTimeout, r"hostile\.py\", line \d+", waits=True
    ),
    # descriptors and files
    "closes standard input": Hostile("os.close(0)"),
    "closes standard output": Hostile("os.close(1)\nos.close(2)"),
    "closes at load": Hostile("os.close(0)\nos.close(1)\nos.close(2)", "load"),
    "closes everything": Hostile("os.closerange(0, 1024)", "hook", SimulationError, may_play=True),
    "writes to the link": Hostile(
        "for each in range(3, 64):\n"
        "    try: os.write(each, b'\\xff' * 64)\n"
        "    except OSError: pass",
        "hook",
        SimulationError,
        may_play=True,
    ),
    "prints megabytes": Hostile("print('x' * 5_000_000)"),
    "prints at load": Hostile("print('x' * 500_000)", "load"),
    "prints bytes": Hostile("os.write(1, bytes(range(256)) * 100)"),
    "prints a surrogate": Hostile("print('\\udcff', file=sys.stderr)"),
    "reads standard input": Hostile("sys.stdin.read()"),
    "changes its folder": Hostile("os.chdir('/')"),
    "deletes its folder": Hostile(
        "import tempfile\nos.chdir(tempfile.mkdtemp())\nos.rmdir(os.getcwd())"
    ),
    "changes signals": Hostile(
        "for each in range(1, 65):\n"
        "    try: signal.signal(each, signal.SIG_IGN)\n"
        "    except (OSError, ValueError): pass"
    ),
    "leaves its session": Hostile("os.setpgid(0, 0) if os.getpgrp() != os.getpid() else None"),
    # observations and actions of agents
    "not a number": Hostile("return [float('nan'), 0.5]", "hook", InvalidObservation),
    "another length": Hostile("return [0.5]", "hook", ScenarioError),
    "another type": Hostile("return 'many'", "hook", ScenarioError),
    "a generator": Hostile("return (each for each in [0.5])", "hook", ScenarioError),
    "a generator function": Hostile(
        "agent.observe(lambda: (yield))", "build", ScenarioError, "hostile"
    ),
    "a coroutine function": Hostile(
        "async def see(): return [0.5, 0.5]\nagent.observe(see)", "build", ScenarioError, "see"
    ),
    "huge infos": Hostile("agent.info(lambda: dict(text='x' * 3_000_000))", "build"),
    "infos of another kind": Hostile(
        "agent.info(lambda: dict(x=object()))", "build", ScenarioError
    ),
    "an agent created later": Hostile("sc.at('25ms', lambda: make(b).terminate())", "build"),
    "an agent created after the end": Hostile("agent.terminate()\nmake(sc.nodes(1)[0])"),
    "stop in build": Hostile("sc.stop()", "build", ScenarioError, "before it begins"),
    "stop twice": Hostile("sc.stop()\nsc.stop()"),
    "ends twice": Hostile("agent.terminate()\nagent.truncate()\nagent.terminate()"),
    "asks within an observation": Hostile("agent.request([0.5, 0.5])"),
    "an own name for a function": Hostile(
        "sc.Agent = sc.nodes = None\n"
        "from defiance_zoo.scenario import simulation\n"
        "simulation._fail = simulation._end = print"
    ),
    "no garbage collection": Hostile("gc.disable()\nsys.settrace(lambda *_: None)"),
    "a broken finalizer": Hostile(
        "class Broken:\n    def __del__(self): raise ValueError('late')\nBroken()"
    ),
}
