# SPDX-License-Identifier: GPL-2.0-only
"""Values and choices in words."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from defiance_zoo.bridge.system.spelling import near_word
from defiance_zoo.errors import ParameterError


def assignments(values: Mapping[str, Any], sign: str = "=") -> str:
    """Return names and values on one line, such as `delay=20ms, rate=1Mbps`."""
    return ", ".join(f"{name}{sign}{value}" for name, value in values.items())


@contextlib.contextmanager
def locating(where: str) -> Iterator[None]:
    """Begin the message of an error with its place, such as `policies.Random`.

    Raises:
        ParameterError: One was raised; its message has the place now.
    """
    try:
        yield
    except ParameterError as error:
        raise ParameterError(f"{where}: {error}") from error


def require_choice(where: str, word: str, known: Collection[str], more: str = "") -> None:
    """Refuse a word that is not among the known ones.

    Args:
        where: Name of what has to be one of them.
        word: Its value.
        known: All choices, in the order of the message.
        more: Further choices, in words.

    Raises:
        ParameterError: The word is not known.
    """
    if word not in known:
        raise ParameterError(
            f"{where}={word!r} is not known{near_word(word, known)}; there are {list(known)}{more}"
        )
