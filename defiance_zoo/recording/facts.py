# SPDX-License-Identifier: GPL-2.0-only
"""Facts of an episode, the same in single files and in folders, and checks of their fields."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from types import UnionType
from typing import Any, Literal, get_args

from defiance_zoo.bridge.simulation import RngState, Rounds
from defiance_zoo.bridge.system.reading import naming, read_json
from defiance_zoo.errors import InvalidRecording, OtherVersion

_NAMES: Mapping[type | UnionType, str] = {
    dict: "an object",
    list: "an array",
    str: "a text",
    int: "a whole number",
    int | float: "a number",
    int | None: "a whole number or null",
    str | None: "a text or null",
    bool: "true or false",
}


def read_object(path: Path) -> dict[str, Any]:
    """Return the object in a JSON file."""
    with naming(path, "is damaged, or not a recording", InvalidRecording):
        plain = read_json(path)
    if not isinstance(plain, dict):
        raise InvalidRecording(f"{path} is not a recording: it is not an object")
    return plain


@contextlib.contextmanager
def naming_recording(path: str | PathLike[str]) -> Iterator[None]:
    """Add the file to messages about its content."""
    try:
        yield
    except OtherVersion as error:
        raise OtherVersion(f"{path} {error}") from None
    except InvalidRecording as error:
        raise InvalidRecording(f"{path} is damaged: {error}") from None


def take(plain: Mapping[str, Any], key: str, kind: type | UnionType, where: str = "") -> Any:
    """Return a field of a type; `where` is the path of the object in the file, with a full stop."""
    if key not in plain:
        raise InvalidRecording(f"it has no {where}{key}")
    value = plain[key]
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise InvalidRecording(f"{where}{key} is not {_NAMES[kind]}")
    return value


def choose(plain: Mapping[str, Any], key: str, kinds: Any) -> Any:
    """Return a field that is one of the texts of a `Literal`."""
    value = take(plain, key, str)
    if value not in get_args(kinds):
        raise InvalidRecording(f"{key}={value!r} is not one of {list(get_args(kinds))}")
    return value


Outcome = Literal["playing", "ended", "unfinished", "failed"]
"""The end of an episode.

The values mean: the episode runs, or its process was killed; it is complete; it was left before its
end; its simulation failed.
"""


@dataclass(frozen=True)
class Facts:
    """The start and the end of an episode.

    Attributes:
        environment: Name of the environment, with its version.
        versions: Versions at the recording: `defiance-zoo`, `ns-3`.
        parameters: All parameters of the scenario, with the values in effect.
        rng: Seed and run of ns-3.
        seed: Seed that `reset()` took, or None.
        interface: Whether agents of one instant were asked together.
        max_cycles: Limit of the environment.
        outcome: End of the episode.
        failure: Error of its simulation.
        captures: Names of the files in which packets were captured.
    """

    environment: str
    versions: Mapping[str, str]
    parameters: Mapping[str, Any]
    rng: RngState
    seed: int | None = None
    interface: Rounds = "sequential"
    max_cycles: int | None = None
    outcome: Outcome = "ended"
    failure: str = ""
    captures: tuple[str, ...] = ()

    def facts_to_plain(self, version: int) -> dict[str, Any]:
        """Return facts as JSON holds them, with the version of the format."""
        return {
            "recording": version,
            "environment": self.environment,
            "versions": dict(self.versions),
            "parameters": dict(self.parameters),
            "seed": self.seed,
            "rng": {"seed": self.rng.seed, "run": self.rng.run},
            "interface": self.interface,
            "max_cycles": self.max_cycles,
            "outcome": self.outcome,
            "failure": self.failure,
            "captures": list(self.captures),
        }


def require_format(plain: Mapping[str, Any], version: int) -> None:
    """Refuse facts that are not of a recording, or are of another version of the format."""
    found = take(plain, "recording", int)
    if found != version:
        raise OtherVersion(f"is of version {found} of the format, but this version reads {version}")


def read_facts(plain: Mapping[str, Any]) -> dict[str, Any]:
    """Return facts by their names."""
    rng = take(plain, "rng", dict)
    state = RngState(take(rng, "seed", int, "rng."), take(rng, "run", int, "rng."))
    if not 1 <= state.seed < 2**32 or not 1 <= state.run < 2**63:
        raise InvalidRecording(f"rng={rng} is not possible in ns-3")
    return {
        "environment": take(plain, "environment", str),
        "versions": take(plain, "versions", dict),
        "parameters": take(plain, "parameters", dict),
        "rng": state,
        "seed": take(plain, "seed", int | None),
        "interface": choose(plain, "interface", Rounds),
        "max_cycles": take(plain, "max_cycles", int | None),
        "outcome": choose(plain, "outcome", Outcome),
        "failure": take(plain, "failure", str),
        "captures": tuple(map(str, take(plain, "captures", list))),
    }
