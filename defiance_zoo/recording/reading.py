# SPDX-License-Identifier: GPL-2.0-only
"""Reading recordings, of which nothing is believed that was not looked at."""

from __future__ import annotations

import importlib.metadata
import json
from collections.abc import Mapping
from pathlib import Path
from types import UnionType
from typing import Any, get_args

from defiance_zoo.errors import InvalidRecording, OtherVersion
from defiance_zoo.recording.recording import FORMAT, Outcome, RecordedRound, Recording, Told
from defiance_zoo.simulation import RngState, Rounds

MASK = "action_mask"
"""The info that tells which actions are allowed."""

NAMES: Mapping[type | UnionType, str] = {
    dict: "an object",
    list: "an array",
    str: "a text",
    int: "a whole number",
    int | float: "a number",
    int | None: "a whole number or null",
    bool: "true or false",
}


def project_version() -> str:
    """Return the version of this project that is installed."""
    return importlib.metadata.version("defiance-zoo")


def read_recording(path: Path) -> Recording:
    """Return a recorded episode that this version can play.

    Raises:
        InvalidRecording: The file cannot be read, is no recording, or a damaged one, or has an
            action that was not allowed.
        OtherVersion: It is of another version of the format or of this project.
    """
    try:
        plain = json.loads(path.read_bytes())
    except OSError as error:
        raise InvalidRecording(f"{path} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise InvalidRecording(f"{path} is damaged, or no recording: {error}") from error
    if not isinstance(plain, dict) or "recording" not in plain:
        raise InvalidRecording(f"{path} is no recording: it is not an object with 'recording'")
    try:
        return _read(plain)
    except OtherVersion as error:
        raise OtherVersion(f"{path} {error}") from None
    except InvalidRecording as error:
        raise InvalidRecording(f"{path} is damaged: {error}") from None


def _read(plain: dict[str, Any]) -> Recording:
    version = _take(plain, "recording", int, "")
    if version != FORMAT:
        raise OtherVersion(f"is of version {version} of the format, where this one reads {FORMAT}")
    versions = _take(plain, "versions", dict, "")
    made, here = versions.get("defiance-zoo"), project_version()
    if made != here:
        raise OtherVersion(f"was recorded with defiance-zoo {made}, and this is {here}")
    rng = _take(plain, "rng", dict, "")
    state = RngState(_take(rng, "seed", int, "rng."), _take(rng, "run", int, "rng."))
    if not 1 <= state.seed < 2**32 or not 1 <= state.run < 2**63:
        raise InvalidRecording(f"rng={rng} is none of ns-3's")
    rounds = _take(plain, "rounds", list, "")
    recording = Recording(
        environment=_take(plain, "environment", str, ""),
        versions=versions,
        parameters=_take(plain, "parameters", dict, ""),
        rng=state,
        rounds=tuple(_read_round(each, f"rounds[{i}]") for i, each in enumerate(rounds)),
        seed=_take(plain, "seed", int | None, ""),
        interface=_choose(plain, "interface", Rounds),
        max_cycles=_take(plain, "max_cycles", int | None, ""),
        outcome=_choose(plain, "outcome", Outcome),
        failure=_take(plain, "failure", str, ""),
        captures=tuple(map(str, _take(plain, "captures", list, ""))),
    )
    require_playable(recording)
    return recording


def require_playable(recording: Recording) -> None:
    """Refuse what could not have been played.

    Raises:
        InvalidRecording: Somebody acts who was not asked, or as its mask forbids, or a round in
            the middle has no actions.
    """
    if not recording.rounds:
        raise InvalidRecording("it has no rounds")
    last = len(recording.rounds) - 1
    for number, each in enumerate(recording.rounds):
        if each.actions.keys() != each.asked.keys() and (each.actions or number < last):
            raise InvalidRecording(
                f"in round {number} {sorted(each.asked)} are asked, and {sorted(each.actions)} act"
            )
        for agent, action in each.actions.items():
            mask = each.asked[agent].info.get(MASK)
            if mask is not None and not allows(mask, action):
                raise InvalidRecording(
                    f"in round {number} the {MASK} of {agent} forbids action {action}"
                )


def allows(mask: Any, action: Any) -> bool:
    """Return whether a mask, as JSON holds it, allows an action."""
    known = isinstance(mask, list) and isinstance(action, int) and 0 <= action < len(mask)
    return known and bool(mask[action])


def _read_round(plain: Any, where: str) -> RecordedRound:
    if not isinstance(plain, dict):
        raise InvalidRecording(f"{where} is not an object")
    asked, ended = (_take(plain, key, dict, f"{where}.") for key in ("asked", "ended"))
    return RecordedRound(
        _take(plain, "time_ns", int, f"{where}."),
        {agent: _read_told(each, f"{where}.asked.{agent}") for agent, each in asked.items()},
        {agent: _read_told(each, f"{where}.ended.{agent}", True) for agent, each in ended.items()},
        _take(plain, "actions", dict, f"{where}."),
    )


def _read_told(plain: Any, where: str, ended: bool = False) -> Told:
    if not isinstance(plain, dict):
        raise InvalidRecording(f"{where} is not an object")
    terminated = _take(plain, "terminated", bool, f"{where}.") if ended else None
    reward = _take(plain, "reward", int | float, f"{where}.")
    return Told(reward, _take(plain, "info", dict, f"{where}."), terminated)


def _take(plain: Mapping[str, Any], key: str, kind: type | UnionType, where: str) -> Any:
    if key not in plain:
        raise InvalidRecording(f"it has no {where}{key}")
    value = plain[key]
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise InvalidRecording(f"{where}{key} is not {NAMES[kind]}")
    return value


def _choose(plain: Mapping[str, Any], key: str, kinds: Any) -> Any:
    value = _take(plain, key, str, "")
    if value not in get_args(kinds):
        raise InvalidRecording(f"{key}={value!r} is not one of {list(get_args(kinds))}")
    return value
