# SPDX-License-Identifier: GPL-2.0-only
"""`defiance-zoo new`: a project to begin your own scenario with."""

from __future__ import annotations

import importlib.util
import os
import shlex
import shutil
import sys
from pathlib import Path

import click

import defiance_zoo
from defiance_zoo.command_line.new_project import project
from defiance_zoo.command_line.new_project.existing_program import (
    STYLES,
    Style,
    read_program,
    with_agent,
)
from defiance_zoo.command_line.new_project.project import check_name

NS3 = "ns3==3.44.post0"
"""The release whose headers match the library of this package."""


@click.command
@click.argument("name")
@click.option(
    "--into",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Folder to write the project into, empty or new; by default NAME.",
)
@click.option(
    "--style",
    type=click.Choice(STYLES),
    help="Style of agents: applications deployed on nodes, with channels (default); direct calls "
    "of OpenGymMultiAgentInterface; or env, classes derived from OpenGymEnv.",
)
@click.option(
    "--agents",
    type=click.IntRange(1, 100),
    default=1,
    show_default=True,
    help="Number of agents.",
)
@click.option(
    "--from",
    "program",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    multiple=True,
    metavar="FILE",
    help="A source file or header of an ns-3 program, around which the project is written; may be "
    "repeated. A program without an agent gets the skeleton of an agent.",
)
@click.option("--python", is_flag=True, help="Write the scenario in Python; it needs no compiler.")
@click.option(
    "--zoo",
    "in_zoo",
    is_flag=True,
    help="Write an environment of the zoo into the current folder, a checkout of defiance-zoo; "
    "with --python.",
)
def command(
    name: str,
    into: Path | None,
    style: Style | None,
    agents: int,
    program: tuple[Path, ...],
    python: bool,
    in_zoo: bool,
) -> None:
    """Write a project with a working scenario, called NAME.

    NAME is lower_snake_case, such as my_scenario. The environment is NAME_v0. The project builds
    and passes its tests as it is. With --from and a program that has agents, the tests also depend
    on these agents.
    """
    if in_zoo:
        if not python:
            raise click.UsageError("--zoo writes environments in Python: give --python, too")
        if into or style or program or agents > 1:
            raise click.UsageError("--zoo excludes --into, --style, --agents and --from")
        _write_environment(name)
        return
    folder = Path(name) if into is None else into
    check_name(name, folder)
    _check_folder(folder)
    if python and (program or style not in (None, "applications")):
        raise click.UsageError("--python excludes --from and all styles but applications")
    existing = read_program(program) if program else None
    if existing is not None and not existing.has_agent:
        existing = with_agent(existing, style or "applications", agents)
    elif existing is not None and style not in (None, existing.style):
        raise click.UsageError(
            f"--style {style}: the program's agents have the style {existing.style}"
        )
    try:
        files = project.render(name, style or "applications", agents, existing, python=python)
        project.write(files, Path(os.path.realpath(folder)))
    except OSError as error:
        raise click.ClickException(f"nothing was written: {error}") from error
    what = "a scenario that works" if existing is None else "the program"
    click.echo(f"{folder} has {what}. To {'' if python else 'build and '}try it:\n")
    for line in _next_commands(name, folder, builds=not python):
        click.echo(f"  {line}")
    if existing is not None and existing.note:
        click.echo(f"\nThe change in the copy, by the line of the program:\n\n- {existing.note}")
    click.echo("\nThen adapt it: its README.md explains each file.")


def _write_environment(name: str) -> None:
    """Write an environment of the zoo, and print the next steps."""
    check_name(name, None)
    try:
        files = write_environment(name)
    except OSError as error:
        raise click.ClickException(f"nothing was written: {error}") from error
    click.echo(f"{name}_v0 is a working environment of the zoo. Its files:\n")
    for path in files:
        click.echo(f"  {path}")
    click.echo("\nTo try it:\n")
    for line in _commands_for(name):
        click.echo(f"  {line}")
    click.echo("\nBefore you submit the environment, extend the lists that are kept by hand:\n")
    for place, what in LISTS.items():
        click.echo(f"- {place}: {what}")
    click.echo("\nHow to adapt it: docs/tutorials/contribute-an-environment.md")


def _check_folder(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        problem = f"{folder} is a file"
    elif folder.exists() and any(folder.iterdir()):
        problem = f"{folder} is not empty, and no file is overwritten"
    elif not Path(os.path.realpath(folder)).parent.is_dir():
        problem = f"{folder.parent} is not a folder"
    else:
        return
    raise click.UsageError(f"{problem}; choose another folder with --into")


def _next_commands(name: str, folder: Path, *, builds: bool = True) -> list[str]:
    """Return commands that install missing programs, and then build, test and play."""
    here = _is_first_python()
    python = "python" if here else shlex.quote(sys.executable)
    hint = "" if here else f" -DPython3_EXECUTABLE={python}"
    has_cmake = shutil.which("cmake") is not None
    cmake = "cmake" if here or has_cmake else f"{python} -m cmake"
    missing = ["cmake"] if builds and not has_cmake else []
    missing += [] if importlib.util.find_spec("pytest") else ["pytest"]
    commands = (
        [f"cd {shlex.quote(str(folder))}"] if Path(os.path.realpath(folder)) != Path.cwd() else []
    )
    if builds and "NS3_DIR" not in os.environ and importlib.util.find_spec("ns3") is None:
        commands.append(f"{python} -m pip install --no-deps {NS3}")
    if missing:
        commands.append(f"{python} -m pip install {' '.join(missing)}")
    build = [f"{cmake} -S . -B build{hint}", f"{cmake} --build build"] if builds else []
    play = f"{python} -m defiance_zoo random {name}:{name}_v0"
    return [*commands, *build, f"{python} -m pytest", play]


def _is_first_python() -> bool:
    """Return whether `python` and CMake find this Python."""
    mine = Path(sys.executable).parent
    found = [shutil.which(name) for name in ("python", "python3")]
    active = os.environ.get("VIRTUAL_ENV", sys.prefix)
    return active == sys.prefix and all(path and Path(path).parent == mine for path in found)


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


def _commands_for(name: str) -> list[str]:
    """Return the commands that try an environment."""
    return [
        f"defiance-zoo info {name}_v0",
        f"defiance-zoo eval {name}_v0 --policy back_off --episodes 2",
        f'python -m pytest tests/envs/{name} -m "not long"',
    ]


def write_environment(name: str) -> list[str]:
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
            project.write(
                {
                    str(Path(path).relative_to(folder)): text
                    for path, text in files.items()
                    if Path(path).is_relative_to(folder)
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
