# SPDX-License-Identifier: GPL-2.0-only
"""The report of one or two episodes: one HTML file with its script, styles, data and policy."""

from __future__ import annotations

import base64
import functools
import hashlib
import json
import os
import re
from collections.abc import Sequence
from importlib import resources
from pathlib import Path

from markupsafe import Markup

from defiance_zoo.bridge.system.whole_files import write_whole
from defiance_zoo.experiments.workbench.html import render
from defiance_zoo.recording import Episode, read_episode
from defiance_zoo.recording.viewing.report_data import report_data

_IMPORT = re.compile(r'^import \{[^}]*\} from "\./([\w-]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const)\b)", re.MULTILINE)
_TOP_LEVEL = re.compile(r"^(?:async )?(?:function|class|const|let) +(\w+)", re.MULTILINE)


@functools.cache
def script(entry: str) -> str:
    """Return a module of `assets/` and its imports as one script.

    Modules must import names without renaming them, `{a, b}`, and define different names.
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


def episode_page(episodes: Sequence[tuple[str, Episode]]) -> str:
    """Return the page of episodes, side by side over one axis of time.

    The page's policy allows only its script and its styles, so injected markup can neither run nor
    load anything.
    """
    data = {"format": 1, "episodes": [report_data(each, label) for label, each in episodes]}
    text = json.dumps(data, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
    code, style = script("report.js"), _asset("page.css")
    policy = (
        f"default-src 'none'; img-src data:; script-src {_digest(code)}; "
        f"style-src {_digest(style)}; base-uri 'none'; form-action 'none'"
    )
    return render(
        "recording/viewing/assets/report.html",
        title=" and ".join(label for label, _ in episodes),
        policy=Markup(policy),
        styles=Markup(style),
        data=Markup(text),
        code=Markup(code),
    )


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def write_report(folders: Sequence[Path], out: Path) -> None:
    """Write the report of one or two recorded episodes as a whole, or not at all."""
    episodes = [(_label(each), read_episode(each)) for each in folders]
    write_whole(out, episode_page(episodes))


def _label(folder: Path) -> str:
    """Return the name of an episode's folder, after its parent's name."""
    path = Path(os.path.realpath(folder))  # also for a circle of links
    return f"{path.parent.name}/{path.name}" if path.parent.name else path.name
