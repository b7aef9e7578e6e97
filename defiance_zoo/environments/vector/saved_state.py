# SPDX-License-Identifier: GPL-2.0-only
"""Saving the state of a vector environment, and returning to it in another process.

Simulations are deterministic, so seeds and actions determine their state; loading plays the running
episodes again, side by side.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from defiance_zoo.bridge.simulation import RngState
from defiance_zoo.bridge.system.plain_values import plain_value
from defiance_zoo.environments.arguments import require_mapping
from defiance_zoo.environments.vector.engine import VectorEngine
from defiance_zoo.errors import ParameterError, ReplayDiverged, SimulationRefused


def save_state(engine: VectorEngine) -> dict[str, Any]:
    """Return the state of all simulations; see `VectorInterface.state_dict()`."""
    members, count = engine.members, len(engine.members.pool.episodes)
    if not members.resumable:
        raise ParameterError("only an environment made with resumable=True has a state")
    if members.states.waiting or len(members.states.begun) < count:
        raise ParameterError("an environment has a state after its first reset, and between steps")
    return {
        "simulations": [_state_of(engine, member) for member in range(count)],
        "failures": members.losses.count,
        "possible_agents": list(engine.form.rows.names),
    }


def _state_of(engine: VectorEngine, member: int) -> dict[str, Any]:
    members, rows = engine.members, engine.form.rows
    episodes = members.pool.episodes[member]
    rng, options = episodes.launcher.seeding.current, members.options[member]
    assert rng is not None  # an episode has begun
    if episodes.seeded:
        options = {**episodes.seeded, **(options or {})}
    return {
        "rng": (rng.seed, rng.run),
        "options": plain_value(options),
        "actions": [list(action) for action in members.played[member]],
        "ended": member in members.states.ended,
        "time_ns": int(rows.times[member]),
        "observation": rows.observation(member),
    }


def load_state(engine: VectorEngine, state: Mapping[str, Any]) -> None:
    """Return to a saved state; see `VectorInterface.load_state_dict()`."""
    members, rows = engine.members, engine.form.rows
    members.pool.require_open()
    state = require_mapping("state", state)
    saved: Sequence[dict[str, Any]] = state.get("simulations", ())
    count = len(members.pool.episodes)
    if len(saved) != count:
        raise ParameterError(
            f"the state holds {len(saved)} simulations, but this environment has {count}"
        )
    known = list(rows.names)
    rows.rename(state.get("possible_agents", known))
    members.states.clear()
    for member, each in enumerate(saved):
        engine.play_alone(member)
        rng = RngState(*each["rng"])
        members.pool.episodes[member].launcher.seeding.return_to(rng, again=not each["ended"])
    try:
        _play_again(engine, {m: each for m, each in enumerate(saved) if not each["ended"]})
    except BaseException:
        rows.rename(known)  # later episodes may have the agents of this environment
        raise
    finally:
        members.states.begun.clear()
    for member, each in enumerate(saved):
        members.played[member] = [list(action) for action in each["actions"]]
        members.options[member] = plain_value(each["options"])
        rows.times[member] = each["time_ns"]
        rows.see(member, each["observation"])
    members.states.stand({member: each["ended"] for member, each in enumerate(saved)})
    members.losses.count = state["failures"]


def _play_again(engine: VectorEngine, running: dict[int, dict[str, Any]]) -> None:
    """Play episodes to their saved decisions, side by side."""
    for member, each in running.items():
        engine.members.pool.episodes[member].launch(None, each["options"])
    for member in running:
        engine.begin(member, {})
    rounds = max((len(each["actions"]) for each in running.values()), default=0)
    for number in range(rounds):
        due = {m: each["actions"] for m, each in running.items() if number < len(each["actions"])}
        for member, actions in due.items():
            _repeat(engine, member, actions[number])
        for member in due:
            _take_again(engine, member)
    for member, each in running.items():
        _compare(engine, member, each)


def _repeat(engine: VectorEngine, member: int, action: list[bytes]) -> None:
    if not engine.members.decides(member):
        raise ReplayDiverged(f"simulation {member} ended before the decision that it had reached")
    engine.members.pool.episodes[member].submit(list(action))


def _take_again(engine: VectorEngine, member: int) -> None:
    try:
        received = engine.members.pool.episodes[member].collect()
    except SimulationRefused as error:
        raise ReplayDiverged(
            f"simulation {member} did not ask for the same actions as before: {error}"
        ) from error
    engine.write(member, received)
    engine.members.states.note_ended(member, over=received.over)


def _compare(engine: VectorEngine, member: int, saved: dict[str, Any]) -> None:
    from defiance_zoo.environments.testing import exact  # needed by few environments

    rows = engine.form.rows
    time_ns, observation = int(rows.times[member]), rows.observation(member)
    if time_ns != saved["time_ns"] or exact(observation) != exact(saved["observation"]):
        raise ReplayDiverged(
            f"after {len(saved['actions'])} decisions, simulation {member} is at {time_ns} ns "
            f"and observes {observation}; it was at {saved['time_ns']} ns and had observed "
            f"{saved['observation']}"
        )
