# SPDX-License-Identifier: GPL-2.0-only
"""The skeleton of an agent that `defiance-zoo new --from` writes into a plain ns-3 program."""

from __future__ import annotations

import importlib.resources
import re
import textwrap
from collections.abc import Iterator
from string import Template
from typing import NamedTuple

import click

from defiance_zoo.bridge.system.spelling import snake_case
from defiance_zoo.command_line.new_project.existing_program import Program, Style
from defiance_zoo.command_line.new_project.project import SNAKE_CASE
from defiance_zoo.environments.arguments import require_free_parameters
from defiance_zoo.errors import ReservedName

_RUN = re.compile(r"(?:\bns3\s*::\s*)?\bSimulator\s*::\s*Run\s*\(\s*\)\s*;")
_STOP = re.compile(r"\bSimulator\s*::\s*Stop\s*\(\s*[^)\s]")
_STOP_LINE = "    Simulator::Stop(Seconds(10)); // TODO: the end of an episode\n"
_SEED = re.compile(r"\bRngSeedManager\s*::\s*Set(?:Seed|Run)\b")
_USING = re.compile(r"\busing\s+namespace\s+ns3\s*;")
_COMMAND_LINE = re.compile(r"\bCommandLine\b(?:\s+(\w+)\s*(?:\([^()]*\)|\{[^{}]*\})?\s*;)?")
_NAMESPACE = re.compile(r"\bnamespace\b|\bextern\s*\"")
_MAIN = re.compile(r"\bmain\s*\(")
_FUNCTION = re.compile(r"(\w+)\s*\(")
_LOOP = re.compile(r"\b(?:for|while|do)\b")
_END_OF_LINE = re.compile(r"[ \t]*(?://[^\n]*)?$", re.MULTILINE)
_CONTROL = {"endpoint", "token", "rounds", "policy", "action", "describe", "help"}
"""Arguments that every program takes."""
_TYPES = re.compile(
    r"(?:ns3::)?(?:Time|DataRate)|(?:std::)?(?:string|size_t|u?int(?:8|16|32|64)_t)"
    r"|bool|short|int|long|unsigned|float|double|(?:ns3::)?[A-Za-z]+_u"
)
"""Types of variables that `RlSimulation::AddValue()` takes; `_u` ends ns-3's units in doubles."""
_NO_TYPES = {"return", "else", "case", "new", "delete", "throw", "goto", "typename"}


class Source(NamedTuple):
    """A source of the program: its file's name, its text, and its text after `mask()`."""

    name: str
    text: str
    masked: str


class Change(NamedTuple):
    """A replacement of the characters from `start` to `end`, with a note for the user."""

    source: Source
    start: int
    end: int
    text: str
    note: str = ""

    @property
    def where(self) -> str:
        """File and line of the change."""
        return _where(self.source, self.start)


class Unsuitable(Exception):
    """The reason why a `CommandLine` cannot become an `RlSimulation`."""


def with_agent(program: Program, name: str, style: Style, agents: int) -> Program:
    """Return a program with the skeleton of an agent around its `Simulator::Run()`."""
    sources = [
        Source(file.name, text, mask(text))
        for file, text in zip(program.files, program.texts, strict=True)
    ]
    changes = [
        *_replace_command_line(sources, name),
        *_insert_agent(sources, style, agents),
        *_find_seeds(sources),
    ]
    texts = tuple(
        _apply(source.text, [change for change in changes if change.source is source])
        for source in sources
    )
    notes = tuple(f"{each.where}: {each.note}" for each in changes if each.note)
    return program.with_texts(texts, notes)


def _where(source: Source, position: int) -> str:
    return f"{source.name}:{line_number(source.text, position)}"


def _apply(text: str, changes: list[Change]) -> str:
    """Return a text with changes, and with the line ends of the text."""
    newline = "\r\n" if "\r\n" in text else "\n"
    parts, position = list[str](), 0
    for change in sorted(changes, key=lambda each: (each.start, each.end)):
        parts += [text[position : change.start], change.text.replace("\n", newline)]
        position = change.end
    return "".join([*parts, text[position:]])


def _insert_agent(sources: list[Source], style: Style, agents: int) -> Iterator[Change]:
    """Yield the changes that let agents decide while the simulator runs."""
    source, run = _find_run(sources)
    text, blocks = source.text, enclosing_blocks(source.masked, run.start())
    using = "    using namespace ns3;\n"
    for found in _USING.finditer(source.masked, 0, run.start()):
        if len(enclosing_blocks(source.masked, found.start())) == 1:  # a note about the whole file
            using = ""
    stop, note = "", "agents decide here: fill in each TODO of the copy"
    if not any(_STOP.search(each.masked) for each in sources):
        stop = _STOP_LINE
        note += ". Simulator::Stop(Seconds(10)) is added, as the program has none"
    folder = importlib.resources.files(__package__) / "template" / "agents"
    template = Template((folder / f"{style}.cc.in").read_text(encoding="utf-8"))
    rendered = template.substitute(agents=agents, using=using, stop=stop)
    _, includes, declarations, block = rendered.split("////\n")

    include = find_first_include(text)
    yield Change(source, include, include, f"{includes}\n")
    if declarations:
        before = next(each.start for each in blocks if not _NAMESPACE.search(each.head))
        if comment := _END_OF_LINE.match(text, before):
            before = comment.end()
        yield Change(source, before, before, f"\n\n{declarations.rstrip()}")
    line = text[text.rfind("\n", 0, run.start()) + 1 : run.start()]
    indented = textwrap.indent(block, line[: len(line) - len(line.lstrip())]).strip()
    yield Change(source, *run.span(), indented, note)


def _find_run(sources: list[Source]) -> tuple[Source, re.Match[str]]:
    """Return the only `Simulator::Run()`."""
    found = [(each, run) for each in sources for run in _RUN.finditer(each.masked)]
    if not found:
        raise click.UsageError(
            f"--from: there is no agent in {', '.join(each.name for each in sources)}, and no "
            "statement Simulator::Run(); at which one could be inserted"
        )
    _require_one(found, "Simulator::Run()")
    source, run = found[0]
    heads = [each.head for each in enclosing_blocks(source.masked, run.start())]
    functions = [name for head in heads for name in _FUNCTION.findall(head)]
    function = functions[0] if functions else "main"
    if function != "main":
        call = re.compile(rf"(?:[.;{{}}=(,!]|->|\breturn\b)\s*\b({function})\s*\(")
        calls = [(each, found) for each in sources for found in call.finditer(each.masked)]
        _require_one(calls, f"{function}(), which runs the simulator,")
    return source, run


def _require_one(calls: list[tuple[Source, re.Match[str]]], what: str) -> None:
    """Refuse a program that calls a function several times."""
    lines = [_where(source, call.end() - 1) for source, call in calls[:3]]
    repeats = [
        source
        for source, call in calls
        if any(_LOOP.search(each.head) for each in enclosing_blocks(source.masked, call.start()))
    ]
    if len(calls) > 1 or repeats:
        raise click.UsageError(
            f"--from: {', '.join(lines)} {'call' if len(calls) > 1 else 'calls'} {what} "
            f"{'in a loop' if repeats else 'several times'}. An episode is one run of the "
            "simulator: keep one, and turn the differences between them into an option of the "
            "program"
        )


def _find_seeds(sources: list[Source]) -> Iterator[Change]:
    """Yield a note for each line that overrides the seed that Python passes."""
    note = "the program sets ns-3's seed, so reset(seed=...) has no effect: delete this line"
    for source in sources:
        for found in _SEED.finditer(source.masked):
            yield Change(source, found.start(), found.start(), "", note)


def _replace_command_line(sources: list[Source], name: str) -> Iterator[Change]:
    """Yield the changes that turn a `CommandLine` into an `RlSimulation`, or a note of refusal."""
    found = [(each, line) for each in sources for line in _COMMAND_LINE.finditer(each.masked)]
    if not found:
        return
    source, line = found[0]
    try:
        outside = [each.head for each in enclosing_blocks(source.masked, line.start())]
        if len(found) > 1 or not line[1] or len(outside) != 2 or not _MAIN.search(outside[0]):
            raise Unsuitable("it is not one variable of main()")
        renamed = list(_rename_parameters(source, line, name))
    except Unsuitable as error:
        note = f"CommandLine stays: {error}. Only the program checks its parameters"
        yield Change(source, line.start(), line.start(), "", note)
        return
    if not _RUN.search(source.masked):  # else the agent includes it
        include = find_first_include(source.text)
        yield Change(source, include, include, '#include "ns3/rl-simulation.h"\n')
    note = "CommandLine becomes RlSimulation"
    if renamed:
        note += f", and parameters are {', '.join(each.text for each in renamed)}"
    yield Change(source, *line.span(), f'RlSimulation {line[1]}("{name}");', note)
    yield from renamed


def _rename_parameters(source: Source, line: re.Match[str], scenario: str) -> Iterator[Change]:
    """Yield a change for the name of each parameter of a `CommandLine`."""
    names, calls = list[str](), 0
    method = rf"\b{line[1]}\b(?:\s*\.\s*(\w+)\s*\()?"
    for use in re.compile(method).finditer(source.masked, line.end()):
        where = _where(source, use.start())
        calls += use[1] == "Parse"
        if use[1] not in ("AddValue", "Parse") or calls > 1:
            raise Unsuitable(f"{where} has no counterpart in RlSimulation")
        if use[1] == "Parse":
            continue
        spans = call_arguments(source.masked, use.end())
        given = [source.text[start:end].strip() for start, end in spans]
        literal = re.fullmatch(r'"(\w+)"', given[0]) if len(given) == 3 else None
        if not literal or not _is_plain_value(source, given[2]):
            raise Unsuitable(
                f"{where} has a kind of value that RlSimulation::AddValue() does not take"
            )
        name = snake_case(literal[1])
        if not SNAKE_CASE.fullmatch(name) or name in (*names, *_CONTROL):
            raise Unsuitable(f"{where} has a name that parameters cannot have")
        names.append(name)
        start = source.text.index(given[0], spans[0][0])
        yield Change(source, start, start + len(given[0]), f'"{name}"')
    try:
        require_free_parameters(scenario, names)
    except ReservedName as error:
        raise Unsuitable(str(error)) from None


def _is_plain_value(source: Source, variable: str) -> bool:
    """Return whether the source declares a variable, always of a type that parameters can have."""
    if not re.fullmatch(r"\w+", variable):
        return False
    declared = rf"((?:\w+::)?\w+)\s+{variable}\s*(?=[=;{{(,)])"
    types = set(re.findall(declared, source.masked)) - _NO_TYPES
    return bool(types) and all(_TYPES.fullmatch(each) for each in types)


_HIDDEN = re.compile(
    r"(?P<comment>//(?:\\\r?\n|[^\n])*|/\*.*?\*/)"
    r'|(?P<raw>R"(?P<mark>[^()\s\\]{0,16})\(.*?\)(?P=mark)")'
    r"|(?P<text>\"(?:\\.|[^\"\\\n])*\"|(?<!\d)'(?:\\.|[^'\\\n])+')"
    r"|(?P<directive>^[ \t]*#(?:\\\r?\n|[^\n])*)",
    re.DOTALL | re.MULTILINE,
)


class Block(NamedTuple):
    """A pair of braces.

    `start` is the offset of its statement or declaration, comments included. `head` is the text
    from there to the brace, without comments, strings and directives.
    """

    start: int
    head: str


def mask(text: str) -> str:
    """Replace comments, directives and the contents of strings by spaces.

    A replaced directive ends with a semicolon, like a declaration.
    """
    return _HIDDEN.sub(_mask_found, text)


def _mask_found(found: re.Match[str]) -> str:
    spaces = re.sub(r"[^\n]", " ", found[0])
    match found.lastgroup:
        case "text":
            return found[0][0] + spaces[1:-1] + found[0][-1]
        case "directive":
            return spaces[:-1] + ";"
    return spaces


def enclosing_blocks(masked: str, position: int) -> list[Block]:
    """Return the blocks around a position from the outside in, then the statement at it."""
    opened: list[tuple[Block, int]] = []
    start = parentheses = 0
    for found in re.finditer(r"[{}();]", masked[:position]):
        match found[0]:
            case "(":
                parentheses += 1
            case ")":
                parentheses = max(0, parentheses - 1)
            case "{":
                opened.append((Block(start, masked[start : found.start()]), parentheses))
                start, parentheses = found.end(), 0
            case "}" if opened:
                block, parentheses = opened.pop()
                start = block.start if parentheses else found.end()
            case ";" if not parentheses:
                start = found.end()
    return [*(block for block, _ in opened), Block(start, masked[start:position])]


def call_arguments(masked: str, position: int) -> list[tuple[int, int]]:
    """Return the start and end offsets of each argument of a call, which begins at a position."""
    arguments = []
    start, depth = position, 0
    for found in re.finditer(r"[(){}\[\],]", masked[position:]):
        offset = position + found.start()
        if not depth and found[0] in ",)":
            arguments.append((start, offset))
            start = offset + 1
        if found[0] in "({[":
            depth += 1
        elif found[0] in ")}]":
            depth -= 1
            if depth < 0:
                break
    return arguments


def line_number(text: str, position: int) -> int:
    """Return the number of the line of an offset, counted from 1."""
    return text.count("\n", 0, position) + 1


def find_first_include(text: str) -> int:
    """Return the offset of the first include line inside the fewest conditions."""
    depth = 0
    found = []
    for each in _HIDDEN.finditer(text):
        if each.lastgroup == "directive":
            word = re.sub(r"^\s*#\s*", "", each[0])
            depth += word.startswith("if") - word.startswith("endif")
            if word.startswith("include"):
                found.append((depth, each.start()))
    return min(found, default=(0, 0))[1]
