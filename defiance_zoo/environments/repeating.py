# SPDX-License-Identifier: GPL-2.0-only
"""Environments in which recorded episodes are played again."""

from __future__ import annotations

from typing import Any

from defiance_zoo.environments.arguments import prefer_local_link
from defiance_zoo.environments.episodes.episodes import Episodes
from defiance_zoo.environments.registry import lookup, registered
from defiance_zoo.errors import OtherVersion, UnknownEnvironment
from defiance_zoo.recording.recording import Recording


def open_recorded(recording: Recording, **arguments: Any) -> Episodes:
    """Return episodes of the environment and the parameters of a recording; nothing is started.

    Args:
        recording: Whose.
        **arguments: Further ones, such as `record`.

    Raises:
        OtherVersion: The environment is there in another version only.
        UnknownEnvironment: It is not there at all; name the module that registers it.
        ParameterError: It has not these parameters.
        ScenarioNotFound: Its program is missing.
    """
    name = recording.environment
    stem = name.rpartition("_v")[0]
    try:
        spec = lookup(name)
    except UnknownEnvironment:
        others = [each for each in registered() if each.rpartition("_v")[0] == stem]
        if not others:
            raise
        raise OtherVersion(
            f"the episode was recorded in {name}, and here is {' and '.join(others)}"
        ) from None
    return spec.episodes(
        recording.interface,
        max_cycles=recording.max_cycles,
        **prefer_local_link({**recording.parameters, **arguments}),
    )
