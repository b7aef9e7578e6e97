# SPDX-License-Identifier: GPL-2.0-only
"""Pages about C++ name the header of each class, and only files that their readers have."""

from __future__ import annotations

import functools
import re
from pathlib import Path

import pytest
from conftest import ROOT
from snippets import PAGES, snippets

PAGES_OF_CPP = [
    ROOT / "docs" / "networks" / "scenarios.md",
    ROOT / "docs" / "networks" / "classes.md",
    *sorted((ROOT / "docs" / "coming-from").glob("*.md")),
]
HEADERS = {path.name: path for path in (ROOT / "cpp").rglob("*.h") if "private" not in path.parts}
WHOLE = "defiance-module.h"
"""A header that includes all headers of the library; the build writes it."""
DECLARED = re.compile(r"^(?:class|struct|enum class) (\w+)[^;{]*\{|^using (\w+) =", re.MULTILINE)
QUOTED = re.compile(r'"(?:ns3/)?([\w-]+\.h)"')
ONLY_IN_SOURCES = re.compile(r"`(?:examples|tests/scenarios)/")
AMID_SOURCES = {"dependencies", "installation"}
"""Pages about the sources, which may name any of them."""
REACHED = "installation.md#files-that-only-the-sources-have"


@functools.cache
def classes() -> dict[str, str]:
    """Return the header of each class that a user may name."""
    return {
        found[1] or found[2]: name
        for name, path in HEADERS.items()
        for found in DECLARED.finditer(path.read_text())
    }


def included(name: str) -> set[str]:
    """Return a header of the package and the package's headers that it includes."""
    if name == WHOLE:
        return {header for header, path in HEADERS.items() if "deployment" not in path.parts}
    found, waiting = set[str](), [name]
    while waiting:
        header = waiting.pop()
        if header in HEADERS and header not in found:
            found.add(header)
            waiting += QUOTED.findall(HEADERS[header].read_text())
    return found


def named(page: Path) -> set[str]:
    """Return the classes of the package that a page names in code."""
    code = "".join(each.text for each in snippets(page) if each.language == "cpp")
    code += "".join(re.findall(r"`[^`\n]+`", page.read_text()))
    return classes().keys() & set(re.findall(r"\w+", code))


@pytest.mark.parametrize("page", PAGES_OF_CPP, ids=lambda path: path.stem)
def test_a_page_names_the_header_of_each_class(page: Path) -> None:
    headers = QUOTED.findall(page.read_text())
    assert [name for name in headers if name not in HEADERS and name != WHOLE] == []
    known = set[str]().union(*map(included, headers))
    assert {name: classes()[name] for name in named(page) if classes()[name] not in known} == {}


def test_classes_are_found_on_pages() -> None:
    assert classes()["CallableRewardApplication"] == "callable-collector.h"
    assert {"RlSimulation", "OpenGymEnv", "Environment"} <= named(PAGES_OF_CPP[0])
    assert "open-gym-multi-agent-interface.h" in included("ai-module.h")


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_page_says_where_files_missing_from_a_wheel_are(page: Path) -> None:
    text = page.read_text()
    assert not ONLY_IN_SOURCES.search(text) or page.stem in AMID_SOURCES or REACHED in text
