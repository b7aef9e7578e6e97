# SPDX-License-Identifier: GPL-2.0-only
"""A rehearsal without a network, which finds errors in the use of this package at loading."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any

from defiance_zoo.scenario.code_uses import locate
from defiance_zoo.scenario.native import load
from defiance_zoo.scenario.replicas.binding import Binding
from defiance_zoo.scenario.replicas.replica import Replica
from defiance_zoo.scenario.replicas.stage import fail
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

    Args:
        binding: Binding of the protocol, which cannot be used afterwards.
        p: Default parameters.
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
        fail(f"{locate(process.submit)}{error}")


def _look(binding: Binding, processes: list[Replica]) -> list[Replica]:
    """Check all states, and return the processes that take requests."""
    native = load("_scripting_replicas")
    try:
        states = []
        for process in processes:
            state = process._snapshot()
            try:
                native.check_state(state, binding.fields, len(processes))
            except (TypeError, ValueError) as error:
                fail(f"{locate(process.state)}{error}")
            log = tuple(state.log)
            states.append(binding.make_view([process.id, True, False, log, *state.fields]))
        takers = binding.find_takers(tuple(states))
        group = binding.make_group(tuple(states), [], 0)
        binding.find_violations(group)
        if binding.get_healing_ticks is not None:
            binding.get_healing_ticks(group)
        return [processes[each - 1] for each in takers]
    except Exception:
        fail(traceback.format_exc())


def _crashes(step: Callable[[], Any]) -> bool:
    try:
        step()
    except Exception:
        return True
    return False
