# SPDX-License-Identifier: GPL-2.0-only
"""Environments in which recorded episodes are played again."""

from __future__ import annotations

from defiance_zoo.environments.arguments import RESERVED, prefer_local_link
from defiance_zoo.environments.episodes.episodes import Episodes
from defiance_zoo.environments.registry import EnvironmentSpec, lookup, registered
from defiance_zoo.errors import InvalidRecording, OtherVersion
from defiance_zoo.recording.recorder import CAPTURE
from defiance_zoo.recording.recording import Recording

_COMMUNICATION = "communication/"
"""Prefix of the infos that `communication_infos=True` adds."""


def open_recorded(recording: Recording, spec: EnvironmentSpec | None = None) -> Episodes:
    """Return episodes of the environment and the parameters of a recording; nothing is started.

    Args:
        recording: The recording.
        spec: Specification of the environment; None: the registered one of its name.

    Raises:
        OtherVersion: The environment is there in another version only.
        InvalidRecording: It is of another environment, or says how simulations are to be started.
        UnknownEnvironment: The environment is not there at all.
        ParameterError: It has not these parameters.
        ScenarioNotFound: Its program is missing.
    """
    found = spec or find_environment(recording.environment)
    if found.scenario.name != recording.environment:
        raise _other(recording.environment, [found.scenario.name])
    # The author of a file must not choose where other users' programs write.
    wrong = sorted((RESERVED | {CAPTURE}) & recording.parameters.keys())
    if wrong:
        raise InvalidRecording(f"{wrong[0]!r} is no parameter of a recorded episode")
    # Recorded values are compared, even if they are out of bounds.
    beside = {**_counted(recording), "check_bounds": "never"}
    return found.episodes(
        recording.interface,
        max_cycles=recording.max_cycles,
        **prefer_local_link({**beside, **recording.parameters}),
    )


def _counted(recording: Recording) -> dict[str, bool]:
    """Return the arguments of an environment that reports traffic in infos, as in studies."""
    keys = (key for _, _, info in recording.infos() for key in info)
    is_counted = any(key.startswith(_COMMUNICATION) for key in keys)
    return {"communication_infos": True} if is_counted else {}


def find_environment(name: str) -> EnvironmentSpec:
    """Return an environment that is registered; what a file names is not imported.

    A recording names the scenario, which may be registered under another name.

    Raises:
        OtherVersion: The environment is there in another version only.
        InvalidRecording: It is not there at all, or under several names.
    """
    if name in registered() and lookup(name).scenario.name == name:
        return lookup(name)
    playing = [each for each in registered() if lookup(each).scenario.name == name]
    if len(playing) > 1:
        raise InvalidRecording(
            f"the episode was recorded in {name}, which is registered as {' and as '.join(playing)}"
            ": say which one, by --env NAME, or spec= in Python"
        )
    if not playing:
        raise _other(name, [each for each in registered() if _stem(each) == _stem(name)])
    return lookup(playing[0])


def _other(name: str, there: list[str]) -> InvalidRecording:
    if there and {_stem(each) for each in there} == {_stem(name)}:
        return OtherVersion(
            f"the episode was recorded in {name}, and here is {' and '.join(there)}"
        )
    instead = (
        f"not {there[0]}"
        if there
        else f"which is not among {registered()}; if it is one of your own, name its file of "
        "Python, --env FILE.py, or the module that registers it, "
        f"--env module:{name.rpartition(':')[2]}, or give spec= in Python"
    )
    return InvalidRecording(f"the episode was recorded in {name}, {instead}")


def _stem(name: str) -> str:
    return name.rpartition("_v")[0]
