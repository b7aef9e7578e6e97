# SPDX-License-Identifier: GPL-2.0-only
"""Pages about internals name existing files and names."""

from __future__ import annotations

import functools
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
RECORDS = sorted(path for path in (DOCS / "decisions").glob("*.md") if path.stem != "index")
SUFFIXES = {".py", ".cc", ".h", ".cmake", ".proto", ".js"}
GENERATED = {"_native", "_proto", "__pycache__"}


@functools.cache
def words() -> frozenset[str]:
    """Return every name in the sources."""
    found: set[str] = set()
    for folder in ("cpp", "defiance_zoo", "proto", "wrappers", "envs"):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in SUFFIXES and not GENERATED & set(path.parts):
                found.update(re.findall(r"\w+", path.read_text()))
    return frozenset(found)


def names(text: str) -> set[str]:
    """Return the names that a text quotes: `Class`, `Class::Method()`, `function()`."""
    quoted = re.findall(r"`([A-Za-z_]\w*(?:(?:::|\.)\w+)*)(?:\(\))?`", text)
    return {part for each in quoted for part in re.split(r"::|\.", each)}


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_a_decision_record_is_short_and_names_its_place(path: Path) -> None:
    text = path.read_text()
    assert re.findall(r"^\*\*(\w+)\.\*\*", text, re.M) == [
        "Context",
        "Decision",
        "Consequence",
        "Where",
    ]
    assert len(text.splitlines()) <= 20
    assert f"]({path.name})" in (DOCS / "decisions" / "index.md").read_text()
    where = names(text.partition("**Where.**")[2])
    assert where
    assert where <= words()


def test_the_page_about_the_path_of_an_observation_uses_existing_names() -> None:
    way = (DOCS / "architecture.md").read_text().partition("## How an observation")[2]
    found = names(way)
    assert len(found) > 50
    assert found - words() == set()
