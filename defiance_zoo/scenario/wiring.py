# SPDX-License-Identifier: GPL-2.0-only
"""Checks of an episode's connections: whether agents can decide, act and get rewards."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from defiance_zoo.bridge.system.caller_warnings import find_caller
from defiance_zoo.scenario.code_uses import CodeUses, locate, returns_nothing
from defiance_zoo.scenario.native import PACKAGE, core

_VARIADIC, _GENERATOR, _COROUTINE = 0x04, 0x20, 0x80
"""Flags of functions with `*arguments` and of `async` ones, as in `inspect`, a slow import."""


class DeadWiring(Exception):
    """An agent can never decide; the message names it, and the missing call."""


class Part:
    """The connections of an application in Python."""

    def __init__(self, place: str) -> None:
        self.functions: dict[str, Callable[..., Any]] = {}
        self.peers: list[Any] = []
        self.place = place


class _Episode:
    """The applications of the episode that is being built."""

    agents: list[Any] = []  # noqa: RUF012 (the only instance is the class)
    parts: list[Any] = []  # noqa: RUF012 (likewise)
    intervals: list[str] = []  # noqa: RUF012 (likewise)
    duration: Any = None
    is_built = True


def begin(duration: Any = None) -> None:
    """Begin an episode before anything is built; its length is a `Time`, if it is known."""
    _Episode.agents, _Episode.parts = [], []
    _Episode.intervals, _Episode.duration = [], duration
    _Episode.is_built = False


def end() -> None:
    """Release the applications, and stop noting connections."""
    _Episode.agents, _Episode.parts = [], []
    _Episode.is_built = True


def is_being_built() -> bool:
    """Return whether the function of the episode runs."""
    return not _Episode.is_built


def make_part() -> Part:
    """Return the part of the application that the scenario is creating."""
    return Part(_find_place())


def _find_place() -> str:
    """Return the line of the scenario that is running, as in a traceback."""
    _, frame = find_caller(PACKAGE)
    code = frame.f_code
    return f'  File "{code.co_filename}", line {frame.f_lineno}, in {code.co_name}\n'


def find_module_file() -> str:
    """Return the file of the module that is being loaded, or of the scenario's code."""
    _, frame = find_caller(PACKAGE)
    while frame.f_back is not None and frame.f_code.co_name != "<module>":
        frame = frame.f_back
    return frame.f_code.co_filename


def require_parameters(
    function: Callable[..., Any],
    decorator: str,
    *names: str,
    yields: bool = False,
    awaits: bool = False,
) -> None:
    """Refuse a function that cannot be called with the decorator's arguments.

    Callables other than Python functions are not checked. `yields`: whether it may be a generator;
    `awaits`: whether it is a coroutine function.
    """
    code = getattr(function, "__code__", None)
    if code is None:
        return
    written = f"{'async ' if awaits else ''}def {code.co_name}({', '.join(names)})"
    if code.co_flags & _COROUTINE and not awaits:
        raise TypeError(
            f"{code.co_name}() is async, and {decorator} would not await it: write {written}\n"
            f"{locate(function)}"
        )
    if code.co_flags & _GENERATOR and not yields:
        raise TypeError(
            f"{code.co_name}() yields, and {decorator} would run no line of it: return\n"
            f"{locate(function)}"
        )
    if code.co_flags & _VARIADIC:
        return
    bound = getattr(function, "__self__", None) is not None
    most = code.co_argcount - bound
    least = most - len(function.__defaults__ or ())
    if not least <= len(names) <= most or code.co_kwonlyargcount > len(
        function.__kwdefaults__ or ()
    ):
        raise TypeError(
            f"{code.co_name}() cannot be called by {decorator}: write {written}\n{locate(function)}"
        )


def note_interval(what: str, interval: Any, name: str = "") -> None:
    """Note an interval without a unit that an episode does not reach; `name`: of a delay."""
    last = _Episode.duration
    if _Episode.is_built or not last or not isinstance(interval, int | float):
        return
    if core.Time(interval) > last or (name and core.Time(interval) == last):
        given = f"{name}={interval!r}" if name else repr(interval)
        _Episode.intervals.append(
            f"{_find_place()}{what}({given}) is {interval:g} s, which the episode of "
            f'{last.seconds:g} s never reaches: give it a unit, such as "{interval:g}ms"'
        )


def note_agent(agent: Any) -> None:
    """Note an agent on a node of the episode."""
    if not _Episode.is_built:
        _Episode.agents.append(agent)


def note_part(part: Any) -> None:
    """Note an application of the episode that observes, rewards or acts, if it is on a node."""
    if not _Episode.is_built and part.node is not None:
        _Episode.parts.append(part)


def note_connection(one: Any, other: Any) -> None:
    """Note that two applications are connected."""
    if not _Episode.is_built:
        for each, peer in ((one, other), (other, one)):
            if isinstance(wiring := getattr(each, "wiring", None), Part):
                wiring.peers.append(peer)


def check() -> list[str]:
    """Check the agents of the episode, after all connections were made.

    The warnings are about agents that can never act or get rewards, and about applications without
    an agent.
    """
    warnings = [*_Episode.intervals, *_find_unconnected(), *_find_inactive()]
    for agent in _Episode.agents:
        if _is_controller(agent):
            continue
        if fault := _find_idleness(agent):
            raise DeadWiring(f"{agent.wiring.place}agent_{agent.number} can never decide: {fault}")
        lacks = [fault for find in (_find_idle_actions, _find_no_income) if (fault := find(agent))]
        warnings += [f"{agent.wiring.place}agent_{agent.number} {each}" for each in lacks]
    return warnings


def _is_controller(agent: Any) -> bool:
    """Return whether `control_loop()` made an agent, whose functions are tested."""
    codes = [getattr(each, "__code__", None) for each in agent.wiring.functions.values()]
    return any(code is not None and code.co_filename.startswith(PACKAGE) for code in codes)


_CALLS = {
    "Observation": "sc.connect(observation, agent)",
    "Reward": "sc.connect(reward, agent)",
    "Action": "sc.connect(agent, action)",
}
"""The connections of applications with an agent."""


def _find_unconnected() -> list[str]:
    """Return warnings about applications that will never be connected with an agent."""
    alone = [part for part in _Episode.parts if not part.wiring.peers]
    if not alone or CodeUses.of_scenario().may_connect_later:
        return []
    return [
        f"{part.wiring.place}this {kind} is not connected with an agent: {call}"
        for part in alone
        for kind, call in _CALLS.items()
        if core.is_a(part, f"ns3::{kind}Application")
    ]


def _find_inactive() -> list[str]:
    """Return warnings about actions that never have an effect."""
    connected = [part for part in _Episode.parts if part.wiring.peers]
    actions = [part for part in connected if core.is_a(part, "ns3::ActionApplication")]
    inactive = [part for part in actions if not part.wiring.functions]
    if not inactive or CodeUses.of_scenario().calls("execute"):
        return []
    return [
        f"{part.wiring.place}this Action does nothing: decorate a function with @action.on_action"
        for part in inactive
    ]


def _find_idleness(agent: Any) -> str:
    """Return the reason why an agent can never decide, with the remedy; empty if it can."""
    functions, observers = agent.wiring.functions, _peers(agent, "Observation")
    steps = agent["StepInterval"] > core.Time(0)
    observe = functions.get("observe")
    if steps and observe is not None and not returns_nothing(observe):
        return ""
    if observers and (steps or "observation" not in functions):
        return _find_silence(observers, "observation")
    used = CodeUses.of_scenario()
    if used.calls("decide", "request") or used.may_connect_later:
        return ""
    if "message" in functions and _peers(agent, "Agent"):
        return ""  # an observation function may forward messages
    if steps and used.sets("observation"):
        return ""
    if steps and observe is not None:
        return f"observe() returns nothing: return the observation\n{locate(observe)}"
    if observers:
        return "on_observation() takes its observations, but nothing calls agent.decide()"
    if steps:
        return (
            "it has a StepInterval, but no observation: decorate a function with @agent.observe, "
            "or connect an Observation, as by sc.connect(observation, agent)"
        )
    return (
        "it has no observation: connect one, as by sc.connect(observation, agent), or give it a "
        'StepInterval="10ms" and a function decorated with @agent.observe'
    )


def _find_silence(senders: list[Any], kind: str) -> str:
    """Return the reason why connected observations or rewards never arrive; empty if they can."""
    for each in senders:
        sample = each.wiring.functions.get("sample") if hasattr(each, "wiring") else None
        if not hasattr(each, "wiring") or (sample is not None and not returns_nothing(sample)):
            return ""
    if CodeUses.of_scenario().calls("send"):
        return ""
    for each in senders:
        if sample := each.wiring.functions.get("sample"):
            return f"its {kind} returns nothing: return the value to send\n{locate(sample)}"
    return (
        f"its {kind} never sends: decorate a function with @{kind}.every(interval), or call "
        f"{kind}.send(value)\n{senders[0].wiring.place}"
    )


def _find_idle_actions(agent: Any) -> str:
    """Return the missing connection for an agent's actions; empty if none is missing."""
    functions = agent.wiring.functions
    if "action" in functions or _peers(agent, "Action") or "message" in functions:
        return ""
    used = CodeUses.of_scenario()
    if used.calls("request", "send_action") or used.has_text("Action"):
        return ""
    has_actions = any(core.is_a(part, "ns3::ActionApplication") for part in _Episode.parts)
    if used.calls("on_action") and not has_actions:  # of an agent, at run time
        return ""
    if used.may_connect_later:
        return ""
    return (
        "acts on nothing: connect an Action, as by sc.connect(agent, action), or decorate a "
        "function with @agent.on_action"
    )


def _find_no_income(agent: Any) -> str:
    """Return the missing connection for an agent's rewards; empty if none is missing."""
    functions = agent.wiring.functions
    rewards = _peers(agent, "Reward")
    silence = _find_silence(rewards, "reward") if rewards else ""
    if not silence and (rewards or "info" in functions or "message" in functions):
        return ""
    used = CodeUses.of_scenario()
    if used.sets("reward") or used.may_connect_later:
        return ""
    if silence:
        return f"never earns a reward: {silence}"
    return (
        "never earns a reward: connect a Reward, as by sc.connect(reward, agent), set "
        "agent.reward, or report with @agent.info the values from which a wrapper computes rewards"
    )


def _peers(agent: Any, kind: str) -> list[Any]:
    """Return the applications of a kind that an agent is connected with."""
    return [peer for peer in agent.wiring.peers if core.is_a(peer, f"ns3::{kind}Application")]
