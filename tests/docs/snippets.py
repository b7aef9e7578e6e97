# SPDX-License-Identifier: GPL-2.0-only
"""The fenced blocks of pages for users, and the commands among them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from conftest import ROOT

FENCE = re.compile(r"^```(\w*)$")
SHELLS = ("", "console", "sh", "bash", "shell")
"""Languages of fences around commands and their output."""
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "SECURITY.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted(ROOT.glob("envs/*/card.md")),
    *sorted(ROOT.glob("envs/*/results.md")),
]


class Snippet(NamedTuple):
    """A fenced block.

    Attributes:
        page: Path of the page, from the root of the repository.
        line: Number of its first line.
        language: The word behind the fence; empty for commands and their output.
        text: Text of the block.
    """

    page: str
    line: int
    language: str
    text: str


def snippets(path: Path) -> Iterator[Snippet]:
    """Yield the fenced blocks of a page, in their order."""
    begin, language, lines = 0, "", list[str]()
    page = path.relative_to(ROOT).as_posix()
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        fence = FENCE.match(line)
        if fence and not begin:
            begin, language, lines = number + 1, fence[1], []
        elif fence:
            yield Snippet(page, begin, language, "".join(f"{each}\n" for each in lines))
            begin = 0
        else:
            lines.append(line)
    assert not begin, f"{page}:{begin}: no end of the block"


ALL = [snippet for path in PAGES for snippet in snippets(path)]


def commands() -> Iterator[tuple[str, str]]:
    """Yield page and text of each command: lines behind `$ `, or all of a block without these."""
    for snippet in ALL:
        if snippet.language not in SHELLS or (snippet.page, snippet.line) in DRAWINGS:
            continue
        lines = snippet.text.replace("\\\n", " ").splitlines()
        if any(line.startswith("$ ") for line in lines):
            lines = [line[2:] for line in lines if line.startswith("$ ")]
        for line in lines:
            words = re.split(r"(?:^|\s)#\s", line)[0]
            yield from ((snippet.page, each.strip()) for each in words.split("&&") if each.strip())


def is_drawing(snippet: Snippet) -> bool:
    """Return whether a block without a language shows output, or a picture in characters."""
    return any(mark in snippet.text for mark in ("----", " --- ", "stale read:"))


DRAWINGS = {(each.page, each.line) for each in ALL if not each.language and is_drawing(each)}
