# SPDX-License-Identifier: GPL-2.0-only
"""An existing ns-3 program that a new project is written around, and the skeleton of its agent."""

from __future__ import annotations

import codecs
import functools
import importlib.resources
import importlib.util
import os
import re
import textwrap
from dataclasses import dataclass, replace
from pathlib import Path
from string import Template
from typing import Literal, get_args

import click

from defiance_zoo.bridge.system.reading import read_bytes

Style = Literal["applications", "direct", "env"]
"""A style of a scenario's agents."""

STYLES: tuple[Style, ...] = get_args(Style)
_INCLUDE = re.compile(
    r'^\s*#\s*include\s*(?:<(?P<system>[^>]+)>|"(?P<quoted>[^"]+)")', re.MULTILINE
)
_MAIN = re.compile(r"^\s*(?:int\s+)?main\s*\(", re.MULTILINE)
_LARGEST_BYTES = 16 * 1024 * 1024
_LINKED = {"core", "network", "internet", "defiance", "opengym", "ai"}
"""Modules that every scenario is linked with, and their names in other packages."""
_WORDS: dict[Style, str] = {
    "env": r"\bOpenGym(Env|Interface)\b",
    "direct": r"\bOpenGymMultiAgentInterface\b",
}


_AGENT = re.compile(
    r"\b(?:OpenGym\w*|Rl(?:Simulation|Application\w*)|\w*AgentApplication)\b"
    r"|\bns3/(?:opengym|ai|defiance)-module\.h"
)


@dataclass(frozen=True)
class Program:
    """The source files of a program, as a project gets them, and a note on changes in them."""

    files: tuple[Path, ...]
    contents: tuple[bytes, ...]
    note: str = ""

    @functools.cached_property
    def texts(self) -> tuple[str, ...]:
        """The text of each file, for searches."""
        return tuple(map(_decode, self.contents))

    @property
    def style(self) -> Style:
        """The style of its agents, derived from the names in its sources."""
        for style, word in _WORDS.items():
            if any(re.search(word, text) for text in self.texts):
                return style
        return "applications"

    @property
    def has_agent(self) -> bool:
        """Whether it has an agent, or uses classes for agents."""
        return any(_AGENT.search(text) for text in self.texts)

    def with_text(self, place: int, text: str, note: str) -> Program:
        """Return the program with another text of one file, in the encoding of the file."""
        contents = list(self.contents)
        contents[place] = text.encode(_encoding(contents[place]))
        return replace(self, contents=tuple(contents), note=note)

    @property
    def describes_itself(self) -> bool:
        """Whether it declares its parameters, so that Python can list them."""
        return any(re.search(r"\bRlSimulation\b", text) for text in self.texts)

    @property
    def sources(self) -> list[str]:
        """Names of the files that are compiled."""
        return [file.name for file in self.files if file.suffix != ".h"]

    @property
    def modules(self) -> list[str]:
        """Modules of ns-3 whose headers it includes, without those that are always linked."""
        owners = _owners_of_headers()
        found = {
            module
            for header in self._headers("ns3/")
            for module in [
                header.removesuffix("-module.h")
                if header.endswith("-module.h")
                else owners.get(header)
            ]
            if module is not None
        }
        return sorted(found - _LINKED)

    def _headers(self, folder: str) -> list[str]:
        """Return the headers of a folder that it includes, without the folder."""
        names = [
            found["system"] or found["quoted"]
            for text in self.texts
            for found in _INCLUDE.finditer(text)
        ]
        return [name.removeprefix(folder) for name in names if name.startswith(folder)]

    def missing(self) -> list[str]:
        """Return its own included headers that are not among its files."""
        here = {file.name for file in self.files}
        quoted = [found["quoted"] for text in self.texts for found in _INCLUDE.finditer(text)]
        own = [name for name in quoted if name and not name.startswith("ns3/")]
        return sorted({name for name in own if Path(name).name not in here})


def read_program(files: tuple[Path, ...]) -> Program:
    """Read the files of a program: C++ sources, one of which has `main`, and headers."""
    program = Program(files, tuple(map(_read, files)))
    names = [file.name for file in files]
    mains = [name for name, text in zip(names, program.texts, strict=True) if _MAIN.search(text)]
    problem = ""
    if unknown := [name for name in names if Path(name).suffix not in {".cc", ".cpp", ".h"}]:
        problem = f"{unknown} are neither .cc, .cpp nor .h files"
    elif len(set(names)) < len(names):
        problem = "two files have the same name"
    elif len(mains) != 1:
        problem = f"one file has to have main(), but {mains or 'none'} has it"
    elif missing := program.missing():
        problem = f"{missing} are included: give them with --from, too"
    if problem:
        raise click.UsageError(f"--from: {problem}")
    return program


def _read(file: Path) -> bytes:
    try:
        content = read_bytes(file, _LARGEST_BYTES)
    except OSError as error:
        raise click.UsageError(f"--from: {file} cannot be read: {error.strerror}") from error
    if b"\0" in content:
        raise click.UsageError(f"--from: {file} is not text in UTF-8 or Latin-1")
    return content


def _decode(content: bytes) -> str:
    return content.decode(_encoding(content))


def _encoding(content: bytes) -> str:
    """Return UTF-8, with or without a byte order mark, or else Latin-1."""
    encoding = "utf-8-sig" if content.startswith(codecs.BOM_UTF8) else "utf-8"
    try:
        content.decode(encoding)
    except UnicodeDecodeError:
        return "latin-1"
    return encoding


def _owners_of_headers() -> dict[str, str]:
    """Return the module of each header of ns-3, as far as its headers are found."""
    owners: dict[str, str] = {}
    for folder in _ns3_headers():
        for path in folder.glob("*-module.h"):
            module = path.name.removesuffix("-module.h")
            for found in _INCLUDE.finditer(path.read_text(encoding="utf-8")):
                header = found["system"] or found["quoted"]
                owners.setdefault(header.removeprefix("ns3/"), module)
    return owners


def _ns3_headers() -> list[Path]:
    """Return folders of ns-3's headers: beside $NS3_DIR, or in the wheel."""
    if "NS3_DIR" in os.environ:
        prefixes = list(Path(os.environ["NS3_DIR"]).parents)[:3]
    else:
        spec = importlib.util.find_spec("ns3")
        locations = spec.submodule_search_locations if spec else None
        prefixes = [Path(each) for each in locations or ()]
    return [folder for prefix in prefixes if (folder := prefix / "include" / "ns3").is_dir()]


_RUN = re.compile(r"^([ \t]*)(?:ns3::)?Simulator::Run\(\);", re.MULTILINE)
_STOP = re.compile(r"^[ \t]*(?:ns3::)?Simulator::Stop\([^)]", re.MULTILINE)
_STOP_LINE = "    Simulator::Stop(Seconds(10)); // TODO: the end of an episode\n"
_INCLUDE_LINE = re.compile(r"^[ \t]*#[ \t]*include\b.*\r?\n", re.MULTILINE)
_USING = re.compile(r"^using namespace ns3;[ \t]*\r?\n", re.MULTILINE)


def with_agent(program: Program, style: Style, agents: int) -> Program:
    """Return a program with the skeleton of an agent around its line `Simulator::Run();`."""
    found = [(n, run) for n, text in enumerate(program.texts) for run in _RUN.finditer(text)]
    if len(found) != 1:
        raise click.UsageError(
            f"--from: there is no agent in {', '.join(each.name for each in program.files)}, and "
            f"{len(found) or 'no'} lines Simulator::Run(); where one could be inserted: an episode "
            "is one run of the simulator, so keep one such line"
        )
    place, run = found[0]
    text = program.texts[place]
    using = _USING.search(text, 0, run.start())
    stop = "" if any(_STOP.search(each) for each in program.texts) else _STOP_LINE
    includes, declarations, block = _render(style, agents, "" if using else _USING_LINE, stop)

    first = _INCLUDE_LINE.search(text)
    begin = first.start() if first else 0
    ends = [each.end() for each in _INCLUDE_LINE.finditer(text, 0, run.start())]
    after = using.end() if using else max(ends, default=0)
    newline = "\r\n" if "\r\n" in text else "\n"
    changed = "".join(
        [
            text[:begin],
            f"{includes}\n".replace("\n", newline),
            text[begin:after],
            f"\n{declarations}".replace("\n", newline) if declarations else "",
            text[after : run.start()],
            textwrap.indent(block, run[1]).rstrip().replace("\n", newline),
            text[run.end() :],
        ]
    )
    line = text.count("\n", 0, run.start()) + 1
    note = f"{program.files[place].name}:{line}: agents decide here: fill in each TODO of the copy"
    if stop:
        note += ". Simulator::Stop(Seconds(10)) is added, as the program has none"
    return program.with_text(place, changed, note)


_USING_LINE = "    using namespace ns3;\n"


def _render(style: Style, agents: int, using: str, stop: str) -> list[str]:
    """Return the includes, the declarations and the statements of a style's skeleton."""
    folder = importlib.resources.files(__package__) / "template" / "agents"
    template = Template((folder / f"{style}.cc.in").read_text(encoding="utf-8"))
    return template.substitute(agents=agents, using=using, stop=stop).split("////\n")[1:]
