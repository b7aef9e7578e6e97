# SPDX-License-Identifier: GPL-2.0-only
"""write_template.py FOLDER: write the C++ files of `defiance-zoo new shared_link --agents 2`.

At configuration time the package is not built, so this script fills the templates alone.
"""

import sys
from pathlib import Path
from string import Template

SOURCES = Path(__file__).resolve().parents[2] / "defiance_zoo/command_line/new_project/template"
WORDS = {
    "name": "shared_link",
    "kebab": "shared-link",
    "camel": "SharedLink",
    "upper": "SHARED_LINK",
    "agents": "2",
}
FILES = {
    "styles/applications.cc.in": "shared-link.cc",
    "network.h.in": "shared-link-network.h",
    "network.cc.in": "shared-link-network.cc",
}


def fill(source: str, words: dict[str, str]) -> str:
    return Template((SOURCES / source).read_text(encoding="utf-8")).substitute(words)


folder = Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
words = WORDS | {"parameters": fill("parameters.in", WORDS).rstrip("\n")}
for source, name in FILES.items():
    text, target = fill(source, words), folder / name
    if not target.exists() or target.read_text(encoding="utf-8") != text:
        target.write_text(text, encoding="utf-8")
