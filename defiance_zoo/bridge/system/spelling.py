# SPDX-License-Identifier: GPL-2.0-only
"""Forms of names, and suggestions for unknown names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from defiance_zoo.errors import ParameterError

_LONGEST = 200
_LINE = 76


def near_word(word: object, words: Iterable[object]) -> str:
    """Return a hint at a similar word; empty if there is none. Only texts are words."""
    import difflib  # few scenarios need it

    # The time to compare words grows with the product of their lengths.
    if not isinstance(word, str) or len(word) > _LONGEST:
        return ""
    known = [each for each in words if isinstance(each, str)]
    near = difflib.get_close_matches(word, known, 1) or _written_out(word, known)
    return f"; did you mean {near[0]!r}?" if near else ""


def _written_out(word: str, words: Iterable[str]) -> list[str]:
    """Return the only word with an abbreviation, of three letters or more, as `gym`."""
    near = [each for each in words if len(word) > 2 and each[:1] == word[0] and _has(each, word)]
    return near if len(near) == 1 else []


def _has(word: str, letters: str) -> bool:
    """Return whether a word has letters in their order."""
    rest = iter(word)
    return all(letter in rest for letter in letters)


def require_choice(name: str, value: object, choices: Iterable[Any]) -> None:
    """Refuse a value that is not one of several."""
    known = list(choices)
    if value not in known:
        raise ParameterError(f"{name}={value!r} is not one of {known}{near_word(value, known)}")


def known_words(
    word: object, words: Iterable[str], there: str = "there are", near: str | None = None
) -> str:
    """Return the end of a message on an unknown word: a similar word, and all known ones.

    `there`: the words before the known ones. `near`: the hint, if it is not at a similar word.
    """
    import textwrap  # few scenarios need it

    known = list(words)
    hint = near_word(word, known) if near is None else near
    start = f" {there[:1].upper()}{there[1:]}" if hint else f"; {there}"
    lines = textwrap.wrap(", ".join(known) or "none", _LINE, break_on_hyphens=False)
    return f"{hint}{start}" + ("\n  " if len(lines) > 1 else " ") + "\n  ".join(lines)


def snake_case(word: str) -> str:
    """Return a name in lower_snake_case: `nCsma` becomes `n_csma`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z0-9]+", "_", word).strip("_").lower()
