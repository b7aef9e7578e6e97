# SPDX-License-Identifier: GPL-2.0-only
"""The scenario of a protocol in Python: its parameters, and a rehearsal at loading."""

from __future__ import annotations

import gc
import os
import sys
import traceback
from collections.abc import Callable
from typing import Any

from defiance_zoo.bridge.system.spelling import snake_case
from defiance_zoo.scenario import simulation
from defiance_zoo.scenario.code_uses import locate
from defiance_zoo.scenario.native import core, load
from defiance_zoo.scenario.replicas.binding import Binding
from defiance_zoo.scenario.replicas.checks import check_protocol
from defiance_zoo.scenario.replicas.files import FAULTS
from defiance_zoo.scenario.replicas.machine import DRIFT, JUMPS
from defiance_zoo.scenario.replicas.protocol import Protocol
from defiance_zoo.scenario.replicas.replica import Replica
from defiance_zoo.scenario.replicas.shared_modules import watch_modules
from defiance_zoo.scenario.replicas.stage import begin_play, fail
from defiance_zoo.scenario.replicas.virtual_library import is_patched
from defiance_zoo.scenario.simulation import Parameters

_REPLICAS = 3
_TICKS = 3


class _Port:
    """Takes the messages of a process, and delivers none."""

    def __init__(self, messages: list[tuple[int, int, bytes]], id: int) -> None:
        self._messages = messages
        self._id = id

    def send(self, to: int, data: bytes) -> None:
        self._messages.append((self._id, to, data))

    def note(self, kind: int, at: int, value: int) -> None:
        """Ignore an event."""

    def answer(self, request: int, value: int) -> None:
        """Ignore an answer."""


def rehearse(binding: Binding, p: Parameters) -> None:
    """Run three replicas for three ticks, and check the results of their methods.

    Exceptions of replicas, which are crashes, are ignored. Other errors end the process.

    The binding cannot be used afterwards.
    """
    binding.p = p
    messages: list[tuple[int, int, bytes]] = []
    try:
        processes = [
            binding.make_process(_Port(messages, id), id, _REPLICAS, "", False, binding.make_disk())
            for id in range(1, _REPLICAS + 1)
        ]
    except Exception:
        fail(traceback.format_exc())
    _look(binding, processes)
    if any(_crashes(lambda each=each: each.recover(each.disk)) for each in processes):  # type: ignore[misc]
        return
    for _ in range(_TICKS):
        if _crashes(lambda: _tick(processes, messages)):
            return
        takers = _look(binding, processes)
        if any(_crashes(lambda each=each: _submit(each)) for each in takers):  # type: ignore[misc]
            return


def _tick(processes: list[Replica], messages: list[tuple[int, int, bytes]]) -> None:
    for sender, to, data in messages[:]:
        processes[to - 1].message(sender, data)
    del messages[:]
    for process in processes:
        process.tick(0.0)


def _submit(process: Replica) -> None:
    answer = process.submit(1)
    try:
        load("_scripting_replicas").check_answer(answer)
    except TypeError as error:
        fail(f"{locate(type(process).submit)}{error}")


def _look(binding: Binding, processes: list[Replica]) -> list[Replica]:
    """Check all states, and return the processes that take requests."""
    native = load("_scripting_replicas")
    try:
        states = []
        for process in processes:
            state = process._snapshot()
            try:
                native.check_state(state, binding.fields, len(processes))
            except (TypeError, ValueError, RecursionError) as error:
                fail(f"{locate(type(process).state)}{error}")
            log = tuple(state.log)
            states.append(binding.make_view([process.id, True, False, log, *state.fields]))
        takers = binding.find_takers(tuple(states))
        group = binding.make_group(tuple(states), [], 0)
        binding.find_violations(group)
        for read in (binding.get_healing_ticks, binding.get_progress, binding.is_done):
            if read is not None:
                read(group)
        return [processes[each - 1] for each in takers]
    except (Exception, SystemExit):
        fail(traceback.format_exc())


def _crashes(step: Callable[[], Any]) -> bool:
    try:
        step()
    except (Exception, SystemExit):
        return True
    return False


class Simulation(simulation.Simulation):
    """A test of a protocol; a file has one.

    It has the parameters of `partition_v0` that do not depend on the protocol, and those of
    `parameter()` and `clock_drift`; protocol and replicas have them as `p`. If code was patched, it
    also has `clock_jump`, and the faults of disks: `disk_unsynced`, `disk_errors`, `disk_size` and
    `disk_delay`.
    """

    def __init__(self, protocol: type[Protocol], name: str | None = None) -> None:
        """Declare the test of a protocol.

        Args:
            protocol: Class of the protocol.
            name: Name of the scenario; None: the name of the class, in lower_snake_case.

        Raises:
            TypeError: An attribute or method of the class is missing, or has another type.
            ValueError: Fields, painter or traffic of the class are invalid.
        """
        check_protocol(protocol)
        super().__init__(name or snake_case(protocol.__name__))
        self._binding = Binding(self.name, protocol)
        faults = {**DRIFT, **(JUMPS | FAULTS if is_patched() else {})}
        for each, (default, bounds) in faults.items():
            self.parameter(each, default, **bounds)

    def _declared(self) -> Any:
        run = core.Simulation(self.name)
        defaults = {name: each["value"] for name, each in self._parameters.items()}
        if "--describe" in sys.argv:  # in a process without an episode
            output = os.dup(1)  # for the description: what code prints goes to standard error
            os.dup2(2, 1)
            sys.setprofile(watch_modules)
            rehearse(Binding(self.name, self._binding.protocol), simulation.Parameters(defaults))
            sys.setprofile(None)
            os.dup2(output, 1)
            if len(os.listdir("/proc/self/task")) > 1:  # noqa: PTH208 (fast to import)
                fail(
                    "the code of the replicas starts a thread outside of Python, in a library in C "
                    "or Rust, for example: its clock, sockets and files would be real"
                )
        self._declare_parameters(run)
        run.deploy_environment(load("_scripting_replicas").environment(self._binding))
        run.add_warm_up(simulation.freeze)
        return run

    def _play(self, run: Any, values: dict[str, Any]) -> int:
        begin_play()
        gc.freeze()
        gc.disable()  # the moments of its own would depend on the process: see `find_violations()`
        self._binding.p = simulation.Parameters(values)
        return int(run.run_deployed())
