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
    _check_distribution(type, made)
    return made


_POSITIVE = {
    "ns3::ErlangRandomVariable": ("K", "Lambda"),
    "ns3::GammaRandomVariable": ("Alpha", "Beta"),
    "ns3::LaplacianRandomVariable": ("Scale",),
    "ns3::LargestExtremeValueRandomVariable": ("Scale",),
    "ns3::NormalRandomVariable": ("Bound",),
    "ns3::ParetoRandomVariable": ("Scale", "Shape"),
    "ns3::WeibullRandomVariable": ("Scale", "Shape"),
    "ns3::ZipfRandomVariable": ("N",),
}
"""Attributes by class that must be greater than 0. ns-3 does not check them, and some other values
let it draw for ever, because it repeats draws that are beyond the bound."""
_NOT_NEGATIVE = {
    "ns3::ExponentialRandomVariable": ("Mean", "Bound"),
    "ns3::LaplacianRandomVariable": ("Bound",),
    "ns3::LogNormalRandomVariable": ("Sigma",),
    "ns3::NormalRandomVariable": ("Variance",),
    "ns3::ParetoRandomVariable": ("Bound",),
    "ns3::WeibullRandomVariable": ("Bound",),
    "ns3::ZipfRandomVariable": ("Alpha",),
}
"""Attributes by class that must not be negative; a bound of 0 stands for none."""


def _check_distribution(type: str, variable: core.RandomVariable) -> None:
    """Refuse values for which there is no distribution."""
    for name in _POSITIVE.get(type, ()):
        if variable[name] <= 0:
            raise ValueError(f"{name}={variable[name]!r} of {type} must be greater than 0")
    for name in _NOT_NEGATIVE.get(type, ()):
        if variable[name] < 0:
            raise ValueError(f"{name}={variable[name]!r} of {type} must be at least 0")
    if type == "ns3::UniformRandomVariable" and variable["Min"] > variable["Max"]:
        raise ValueError(f"Min={variable['Min']!r} is greater than Max={variable['Max']!r}")
    if type == "ns3::ParetoRandomVariable" and 0 < variable["Bound"] <= variable["Scale"]:
        raise ValueError(
            f"Bound={variable['Bound']!r} of {type} must be 0, or greater than the least number, "
            f"Scale={variable['Scale']!r}"
        )
    if type == "ns3::ZetaRandomVariable" and variable["Alpha"] <= 1:
        raise ValueError(f"Alpha={variable['Alpha']!r} of {type} must be greater than 1")
