# SPDX-License-Identifier: GPL-2.0-only
"""The cost of each Python layer in an exchange, including PettingZoo's own wrappers.

Each layer is timed alone, which gives its cost above the layer below. A second run under cProfile
gives the share of each package. A profiled call takes longer, so only the shares are reported.
"""

from __future__ import annotations

import cProfile
import pstats
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.measuring.programs import EXCHANGE
from benchmarks.measuring.situations import Situation
from benchmarks.measuring.timing import Effort, Figures, Results, in_us, time_each
from defiance_zoo.wrappers.gymnasium import GymnasiumEnv

Turn = Callable[[], object]
PACKAGES = ("defiance_zoo", "gymnasium", "pettingzoo")
WAITING = ("read", "write", "poll", "converse")
"""Built-in functions in which Python waits for the simulation."""
WARM_UP = 200
SITUATION = Situation("local", "one core")
"""The situation in which waking costs least, so the other costs are visible."""


def episodes(arguments: dict[str, Any]) -> tuple[Turn, Turn]:
    """The episodes on which all environments are based."""
    played = EXCHANGE.episodes("sequential", **arguments)
    (agent,) = played.agents
    played.begin(1, None)

    def turn() -> None:
        played.decide(agent, 3)
        played.advance()

    return turn, played.close


def gymnasium_env(arguments: dict[str, Any]) -> tuple[Turn, Turn]:
    """The Gymnasium environment."""
    env = GymnasiumEnv(EXCHANGE, **arguments)
    env.reset(seed=1)
    return lambda: env.step(3), env.close


def aec(make: Callable[..., Any], arguments: dict[str, Any]) -> tuple[Turn, Turn]:
    """An AEC environment: a turn is `last()` and `step()`."""
    env = make(**arguments)
    env.reset(seed=1)

    def turn() -> None:
        env.last()
        env.step(3)

    return turn, env.close


def parallel(arguments: dict[str, Any]) -> tuple[Turn, Turn]:
    """The parallel environment."""
    env = EXCHANGE.parallel_env(**arguments)
    env.reset(seed=1)
    actions = dict.fromkeys(env.agents, 3)
    return lambda: env.step(actions), env.close


LAYERS: dict[str, Callable[[dict[str, Any]], tuple[Turn, Turn]]] = {
    "`Episodes`": episodes,
    "`GymnasiumEnv`": gymnasium_env,
    "`raw_env()`": lambda arguments: aec(EXCHANGE.raw_env, arguments),
    "`env()`, in PettingZoo's wrappers": lambda arguments: aec(EXCHANGE.env, arguments),
    "`parallel_env()`": parallel,
}


def shares(turn: Turn, turns: int) -> Figures:
    """Return the share of the turns' time that each package's own code takes."""
    profile = cProfile.Profile()
    profile.runcall(time_each, turn, turns)
    seconds = dict.fromkeys((*PACKAGES, "waiting", "other"), 0.0)
    for (file, _, function), (_, _, own, _, _) in pstats.Stats(profile).stats.items():  # type: ignore[attr-defined]
        seconds[_whose(file, function)] += own
    total = sum(seconds.values())
    return {f"{name}_share": own / total for name, own in seconds.items()}


def _whose(file: str, function: str) -> str:
    for package in PACKAGES:
        if package in Path(file).parts:
            return package
    names = function.removeprefix("<built-in method ").removesuffix(">").split(".")
    return "waiting" if names[-1] in WAITING else "other"


def measure(effort: Effort) -> Results:
    """Measure each layer."""
    results: Results = {}
    for name, open_layer in LAYERS.items():
        with SITUATION.placed():
            turn, close = open_layer({"duration": "3600s", **SITUATION.arguments})
            times = time_each(turn, effort.of(20_000, 200), warm_up=WARM_UP)
            results[name] = {**in_us(times), **shares(turn, effort.of(5000, 200))}
            close()
    return results
