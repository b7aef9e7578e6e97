# SPDX-License-Identifier: GPL-2.0-only
"""Control loops between nodes of one's own network: `control_loop()`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from numbers import Integral, Real
from typing import Any, Literal, NamedTuple, get_args, get_type_hints

from defiance_zoo.bridge.system.spelling import near_word, require_choice
from defiance_zoo.scenario.applications import Agent
from defiance_zoo.scenario.control.loops import run_loops
from defiance_zoo.scenario.control.plants import Plant, count_bytes, make_plant, reset_arguments
from defiance_zoo.scenario.events import Time
from defiance_zoo.scenario.network import Node, require_probability
from defiance_zoo.scenario.simulation import refuse

_LARGEST_DATAGRAM = 65_000
"""Bytes of an observation or action that fit into a datagram, with the rest of the message."""


class Options(NamedTuple):
    """The options of control loops.

    Attributes:
        tick: Time of a step of the plant; 0: it steps when the actions of its agents have arrived.
        over: Transport; `simple` needs no network, and has `delay` and `loss`.
        delay: One-way delay of messages over `simple`.
        loss: Share of messages that are lost over `simple`.
        compute: Time of a decision, or its mean.
        compute_times: Distribution of the time of a decision.
        workers: Decisions at the same time; others wait, at most one of each agent, the newest; 0:
            no decision waits for others.
        decide: Whether an agent decides when a newer observation arrives, or at each step.
        hold: Action of a step for which none has arrived: the last one, the neutral one, or the
            last one at most `repeats` more times.
        repeats: See `hold`.
        window: Number of observations that agents see.
        rewards: Whether rewards reach the agent at once, or with its observations.
        actions: Whether actions cross the network, or reach the actuator at once.
        send: Whether all observations are sent, those that an agent on the sensor's node chooses,
            with a number of bits (`precision`) or not, or those that an agent on the first agent's
            node asks for.
        byte_price: Price of a byte that is sent by choice.
        pictures: Whether infos have a picture of the plant.
        plant_infos: Whether infos have those of the plant's last step, as `plant_KEY`.
        start: Time at which connections are opened, a `tick` before the first step.
    """

    tick: Any = Time("20ms")
    over: Literal["simple", "udp", "tcp"] = "udp"
    delay: Any = Time(0)
    loss: float = 0.0
    compute: Any = Time(0)
    compute_times: Literal["constant", "exponential"] = "constant"
    workers: int = 0
    decide: Literal["arrival", "clock"] = "arrival"
    hold: Literal["hold", "zero", "repeat"] = "hold"
    repeats: int = 1
    window: int = 1
    rewards: Literal["direct", "messages"] = "direct"
    actions: Literal["messages", "direct"] = "messages"
    send: Literal["always", "sensor", "precision", "scheduler"] = "always"
    byte_price: float = 0.0
    pictures: bool = False
    plant_infos: bool = False
    start: Any = Time(0)


_TIMES = ("tick", "delay", "compute", "start")
_KINDS: dict[type, type] = {bool: bool, int: Integral, float: Real}
"""The values of an option of a type, NumPy's included."""


def control_loop(
    plant: str | Callable[..., Any],
    *,
    sensors: Node | Sequence[Node],
    agents: Node | Sequence[Node],
    actuators: Node | Sequence[Node] | None = None,
    seed: int,
    plant_arguments: Mapping[str, Any] | None = None,
    plant_options: Mapping[str, Any] | None = None,
    **options: Any,
) -> list[Agent]:
    """Let agents on their nodes control an environment of Gymnasium or PettingZoo.

    Args:
        plant: An id of Gymnasium, a function that makes an environment, or its `module:NAME`.
        sensors: Node of the sensor, one for all agents of the plant or one for each.
        agents: Node of the agent, likewise.
        actuators: Node of the actuator, likewise; None: the sensor's node.
        seed: Seed of the plant's episode.
        plant_arguments: Arguments of the plant.
        plant_options: Options of the plant's `reset()`.
        **options: See `Options`, such as `tick="50ms"`.

    Returns:
        The agents that control the plant, then the agents that decide what is sent.

    Raises:
        TypeError: An option is unknown.
        ValueError: An option has no allowed value, or the numbers of nodes and agents differ.
        Refusal: The plant cannot be imported or simulated.
    """
    read = _read_options(options)
    number: Any = seed  # may be NumPy's
    if not isinstance(number, Integral) or number < 0:
        raise ValueError(f"seed={seed!r} is not an integer from 0 on")
    made = make_plant(plant, plant_arguments or {}, read.pictures)
    require_possible([made], read)
    count = len(made.spaces)
    acting = sensors if actuators is None else actuators
    columns = [_spread(each, count) for each in (sensors, agents, acting)]
    reset = reset_arguments(seed, plant_options or {})
    return run_loops([(made, reset)], list(zip(*columns, strict=True)), read)


def require_possible(plants: Sequence[Plant], options: Any) -> None:
    """Refuse options that contradict each other, or the plants."""
    pairs = [pair for plant in plants for pair in plant.spaces]
    for what, spaces in zip(("observation", "action"), zip(*pairs, strict=True), strict=True):
        largest = max(map(count_bytes, spaces))
        if options.over == "udp" and largest > _LARGEST_DATAGRAM:
            refuse(f"an {what} of {largest} bytes does not fit into a datagram: use over=tcp")
    for seen, _ in pairs if options.send == "precision" else ():
        if type(seen).__name__ != "Box" or seen.dtype.kind != "f":
            refuse(f"send=precision needs a Box of floating-point numbers, not {seen!r}")
    follows_actions = options.tick == Time(0)
    if not follows_actions and any(plant.takes_turns for plant in plants):
        refuse("the agents of this plant act in turn: use tick=0s, steps when actions arrive")
    if not follows_actions:
        return
    if options.decide == "clock" or options.send != "always":
        refuse("a plant with tick=0s has no clock: it needs decide=arrival and send=always")
    if options.over == "udp" or (options.over == "simple" and options.loss):
        refuse(
            "a plant with tick=0s waits for each message, so that none may be lost: use over=tcp, "
            "or over=simple without loss"
        )


def _read_options(given: Mapping[str, Any]) -> Options:
    known = Options._fields
    for name, value in given.items():
        if name not in known:
            raise TypeError(f"control_loop() has no option {name!r}{near_word(name, known)}")
        kind = get_type_hints(Options)[name]
        choices = get_args(kind)
        if choices:
            require_choice(name, value, choices)
        if kind in _KINDS and (
            not isinstance(value, _KINDS[kind]) or isinstance(value, bool) != (kind is bool)
        ):
            raise ValueError(f"{name}={value!r} is not of type {kind.__name__}")
    times = {name: Time(value) for name, value in given.items() if name in _TIMES}
    options = Options(**{**given, **times})
    if options.over != "simple" and (options.delay > Time(0) or options.loss):
        raise ValueError(
            f"delay and loss need over='simple', not {options.over!r}: set them on the links"
        )
    require_probability("loss", options.loss)
    if not 0 <= options.byte_price < math.inf:
        raise ValueError(f"byte_price={options.byte_price!r} is not a price")
    lengths = [getattr(options, name) for name in _TIMES]
    counts = (options.workers, options.repeats, options.window - 1)
    if min(lengths) < Time(0) or min(counts) < 0:
        raise ValueError("times, workers and repeats are at least 0, and window is at least 1")
    return options


def _spread(nodes: Node | Sequence[Node], count: int) -> list[Node]:
    several = list(nodes) if isinstance(nodes, Sequence) else [nodes] * count
    if len(several) != count:
        raise ValueError(f"{len(several)} nodes were given for the {count} agents of the plant")
    return several
