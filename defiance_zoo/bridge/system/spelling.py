# SPDX-License-Identifier: GPL-2.0-only
"""Forms of names, and suggestions for unknown names."""

from __future__ import annotations

import re
from collections.abc import Iterable

_LONGEST = 200


def near_word(word: str, words: Iterable[str]) -> str:
    """Return a hint at a similar word; empty if there is none."""
    import difflib  # few scenarios need it

    if len(word) > _LONGEST:  # the time to compare words grows with the product of their lengths
        return ""
    near = difflib.get_close_matches(word, words, 1)
    return f"; did you mean {near[0]!r}?" if near else ""


def known_words(word: str, words: Iterable[str]) -> str:
    """Return the end of a message on an unknown word: a similar word, and all known ones."""
    known = list(words)
    near = near_word(word, known)
    return f"{near}{' There' if near else '; there'} are {known}"


def snake_case(word: str) -> str:
    """Return a name in lower_snake_case: `nCsma` becomes `n_csma`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z0-9]+", "_", word).strip("_").lower()
