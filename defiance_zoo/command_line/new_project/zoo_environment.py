# SPDX-License-Identifier: GPL-2.0-only
"""An environment of the zoo that `defiance-zoo new --python --zoo` writes into a checkout."""

from __future__ import annotations

import shutil
from pathlib import Path

import click

import defiance_zoo
from defiance_zoo.command_line.new_project import project

LISTS = {
    "envs/__init__.py": "import the module, and name it in __all__",
    "docs/gallery.md": "add a row to both tables",
    "benchmarks/publishing/pictures.py": "describe the animation; `make pictures "
    "ENVIRONMENT=NAME_v0` draws it for the card",
    "benchmarks/networks/environments.py": "add a measurement of its speed",
    "docs/reference/leaderboard.md": "add a heading and table markers; "
    "`make leaderboard ENVIRONMENT=NAME_v0` fills in the table",
    "CHANGELOG.md": "add a line",
}
"""Lists of environments that are kept by hand, and the entries to add."""


def commands(name: str) -> list[str]:
    """Return the commands that try an environment."""
    return [
        f"defiance-zoo info {name}_v0",
        f"defiance-zoo eval {name}_v0 --policy back_off --episodes 2",
        f'python -m pytest tests/envs/{name} -m "not long"',
    ]


def write(name: str) -> list[str]:
    """Write the files of an environment into the checkout, all or none, and return their paths."""
    root = _find_checkout()
    files = project.render_zoo(name)
    folders = [Path("tests", "envs", name), Path("envs", name)]
    for folder in folders:
        if (root / folder).exists():
            raise click.UsageError(f"{root / folder} exists, and no file is overwritten")
    written = list[Path]()
    try:
        for folder in folders:
            inside = {Path(path): text for path, text in files.items()}
            project.write(
                {
                    str(path.relative_to(folder)): text
                    for path, text in inside.items()
                    if path.is_relative_to(folder)
                },
                root / folder,
            )
            written.append(root / folder)
    except OSError:
        for each in written:
            shutil.rmtree(each)
        raise
    return list(files)


def _find_checkout() -> Path:
    """Return the checkout that this package is in."""
    root = Path(defiance_zoo.__file__).parents[1]
    if not (root / "tests" / "envs").is_dir() or not (root / "envs").is_dir():
        raise click.UsageError(
            f"--zoo writes into a checkout of defiance-zoo, and the package in {root} is installed "
            "without one: clone the repository, run `make build` in it, and use .venv/bin/"
            "defiance-zoo there"
        )
    if not Path.cwd().is_relative_to(root.resolve()):
        raise click.UsageError(
            f"--zoo writes into the checkout {root}, and the current folder is outside of it: "
            f"cd {root}"
        )
    return root
