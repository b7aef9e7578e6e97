# SPDX-License-Identifier: GPL-2.0-only
"""Simulated time: the clock, events, and random numbers of ns-3's streams."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from defiance_zoo.scenario import wiring
from defiance_zoo.scenario.native import core

F = TypeVar("F", bound=Callable[..., Any])

Time = core.Time
DataRate = core.DataRate


def now() -> Time:
    """Return the simulated time, a `Time`; `now().seconds` is a float."""
    return core.now()


def note_event(kind: str, text: str = "", *, agent: str = "") -> None:
    """Add an event at this instant to the recording of the episode, if there is one.

    Args:
        kind: The event in a word, such as "handover".
        text: Further text.
        agent: Name of the affected agent or application.
    """
    core.note_event(str(kind), str(text), str(agent))


def after(delay: Any, function: Callable[[], Any]) -> core.Event:
    """Call a function once, after a delay.

    Args:
        delay: A time, such as "10ms" or 0.01.
        function: The function, which takes no arguments.

    Returns:
        The event: `cancel()` cancels it, `pending` states whether it will still occur.
    """
    wiring.note_interval("after", delay)
    return core.schedule(delay, 0, function)


def at(time: Any, function: Callable[[], Any]) -> core.Event:
    """Call a function once, at a simulated time; see `after`.

    Raises:
        ValueError: The time is in the past.
    """
    return core.schedule(core.Time(time) - core.now(), 0, function)


def every(interval: Any, *, first: Any = None) -> Callable[[F], F]:
    """Decorate a function that is called at an interval, until the end of the episode.

    Args:
        interval: A time, such as "100ms".
        first: Time until the first call; by default the interval.

    Raises:
        ValueError: The interval is not positive.
    """
    if core.Time(interval) <= core.Time(0):
        raise ValueError(f"every({interval!r}) would never end")
    wiring.note_interval("every", interval)

    def decorate(function: F) -> F:
        core.schedule(interval if first is None else first, interval, function)
        return function

    return decorate


def stop() -> None:
    """End the episode now: agents that have not ended are truncated.

    Raises:
        RuntimeError: The episode has not begun: the function of the episode builds it.
    """
    if wiring.is_being_built():
        raise RuntimeError(
            "sc.stop() in the function of the episode would end the episode before it begins: call "
            'it in an event, as by sc.at("1s", sc.stop), or refuse parameters by sc.refuse()'
        )
    core.end_episode()
    core.stop()


def random_variable(
    type: str = "ns3::UniformRandomVariable", **attributes: Any
) -> core.RandomVariable:
    """Return a stream of random numbers, determined by the seed of the episode.

    Args:
        type: Name of its class.
        **attributes: Its attributes, such as `Min=0, Max=10`.

    Returns:
        A function that returns the next number, a float; its `integer()` returns an int.

    Raises:
        TypeError: The class is not a class of random numbers.
        ValueError: There is no such distribution, such as a normal one with a variance below 0.
    """
    made = core.create(type, **attributes)
    if not isinstance(made, core.RandomVariable):
        raise TypeError(
            f"{type} is not a class of random numbers, such as ns3::UniformRandomVariable"
        )
    return made
