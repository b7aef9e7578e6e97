# SPDX-License-Identifier: GPL-2.0-only
"""The project that `defiance-zoo new` writes: its name, and its files from `template/`.

In file names and contents, `string.Template` inserts the forms of the name: `$name` (my_scenario),
`$kebab` (my-scenario, ns-3's file names), `$camel` (MyScenario, classes), `$upper` (MY_SCENARIO,
include guards), and texts that depend on the style and the number of agents.
"""

from __future__ import annotations

import importlib.resources
import importlib.util
import keyword
import os
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path
from string import Template

import click

from defiance_zoo.bridge.system.spelling import snake_case
from defiance_zoo.command_line.new_project.existing_program import Program, Style
from defiance_zoo.environments import registered
from defiance_zoo.registration import camel_case

FILES = {
    "pyproject.toml.in": "pyproject.toml",
    "gitignore.in": ".gitignore",
    "package.py.in": "$name/__init__.py",
    "environment.py.in": "$name/${name}_v0.py",
}
"""Files of every project, by their name in `template/`."""

CPP_FILES = {"README.md.in": "README.md", "CMakeLists.txt.in": "CMakeLists.txt"}
"""Files of a project in C++."""

PYTHON_FILES = {
    "README-python.md.in": "README.md",
    "scenario.py.in": "$name/scenario.py",
    "test.py.in": "tests/test_$name.py",
}
"""Files of a project in Python."""

SCENARIO_FILES = {
    "styles/$style.cc.in": "scenario/$kebab.cc",
    "network.h.in": "scenario/$kebab-network.h",
    "network.cc.in": "scenario/$kebab-network.cc",
    "test.py.in": "tests/test_$name.py",
}
"""Files of a project that has its own scenario in C++."""

EXISTING_FILES = {"test-existing.py.in": "tests/test_$name.py"}
"""Files of a project around an existing program."""

GYMNASIUM_FILES = {"test-gymnasium.py.in": "tests/test_gymnasium.py"}
"""Files of a project with one agent."""

ZOO_FILES = {
    "zoo/package.py.in": "envs/$name/__init__.py",
    "zoo/environment.py.in": "envs/$name/${name}_v0.py",
    "zoo/scenario.py.in": "envs/$name/scenario.py",
    "zoo/baselines.py.in": "envs/$name/baselines.py",
    "zoo/rendering.py.in": "envs/$name/rendering.py",
    "zoo/card.md.in": "envs/$name/card.md",
    "zoo/leaderboard.yaml.in": "envs/$name/leaderboard.yaml",
    "zoo/test.py.in": "tests/envs/$name/test_$name.py",
}
"""Files of an environment of the zoo, in a checkout."""

_PROGRAMS: dict[Style, str] = {
    "applications": "the program: parameters; the nodes that observe, reward, act and decide, and "
    "how they communicate",
    "direct": "the program: parameters, the agents' spaces, and when they decide",
    "env": "the program: parameters, the observations, rewards and actions of an agent, and when "
    "it decides",
}
"""Contents of the program's file, by the style of its agents."""

_PARAMETERS = "parameters.in"
_MODULES = ["applications", "point-to-point"]


def render(
    name: str,
    style: Style = "applications",
    agents: int = 1,
    program: Program | None = None,
    *,
    python: bool = False,
) -> dict[str, str | bytes]:
    """Return the files of a project, by their path in it."""
    words = _names(name) | {"style": style, "agents": str(agents)}
    cpp_files = CPP_FILES | (SCENARIO_FILES if program is None else EXISTING_FILES)
    files = FILES | (PYTHON_FILES if python else cpp_files)
    if agents == 1:
        files = files | GYMNASIUM_FILES
    words |= _template_words(words, style, agents) if program is None else _program_words(program)
    words |= _gymnasium_words(words, agents) | (PYTHON_WORDS if python else _cpp_words(name))
    rendered: dict[str, str | bytes] = {**_render(files, words)}
    if program is not None:
        contents = zip(program.files, program.contents, strict=True)
        rendered |= {f"scenario/{file.name}": content for file, content in contents}
    return rendered


def render_zoo(name: str) -> dict[str, str]:
    """Return the files of an environment of the zoo, by their path in a checkout."""
    return _render(ZOO_FILES, _names(name))


def _render(files: Mapping[str, str], words: Mapping[str, str]) -> dict[str, str]:
    return {
        Template(path).substitute(words): _fill(Template(source).substitute(words), words)
        for source, path in files.items()
    }


PYTHON_WORDS = {
    "python": ".python",
    "program": 'Path(__file__).with_name("scenario.py")',
    "program_help": "The scenario, which Python runs.",
}


def _cpp_words(name: str) -> dict[str, str]:
    return {
        "python": "",
        "program": f'Path(__file__).resolve().parent.parent / "build" / "{name}"',
        "program_help": "CMake builds this program; without it, making an environment raises "
        "`ScenarioNotFound`.",
    }


def _fill(source: str, words: Mapping[str, str]) -> str:
    folder = importlib.resources.files(__package__) / "template"
    return Template((folder / source).read_text(encoding="utf-8")).substitute(words)


def _names(name: str) -> dict[str, str]:
    return {
        "name": name,
        "kebab": name.replace("_", "-"),
        "camel": camel_case(name),
        "upper": name.upper(),
    }


def _template_words(words: dict[str, str], style: Style, agents: int) -> dict[str, str]:
    kebab = words["kebab"]
    # A condition in Python on the number of an agent's decisions in ten seconds, and an episode.
    decisions = "count == 99  # one every 100 ms, and none at the end"
    episode = "10 s; a decision every 100 ms"
    if style == "applications":
        decisions = "70 < count <= 100  # one every 100 ms; some are lost in a full queue"
        episode = "10 s; an observation every 100 ms; a full queue loses observations"
    who = "an agent decides its sending rate"
    if agents > 1:
        who = f"{agents} agents decide the sending rate of each source"
    rows = [
        (
            "observation",
            "Box of 2 x float32: share of the sender's queue in use, now and at most since the "
            "last observation",
        ),
        (
            "action",
            "Discrete(4): the rate of the agent's source, as quarters of its share of the link",
        ),
        (
            "reward",
            "0.1 for each packet that leaves the queue for the link, -0.5 for each that finds it "
            "full; all agents share it",
        ),
        ("episode", episode),
        ("parameters", "`agents`, `delay`, `data_rate`, `duration`"),
    ]
    head, *others = (f"| {what} | {text} |" for what, text in rows)
    return {
        "parameters": _fill(_PARAMETERS, words).rstrip("\n"),
        "summary": "agents set the sending rates of sources over a shared link",
        "world": f"a sender shares\na link with bursts of other traffic, and {who}.",
        "describes": "",
        "sources": _cmake_list("SOURCES", [f"scenario/{kebab}.cc", f"scenario/{kebab}-network.cc"]),
        "modules": _cmake_list("NS3_MODULES", _MODULES),
        "example": ', delay="20ms"',
        "arguments": " --policy=random --delay=20ms",
        "decisions": decisions,
        "spaces": "\n".join([head, "|---|---|", *others]) + "\n\n",
        "files": f"| `scenario/{kebab}.cc` | {_PROGRAMS[style]} |\n"
        f"| `scenario/{kebab}-network.h`, `.cc` | the network, plain ns-3: nodes, link, traffic, "
        "and functions to observe and set them |",
    }


def _program_words(program: Program) -> dict[str, str]:
    names = ", ".join(f"`scenario/{file.name}`" for file in program.files)
    content = "the unchanged program"
    if program.note:
        content = "the program, and the skeleton of an agent: fill in each `TODO`"
    return {
        "summary": "the program in `scenario/`",
        "world": "the program in\n`scenario/`.",
        "describes": "" if program.describes_itself else ", describes_itself=False",
        "sources": _cmake_list("SOURCES", [f"scenario/{name}" for name in program.sources]),
        "modules": _cmake_list("NS3_MODULES", program.modules),
        "example": "",
        "arguments": "",
        "spaces": "",
        "files": f"| {names} | {content} |",
    }


def _gymnasium_words(words: dict[str, str], agents: int) -> dict[str, str]:
    if agents > 1:
        return {"gymnasium_id": "", "in_gymnasium": ""}
    identifier = f"defiance_zoo/{words['camel']}-v0"
    return {
        "gymnasium_id": f'    gymnasium_id="{identifier}",\n',
        "in_gymnasium": f"In Gymnasium it is `{identifier}`. ",
    }


def _cmake_list(keyword: str, values: list[str]) -> str:
    return "\n".join(f"  {each}" for each in [keyword, *values])


def write(files: Mapping[str, str | bytes], folder: Path) -> None:
    """Write files into a folder that is empty or does not exist, all or none.

    The files are written beside the folder, and moved into it when complete. An existing empty
    folder is kept, as it may be somebody's current folder.
    """
    with tempfile.TemporaryDirectory(prefix=f".{folder.name}-", dir=folder.parent) as beside:
        project = Path(beside) / "project"
        for path, content in files.items():
            target = project / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content.encode() if isinstance(content, str) else content)
        if folder.exists():
            for entry in project.iterdir():
                entry.rename(folder / entry.name)
        else:
            project.rename(folder)


SNAKE_CASE = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")

CMAKE_TARGETS = (
    "all",
    "clean",
    "depend",
    "edit_cache",
    "help",
    "install",
    "package",
    "preinstall",
    "rebuild_cache",
    "test",
)
TAKEN = {
    "build": "the project builds in a folder of this name",
    "scenario": "the project has a folder of this name for its C++ files",
    "tests": "the project has a folder of this name",
    "defiance": "CMake finds the library by this name",
    **dict.fromkeys(CMAKE_TARGETS, "CMake has a target of this name"),
}
"""Names that have a meaning in the project."""


def check_name(name: str, folder: Path | None) -> None:
    """Refuse a name that some part of a new project cannot have.

    Python may see the empty folder of the project as a package. An environment of the zoo has no
    folder here: its package is inside of another one.
    """
    problem = _problem(name, folder)
    if problem is not None:
        raise click.BadParameter(problem, param_hint="'NAME'")


def _problem(name: str, folder: Path | None) -> str | None:
    if not SNAKE_CASE.fullmatch(name):
        return (
            f"{name!r} is not lower_snake_case: small letters, digits and single underscores, "
            f"beginning with a letter{_suggestion(name)}"
        )
    if keyword.iskeyword(name):
        return f"{name!r} is a keyword of Python"
    if re.search(r"_v\d+$", name):
        return f"{name!r} ends like a version; leave the version out: the environment gets _v0"
    if f"{name}_v0" in registered():
        return f"{name}_v0 is a registered environment"
    if folder is None:
        return None
    if name in TAKEN:
        return f"{name!r} is taken: {TAKEN[name]}"
    module = _find_module(name, folder)
    if module is not None:
        return f"{name!r} would hide a module that can be imported: {module}"
    return None


def _suggestion(name: str) -> str:
    words = snake_case(name)
    return f"; did you mean {words!r}?" if SNAKE_CASE.fullmatch(words) else ""


def _find_module(name: str, folder: Path) -> str | None:
    """Return the place from which Python would import `name`, unless it is `folder`."""
    spec = importlib.util.find_spec(name)
    if spec is None:
        return None
    if spec.origin is not None:
        return spec.origin
    places = [Path(place).resolve() for place in spec.submodule_search_locations or ()]
    return next((str(place) for place in places if place != Path(os.path.realpath(folder))), None)
