# SPDX-License-Identifier: GPL-2.0-only
"""The project that `defiance-zoo new` writes: the files of `template/`, under their new names.

In file names and contents `string.Template` puts the forms of the name: `$name` (my_scenario),
`$kebab` (my-scenario, ns-3's file names), `$camel` (MyScenario, classes), `$upper` (MY_SCENARIO,
include guards).
"""

from __future__ import annotations

import importlib.resources
import tempfile
from pathlib import Path
from string import Template

FILES = {
    "README.md.in": "README.md",
    "CMakeLists.txt.in": "CMakeLists.txt",
    "pyproject.toml.in": "pyproject.toml",
    "gitignore.in": ".gitignore",
    "scenario.cc.in": "scenario/$kebab.cc",
    "apps.h.in": "scenario/$kebab-apps.h",
    "apps.cc.in": "scenario/$kebab-apps.cc",
    "package.py.in": "$name/__init__.py",
    "environment.py.in": "$name/${name}_v0.py",
    "test.py.in": "tests/test_$name.py",
}
"""Each file of `template/`, and what it becomes."""


def render(name: str) -> dict[str, str]:
    """Return the files of a project, by their path in it."""
    words = {
        "name": name,
        "kebab": name.replace("_", "-"),
        "camel": "".join(word.capitalize() for word in name.split("_")),
        "upper": name.upper(),
    }
    folder = importlib.resources.files(__package__) / "template"
    return {
        Template(path).substitute(words): Template(
            (folder / source).read_text(encoding="utf-8")
        ).substitute(words)
        for source, path in FILES.items()
    }


def write(files: dict[str, str], folder: Path) -> None:
    """Write files into a folder that is empty or does not exist, all or none.

    They are complete beside the folder before they are moved to it. An empty folder stays the
    same one, as somebody may stand in it.

    Raises:
        OSError: They could not be written.
    """
    with tempfile.TemporaryDirectory(prefix=f".{folder.name}-", dir=folder.parent) as beside:
        project = Path(beside) / "project"
        for path, text in files.items():
            target = project / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
        if folder.exists():
            for entry in project.iterdir():
                entry.rename(folder / entry.name)
        else:
            project.rename(folder)
