# SPDX-License-Identifier: GPL-2.0-only
"""Common fixtures of the tests: their programs, and the check for processes left behind."""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import os
import resource
import signal
import stat
import sys
import tempfile
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from kept_fork_servers import fork_servers_kept, idle_servers, release_kept

from defiance_zoo.bridge.simulation import Scenario
from defiance_zoo.environments import EnvironmentSpec, SimulationAECEnv, SimulationParallelEnv
from defiance_zoo.registration import ENTRIES

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = ROOT / "build" / "native" / "tests" / "scenarios"
TESTS = str(Path(__file__).parent)
"""The folder in which processes started by tests find shared modules."""

COUNT_SERVERS = tuple(
    ROOT / "tests" / each for each in ("bridge/process", "bridge/system", "test_benchmarks.py")
)
"""Tests of the life of fork servers, or of programs that count their processes."""
FAKE = Path(__file__).parent / "fakes" / "fake_simulation.py"

TRIAL = Scenario("trial", PROGRAMS / "trial")
PLAIN_MAIN = Scenario("plain_main", PROGRAMS / "plain_main", describes_itself=False)
GYM_STYLE = Scenario("gym_style", PROGRAMS / "gym_style", describes_itself=False)

STUCK_S = 120.0
"""The time for which a test that has failed by its timeout may clean up."""

THOROUGH_IN_FURTHER_MODES = {
    "test_pettingzoos_api_test_passes",
    "test_pettingzoos_seed_test_passes",
    "test_equal_seeds_give_equal_episodes",
    "test_rllibs_checker_passes",
    "test_gymnasiums_checker_passes",
    "test_sb3s_checker_passes",
    "test_restored_gymnasium_episodes_equal_uninterrupted_ones",
}
"""Checkers of `Conformance` that `make test-thorough` also runs in further modes of a class."""


# A shell starts background jobs with SIGINT ignored, and their children inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let `make durations` keep how long the tests take."""
    parser.addoption("--write-durations", action="store_true", help="write tests/durations.txt")


def pytest_configure(config: pytest.Config) -> None:
    """Write durations in the process that gets the reports of all workers."""
    from scheduling import DurationsWriter  # programs started by tests do not need it

    if config.getoption("--write-durations") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(DurationsWriter())


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Distribute whole files, in the order in which they were collected."""
    from scheduling import FilesTogether  # as above

    config.option.loadscopereorder = False
    return FilesTogether(config, log)


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Generator[None]:
    """Mark tests, and sort them.

    The inherited checkers of environments are long except in the first mode of a class, and
    some are also thorough. Thorough tests are long. Others are slow by `durations.txt`.
    """
    for item in items:
        if _is_of_a_further_mode(item):
            item.add_marker(pytest.mark.long)
            if item.name.partition("[")[0] in THOROUGH_IN_FURTHER_MODES:
                item.add_marker(pytest.mark.thorough)
        if item.get_closest_marker("thorough"):
            item.add_marker(pytest.mark.long)
    from scheduling import mark_slow, sort_by_duration  # as above

    mark_slow(items)
    yield  # others deselect
    sort_by_duration(items)


def _is_of_a_further_mode(item: pytest.Item) -> bool:
    """Return whether a `Conformance` test has other arguments than the first one of its class."""
    inherited = getattr(getattr(item, "cls", None), "further_modes_are_long", False)
    return inherited and item.callspec.indices.get("arguments", 0) > 0  # type: ignore[attr-defined]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """End the process if a test still runs `STUCK_S` after its time: its cleanup waits for ever.

    Then another worker takes the remaining tests, and the run names the one that was stuck.
    """
    marker = item.get_closest_marker("timeout")
    limit = marker.args[0] if marker else float(item.config.getini("timeout"))
    faulthandler.dump_traceback_later(limit + STUCK_S, exit=True)
    try:
        return (yield)
    finally:
        faulthandler.cancel_dump_traceback_later()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Exclude a module's imports from later garbage collections, which would traverse them all."""
    if nextitem is None or nextitem.path != item.path:
        gc.collect()
        gc.freeze()


def script(path: Path, text: str) -> Path:
    """Write an executable shell script."""
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


@pytest.fixture
def own_temporary_folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return the path of a temporary folder for this user with a name short enough for sockets."""
    with tempfile.TemporaryDirectory() as folder:
        monkeypatch.setattr(tempfile, "tempdir", folder)
        yield Path(folder)


@pytest.fixture
def fake(tmp_path: Path) -> Scenario:
    """A scenario that plays a script of protocol faults."""
    program = script(tmp_path / "fake", f'exec "{sys.executable}" "{FAKE}" "$@"')
    return Scenario("fake", program)


@pytest.fixture
def targets(monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of an environment with a task that is learned in seconds; see `targets.cc`."""
    spec = EnvironmentSpec("targets_v0", Scenario("targets", PROGRAMS / "targets"))
    monkeypatch.setitem(ENTRIES, spec.name, spec)
    return spec.name


@pytest.fixture(params=["zmq", "local", "spin"])
def link(request: pytest.FixtureRequest) -> str:
    """Each kind of link, and one that spins; tests of one link hold for the others."""
    kind: str = request.param
    return kind


def over(link: str) -> dict[str, Any]:
    """Return the arguments of an environment for a kind of link."""
    kinds = {
        "spin": {"spin_us": 50},
        "spread": {"affinity": "spread"},
        "shared": {"affinity": "shared"},
    }
    return {"link": "local", **kinds[link]} if link in kinds else {"link": link}


@pytest.fixture
def make_aec(link: str) -> Iterator[Callable[..., SimulationAECEnv]]:
    """Return a function that makes AEC environments, closed after the test."""
    yield from _factory(SimulationAECEnv, link)


@pytest.fixture
def make_parallel(link: str) -> Iterator[Callable[..., SimulationParallelEnv]]:
    """Return a function that makes parallel environments, closed after the test."""
    yield from _factory(SimulationParallelEnv, link)


def _factory(kind: type, link: str) -> Iterator[Callable[..., Any]]:
    made: list[Any] = []

    def make(scenario: Scenario = TRIAL, **arguments: Any) -> Any:
        if arguments.get("launch") != "attach" and "endpoint" not in arguments:
            arguments = {**over(link), **arguments}
        env = kind(scenario, **arguments)
        made.append(env)
        return env

    yield make
    for env in made:
        env.close()


@pytest.fixture(scope="session", autouse=True)
def state_home(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Keep the package's user files out of the home folder of the person who runs the tests."""
    os.environ["XDG_STATE_HOME"] = str(tmp_path_factory.mktemp("state"))


@pytest.fixture(scope="module")
def local_ray() -> Iterator[None]:
    """A Ray instance for the tests of a file; those of other files may start Ray themselves."""
    import ray  # most tests do not need Ray

    ray.init("local", num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


@pytest.fixture
def make_rllib_trainer(local_ray: None) -> Iterator[Callable[..., Any]]:
    """Return a function that makes RLlib trainers, closed after the test."""
    from defiance_zoo.experiments.training.rllib.trainer import RLlibTrainer

    made: list[RLlibTrainer] = []

    def make(config: Any) -> RLlibTrainer:
        made.append(RLlibTrainer(config))
        return made[-1]

    yield make
    for trainer in made:
        trainer.close()


@pytest.fixture(scope="module", autouse=True)
def kept_fork_servers(request: pytest.FixtureRequest) -> Iterator[None]:
    """Let the environments of a file share fork servers, unless it counts them."""
    if any(request.path.is_relative_to(each) for each in COUNT_SERVERS):
        yield
    else:
        with fork_servers_kept():
            yield


def simulations() -> list[psutil.Process]:
    """Return the simulations that this process started, zombies included."""
    spawned = [child for child in _children(os.getpid()) if _was_given(child, "DEFIANCE_TOKEN")]
    return spawned + [child for server in _fork_servers() for child in _children(server.pid)]


def fork_servers() -> list[psutil.Process]:
    """Return the fork servers that this process started, after the end of those only kept."""
    release_kept()
    return _fork_servers()


def _fork_servers() -> list[psutil.Process]:
    return [
        child
        for child in _children(os.getpid())
        if _was_given(child, "DEFIANCE_FORK_SERVER", zombie=False)
    ]


def _was_given(process: psutil.Process, variable: str, *, zombie: bool = True) -> bool:
    """Return whether a process has an environment variable; `zombie` is the answer for a dead one.

    A process that ended meanwhile has none.
    """
    try:
        if process.status() == psutil.STATUS_ZOMBIE:
            return zombie
        return variable in process.environ()
    except psutil.ZombieProcess:
        return zombie
    except psutil.NoSuchProcess:
        return False


def _children(parent: int) -> list[psutil.Process]:
    """Return the children of a process, none if the process ended meanwhile.

    Linux lists them. `psutil` would read the state of every process of the machine, for each test.
    """
    children = []
    for listed in Path("/proc").glob(f"{parent}/task/*/children"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            for child in listed.read_text().split():
                with contextlib.suppress(psutil.NoSuchProcess):
                    children.append(psutil.Process(int(child)))
    return children


def resources() -> dict[str, int]:
    """Count the resources that an environment could leave behind."""
    gc.collect()
    release_kept()
    return {
        "processes": len(simulations()) + len(fork_servers()),
        "descriptors": sum(1 for _ in Path("/proc/self/fd").iterdir()),
        "threads": psutil.Process().num_threads(),
    }


@contextlib.contextmanager
def descriptors_left(count: int) -> Iterator[None]:
    """Allow this process to open that many further descriptors."""
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    highest = max(int(each.name) for each in Path("/proc/self/fd").iterdir())
    resource.setrlimit(resource.RLIMIT_NOFILE, (highest + 1 + count, limits[1]))
    held = []
    try:
        with contextlib.suppress(OSError):
            while True:
                held.append(os.eventfd(0))
        for descriptor in held[:count]:
            os.close(descriptor)
        del held[:count]
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
        for descriptor in held:
            os.close(descriptor)


@pytest.fixture(autouse=True)
def nothing_left_behind() -> Iterator[None]:
    """Fail a test whose environments left a process behind, and no later one for the same."""
    yield
    if not _children(os.getpid()):
        return
    if _left_behind():
        gc.collect()
    if simulations():  # what its last environment did not end, a server ends with itself
        release_kept()
    left = {str(process): process for process in _left_behind()}
    for process in left.values():
        with contextlib.suppress(psutil.Error):
            process.kill()
            process.wait(5)
    assert [*left] == []


def _left_behind() -> list[psutil.Process]:
    """Return simulations and the fork servers that environments use."""
    idle = idle_servers()
    return simulations() + [server for server in _fork_servers() if server.pid not in idle]
