# SPDX-License-Identifier: GPL-2.0-only
"""Assembly of self-contained pages: one script of several modules, styles, data and policy."""

from __future__ import annotations

import base64
import functools
import hashlib
import json
import re
from importlib import resources
from typing import Any

from markupsafe import Markup

from defiance_zoo.experiments.workbench.html import render

_IMPORT = re.compile(r'^import \{[^}]*\} from "\./([\w-]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const)\b)", re.MULTILINE)
_TOP_LEVEL = re.compile(r"^(?:async )?(?:function|class|const|let) +(\w+)", re.MULTILINE)


@functools.cache
def script(entry: str) -> str:
    """Return a module of `assets/` and its imports as one script.

    Args:
        entry: Name of the file. Modules must import names without renaming them, `{a, b}`.

    Raises:
        ValueError: Two modules define the same name.
    """
    sources: dict[str, str] = {}
    _collect(entry, sources)
    names = [each for text in sources.values() for each in _TOP_LEVEL.findall(text)]
    twice = {each for each in names if names.count(each) > 1}
    if twice:
        raise ValueError(f"several modules of {entry} define {sorted(twice)}")
    return '(() => {\n"use strict";\n' + "\n".join(sources.values()) + "})();\n"


def _collect(name: str, sources: dict[str, str]) -> None:
    """Add a module after its imports."""
    text = _asset(name)
    if name in sources:
        return
    for other in _IMPORT.findall(text):
        _collect(other, sources)
    sources[name] = _EXPORT.sub("", _IMPORT.sub("", text))


def _asset(name: str) -> str:
    return (resources.files(__package__) / "assets" / name).read_text(encoding="utf-8")


def assemble(title: str, entry: str, data: Any) -> str:
    """Return a page.

    Its policy allows only this script and these styles, so injected markup can neither run nor load
    anything.

    Args:
        title: Title as text.
        entry: Module of `assets/` for the page.
        data: Contents of the element `data`, as JSON.
    """
    code, style = script(entry), _asset("page.css")
    policy = "; ".join(
        [
            "default-src 'none'",
            "img-src data:",
            f"script-src {_digest(code)}",
            f"style-src {_digest(style)}",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )
    text = json.dumps(data, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
    return render(
        "recording/viewing/assets/report.html",
        title=title,
        policy=Markup(policy),
        styles=Markup(style),
        data=Markup(text),
        code=Markup(code),
    )


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
