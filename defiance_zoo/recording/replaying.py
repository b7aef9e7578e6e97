# SPDX-License-Identifier: GPL-2.0-only
"""Environments of recordings, and episodes that are played again."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from defiance_zoo.bridge.simulation import Round
from defiance_zoo.bridge.system.plain_values import require_type, to_plain
from defiance_zoo.environments.arguments import RESERVED, prefer_local_link
from defiance_zoo.environments.episodes.episodes import Episodes
from defiance_zoo.environments.registry import NETWORKED, EnvironmentSpec, lookup
from defiance_zoo.errors import (
    InvalidAction,
    InvalidRecording,
    MissingUnitWarning,
    OtherVersion,
    ReplayDiverged,
    SimulationError,
)
from defiance_zoo.recording.recorder import CAPTURE
from defiance_zoo.recording.recording import RecordedRound, RecordedStep, Recording, from_plain
from defiance_zoo.registration import registered

_COMMUNICATION = "communication/"
"""Prefix of the infos that `communication_infos=True` adds."""

_BEFORE = {"crash_point": "start"}
"""Behaviour before a parameter existed: its value for recordings that lack the parameter."""


def open_recorded(
    recording: Recording, spec: EnvironmentSpec | None = None, **options: Any
) -> Episodes:
    """Return episodes with the environment and the parameters of a recording.

    Args:
        recording: The recording.
        spec: Specification of the environment; None: the registered one with the recorded name.
        **options: Further arguments of the environment, such as `output`.

    Raises:
        OtherVersion: The environment is registered only in another version.
        InvalidRecording: The recording is of another environment, has arguments that start
            simulations, or was made in real time, which does not repeat.
        UnknownEnvironment: The environment is not registered.
        ParameterError: The environment does not have these parameters.
        ScenarioNotFound: The environment's program is missing.
    """
    require_type("recording", recording, Recording)
    require_type("spec", spec, EnvironmentSpec, optional=True)
    found = spec or find_environment(recording.environment)
    if found.scenario.name != recording.environment:
        raise _other(recording.environment, [found.scenario.name])
    if is_in_real_time(recording):
        raise InvalidRecording(
            f"the episode was recorded in real time: {recording.environment} cannot repeat it"
        )
    # The author of a file must not determine where another user's programs write.
    wrong = sorted((RESERVED | {CAPTURE}) & recording.parameters.keys())
    if wrong:
        raise InvalidRecording(f"{wrong[0]!r} is not a parameter of a recorded episode")
    # Recorded values are compared, even if they are out of bounds.
    declared = found.scenario.declaration(recording.parameters)
    before = {k: v for k, v in _BEFORE.items() if declared is not None and k in declared.parameters}
    beside = {**before, **_counted(recording), "check_bounds": "never"}
    with warnings.catch_warnings():  # drawn values have no units
        warnings.simplefilter("ignore", MissingUnitWarning)
        return found.episodes(
            recording.interface,
            max_cycles=recording.max_cycles,
            **prefer_local_link({**beside, **recording.parameters, **options}),
        )


def is_in_real_time(recording: Recording) -> bool:
    """Return whether the simulation ran in real time, as with real programs."""
    return any("realtime/lag" in info for _, _, info in recording.infos())


def _counted(recording: Recording) -> dict[str, bool]:
    """Return the arguments for infos about traffic, if the recording has such infos."""
    keys = (key for _, _, info in recording.infos() for key in info)
    is_counted = any(key.startswith(_COMMUNICATION) for key in keys)
    return {"communication_infos": True} if is_counted else {}


def find_environment(name: str) -> EnvironmentSpec:
    """Return a registered environment, without imports that a file names.

    A recording names the scenario, which may be registered under another name.
    """
    if name in registered() and lookup(name).scenario.name == name:
        return lookup(name)
    playing = [each for each in registered() if lookup(each).scenario.name == name]
    if len(playing) > 1:
        raise InvalidRecording(
            f"the episode was recorded in {name}, which is registered as {' and as '.join(playing)}"
            ": select one by --env NAME, or by spec= in Python"
        )
    if not playing:
        raise _other(name, [each for each in registered() if _stem(each) == _stem(name)])
    return lookup(playing[0])


def _other(name: str, there: list[str]) -> InvalidRecording:
    if name.startswith(NETWORKED):
        return InvalidRecording(
            f"the episode was recorded in {name}, and replaying it imports its plant: allow this "
            f"by --env {name}, or by spec= in Python"
        )
    if there and {_stem(each) for each in there} == {_stem(name)}:
        return OtherVersion(
            f"the episode was recorded in {name}, but here is {' and '.join(there)}"
        )
    instead = (
        f"not {there[0]}"
        if there
        else f"which is not among {registered()}; if it is your own, name its Python file, --env "
        f"FILE.py, or the module that registers it, --env module:{name.rpartition(':')[2]}, or "
        "give spec= in Python"
    )
    return InvalidRecording(f"the episode was recorded in {name}, {instead}")


def _stem(name: str) -> str:
    return name.rpartition("_v")[0]


_SHOWN = 100  # characters of a value in a message
_NUMBERS = (np.ndarray, np.generic, int, float)


def note_round(received: Round, actions: Mapping[str, Any]) -> RecordedRound:
    """Return a round in the form of a recording."""
    asked = {
        each.agent: RecordedStep(each.reward, to_plain(each.info), observation=each.observation)
        for each in received.steps
    }
    ended = {
        each.agent: RecordedStep(
            each.reward, to_plain(each.info), each.terminated, each.observation
        )
        for each in received.ended
    }
    return RecordedRound(received.time_ns, asked, ended, actions)


def replay(recording: Recording, player: Episodes) -> None:
    """Play an episode again, and compare spaces, observations, times, rewards, infos and ends.

    Args:
        recording: The episode.
        player: Episodes of the same environment and parameters.

    Raises:
        ReplayDiverged: Something differs; the message names the first difference and its step.
        InvalidRecording: An action is not in its agent's space, or is forbidden.
    """
    played = _play(recording, player)
    for number, expected in enumerate(recording.rounds):
        try:
            found = next(played)
        except SimulationError as error:
            failed = "the message of the simulation"
            raise _diverged(recording, number, failed, "there", str(error)) from error
        _compare(recording, number, expected, found)
        _compare_spaces(recording, number, expected, player)
    if recording.outcome == "failed":
        _require_failure(recording, played)


def _require_failure(recording: Recording, played: Iterator[RecordedRound]) -> None:
    last = len(recording.rounds)
    try:
        next(played, None)
    except SimulationError:
        return
    raise _diverged(recording, last, "the simulation", "lost", "going on")


def _play(recording: Recording, player: Episodes) -> Iterator[RecordedRound]:
    """Yield each round of a replayed episode, and the round after the last action."""
    received = player.repeat(recording.rng)
    for number, each in enumerate(recording.rounds):
        yield note_round(received, each.actions)
        if not each.actions:
            return
        decide(player, each.actions, number)
        received = player.advance()
    yield note_round(received, {})


def decide(player: Episodes, actions: Mapping[str, Any], number: int) -> None:
    """Let the agents of a round take the recorded actions; refuse forbidden actions."""
    for agent, action in actions.items():
        try:
            player.decide(agent, from_plain(player.agents[agent].action_space, action))
        except (InvalidAction, KeyError, ValueError, IndexError, TypeError) as error:
            reason = f"there is no {agent}" if isinstance(error, KeyError) else str(error)
            raise InvalidRecording(f"round {number} cannot be played: {reason}") from error


def _compare(
    recording: Recording, number: int, expected: RecordedRound, found: RecordedRound
) -> None:
    """Compare two rounds."""
    for what, here, there in _facts(expected, found):
        if not equal_values(here, there):
            raise _diverged(recording, number, what, here, there)


def _compare_spaces(
    recording: Recording, number: int, expected: RecordedRound, player: Episodes
) -> None:
    """Compare the spaces of the agents of a round."""
    for agent, _ in expected.messages:
        if agent in recording.spaces:
            found = player.agents[agent]
            there = (found.observation_space, found.action_space)
            for kind, known, again in zip(
                ("observation", "action"), recording.spaces[agent], there, strict=True
            ):
                if known != again:
                    raise _diverged(recording, number, f"the {kind} space of {agent}", known, again)


def equal_values(one: Any, other: Any) -> bool:
    """Return whether two values of a space, or two facts, are equal; NaN equals NaN."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(equal_values(one[k], other[k]) for k in one)
    if isinstance(one, tuple | list) and isinstance(other, tuple | list):
        return len(one) == len(other) and all(map(equal_values, one, other))
    if isinstance(one, _NUMBERS) and isinstance(other, _NUMBERS):
        return np.array_equal(one, other, equal_nan=True)
    return bool(one == other)


def _facts(expected: RecordedRound, found: RecordedRound) -> Iterator[tuple[str, Any, Any]]:
    """Yield pairs of recorded and replayed values."""
    yield "the list of agents that decide", [*expected.asked], [*found.asked]
    yield "the list of agents that end", [*expected.ended], [*found.ended]
    yield "the simulated time in ns", expected.time_ns, found.time_ns
    there = dict(found.messages)
    for agent, recorded in expected.messages:
        again = there[agent]
        yield f"the end of {agent}", recorded.terminated, again.terminated
        yield f"the reward of {agent}", recorded.reward, again.reward
        if recorded.observation is not None:  # single files have no observations
            yield f"the observation of {agent}", recorded.observation, again.observation
        for name in sorted({*recorded.info, *again.info}):
            yield f"info {name!r} of {agent}", recorded.info.get(name), again.info.get(name)


def _diverged(
    recording: Recording, number: int, what: str, expected: Any, found: Any
) -> ReplayDiverged:
    before = recording.rounds[number - 1].actions if number else {}
    acted = ", ".join(f"{agent}: {action}" for agent, action in before.items())
    when = f"step {number} (after {acted})" if number else "the reset"
    recorded = ", ".join(f"{name} {version}" for name, version in recording.versions.items())
    return ReplayDiverged(
        f"{when} is the first difference: {what} is {_cut(found)}, but was {_cut(expected)} when "
        f"it was recorded with {recorded}. If the scenario has not changed, it depends on "
        "something outside the simulation: the time of the machine, random numbers without a "
        "seed, addresses of objects"
    )


def _cut(value: Any) -> str:
    text = str(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
