# SPDX-License-Identifier: GPL-2.0-only
"""Environments for replays of recorded episodes."""

from __future__ import annotations

import warnings

from defiance_zoo.environments.arguments import RESERVED, prefer_local_link
from defiance_zoo.environments.episodes.episodes import Episodes
from defiance_zoo.environments.registry import EnvironmentSpec, lookup, registered
from defiance_zoo.errors import InvalidRecording, MissingUnitWarning, OtherVersion
from defiance_zoo.recording.recorder import CAPTURE
from defiance_zoo.recording.recording import Recording

_COMMUNICATION = "communication/"
"""Prefix of the infos that `communication_infos=True` adds."""

_BEFORE = {"crash_point": "start"}
"""Behaviour before a parameter existed: its value for recordings that lack the parameter."""


def open_recorded(recording: Recording, spec: EnvironmentSpec | None = None) -> Episodes:
    """Return episodes with the environment and the parameters of a recording.

    Args:
        recording: The recording.
        spec: Specification of the environment; None: the registered one with the recorded name.

    Raises:
        OtherVersion: The environment is registered only in another version.
        InvalidRecording: The recording is of another environment, or has arguments that start
            simulations.
        UnknownEnvironment: The environment is not registered.
        ParameterError: The environment does not have these parameters.
        ScenarioNotFound: The environment's program is missing.
    """
    found = spec or find_environment(recording.environment)
    if found.scenario.name != recording.environment:
        raise _other(recording.environment, [found.scenario.name])
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
            **prefer_local_link({**beside, **recording.parameters}),
        )


def _counted(recording: Recording) -> dict[str, bool]:
    """Return the arguments for infos about traffic, if the recording has such infos."""
    keys = (key for _, _, info in recording.infos() for key in info)
    is_counted = any(key.startswith(_COMMUNICATION) for key in keys)
    return {"communication_infos": True} if is_counted else {}


def find_environment(name: str) -> EnvironmentSpec:
    """Return a registered environment, without imports that a file names.

    A recording names the scenario, which may be registered under another name.

    Raises:
        OtherVersion: The environment is registered only in another version.
        InvalidRecording: The environment is not registered, or under several names.
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
