# SPDX-License-Identifier: GPL-2.0-only
"""The skeleton of an agent that `defiance-zoo new --from` writes into a plain ns-3 program."""

from __future__ import annotations

import importlib.resources
import re
import textwrap
from string import Template

import click

from defiance_zoo.command_line.new_project.existing_program import Program, Style

_RUN = re.compile(r"^([ \t]*)(?:ns3::)?Simulator::Run\(\);", re.MULTILINE)
_STOP = re.compile(r"^[ \t]*(?:ns3::)?Simulator::Stop\([^)]", re.MULTILINE)
_STOP_LINE = "    Simulator::Stop(Seconds(10)); // TODO: the end of an episode\n"
_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include\b.*\r?\n", re.MULTILINE)
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

    first = _INCLUDE.search(text)
    begin = first.start() if first else 0
    ends = [each.end() for each in _INCLUDE.finditer(text, 0, run.start())]
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
