# SPDX-License-Identifier: GPL-2.0-only
"""Checked fields of JSON objects."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from os import PathLike
from pathlib import Path
from types import UnionType
from typing import Any, get_args

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
    """Return the object in a JSON file.

    Raises:
        InvalidRecording: The file cannot be read, or holds no object.
    """
    with naming(path, "is damaged, or not a recording", InvalidRecording):
        plain = read_json(path)
    if not isinstance(plain, dict):
        raise InvalidRecording(f"{path} is not a recording: it is not an object")
    return plain


@contextlib.contextmanager
def naming_recording(path: str | PathLike[str]) -> Iterator[None]:
    """Add the file to messages about its content.

    Raises:
        InvalidRecording, OtherVersion: The same error, with the file in the message.
    """
    try:
        yield
    except OtherVersion as error:
        raise OtherVersion(f"{path} {error}") from None
    except InvalidRecording as error:
        raise InvalidRecording(f"{path} is damaged: {error}") from None


def take(plain: Mapping[str, Any], key: str, kind: type | UnionType, where: str = "") -> Any:
    """Return a field.

    Args:
        plain: The object.
        key: Key of the field.
        kind: Type of its value.
        where: Path of the object in the file, for messages; ends with a full stop.

    Raises:
        InvalidRecording: The field is missing, or has another type.
    """
    if key not in plain:
        raise InvalidRecording(f"it has no {where}{key}")
    value = plain[key]
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise InvalidRecording(f"{where}{key} is not {_NAMES[kind]}")
    return value


def choose(plain: Mapping[str, Any], key: str, kinds: Any) -> Any:
    """Return a field that is one of the texts of a `Literal`.

    Raises:
        InvalidRecording: The field is missing, or has another value.
    """
    value = take(plain, key, str)
    if value not in get_args(kinds):
        raise InvalidRecording(f"{key}={value!r} is not one of {list(get_args(kinds))}")
    return value
