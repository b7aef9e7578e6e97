# SPDX-License-Identifier: GPL-2.0-only
"""The texts of source files and pages: docstrings, comments, messages, Doxygen, paragraphs."""

from __future__ import annotations

import ast
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

# A string with fewer words is a name, a key or a format.
WORDS_OF_A_MESSAGE = 4
# A line that occurs only in programs.
PROGRAM = re.compile(r"^\s*(import|from|for|def|class)\b.*\n", re.MULTILINE)

CPP_TOKENS = re.compile(
    r'R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"'
    r'|(?P<string>"(?:\\.|[^"\\\n])*"(?:\s*"(?:\\.|[^"\\\n])*")*)'
    r"|(?P<comment>/\*.*?\*/|//[^\n]*(?:\n[ \t]*//[^\n]*)*)"
    r"|'(?:\\.|[^'\\\n])+'",
    re.DOTALL,
)
CPP_MARKS = re.compile(r"^[ \t]*(?:/\*[*!]*|\*+/?|//[/!]*<?)[ \t]?|\*+/[ \t]*$", re.MULTILINE)
# Doxygen commands that begin a text.
CPP_PARTS = re.compile(
    r"[\\@](?:brief|details|return|throws?\s+\S+|t?param(?:\[[\w,]+\])?\s+\S+|file|note|ingroup\s+\S+"
    r"|defgroup\s+\S+)\s"
)
# A list's mark, a quotation's, or a heading's, and a cell's border.
PAGE_BREAKS = re.compile(r"^\s*(?:[-*+]|\d+\.|>|#+|!!!|\?\?\?)\s+|^\s*\|")
Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
SENTENCE_END = re.compile(r"(?<=[.!?])[\"')*_]*\s+(?=[\"'(*_`\[]*[A-Z0-9`])")


@dataclass(frozen=True)
class Text:
    """One text without code, with its first line and its kind.

    `kind` is "module", "class", "function" or "property" (docstrings), "comment", "message",
    "page" or "target" (the help of a target of the Makefile).
    """

    path: Path
    line: int
    kind: str
    text: str

    def sentences(self) -> list[str]:
        """Return the sentences of all paragraphs, each on one line."""
        paragraphs = re.split(r"\n\s*\n|\n(?=\s*(?:[-*|]|\d+\.|\w+:)\s)", self.text)
        lines = (" ".join(paragraph.split()) for paragraph in paragraphs)
        return [each for line in lines for each in SENTENCE_END.split(line) if each]


def read_texts(path: Path) -> list[Text]:
    """Return the texts of a file; empty without a reader for this kind of file."""
    reader = READERS.get(path.suffix or path.name)
    if reader is None and not path.suffix:
        with path.open("rb") as file:
            reader = read_python if file.readline().startswith(b"#!/usr/bin/env python3") else None
    return list(reader(path, path.read_text())) if reader else []


def read_python(path: Path, source: str) -> Iterator[Text]:
    """Yield docstrings, strings of several words, and comments."""
    tree = ast.parse(source)
    seen: set[ast.AST] = set()
    for node in ast.walk(tree):  # parents before their children
        if node in seen:
            continue
        if isinstance(node, Documented) and (docstring := ast.get_docstring(node)):
            seen.update(ast.walk(node.body[0]))
            yield Text(path, node.body[0].lineno, kind_of(node), docstring)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            seen.add(node.value)
            yield Text(path, node.lineno, "property", str(node.value.value))
        elif isinstance(node, ast.JoinedStr):
            seen.update(node.values)
            parts = (each.value if isinstance(each, ast.Constant) else "x" for each in node.values)
            yield from messages(path, node.lineno, "".join(map(str, parts)))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from messages(path, node.lineno, node.value)
    yield from read_python_comments(path)


def messages(path: Path, line: int, text: str) -> Iterator[Text]:
    """Yield a string if it is a message: several words, and no program."""
    words = re.findall(r"[A-Za-z]{2,}", text)
    if len(words) >= WORDS_OF_A_MESSAGE and not PROGRAM.search(text):
        yield Text(path, line, "message", text)


def kind_of(node: Documented) -> str:
    """Return the kind of a node's docstring."""
    if isinstance(node, ast.Module):
        return "module"
    if isinstance(node, ast.ClassDef):
        return "class"
    names = {ast.unparse(each).split(".")[-1] for each in node.decorator_list}
    return "property" if names & {"property", "cached_property"} else "function"


def read_python_comments(path: Path) -> Iterator[Text]:
    """Yield comments; lines that follow each other in one column are one text."""
    block: list[tokenize.TokenInfo] = []
    with path.open("rb") as file:
        tokens = [
            each for each in tokenize.tokenize(file.readline) if each.type == tokenize.COMMENT
        ]
    for token in [*tokens, None]:
        if block and (token is None or token.start != (block[-1].start[0] + 1, block[-1].start[1])):
            lines = (each.string.lstrip("#").strip() for each in block)
            yield Text(path, block[0].start[0], "comment", "\n".join(lines))
            block = []
        if token is not None:
            block.append(token)


def read_cpp(path: Path, source: str) -> Iterator[Text]:
    """Yield comments, each part of Doxygen's for itself, and strings of several words."""
    for match in CPP_TOKENS.finditer(source):
        line = source.count("\n", 0, match.start()) + 1
        if match["comment"]:
            for part in CPP_PARTS.split(CPP_MARKS.sub("", match["comment"])):
                if part.strip():
                    yield Text(path, line, "comment", part.strip())
        elif match["string"]:
            yield from messages(path, line, re.sub(r'"\s*"', "", match["string"])[1:-1])


def read_page(path: Path, source: str) -> Iterator[Text]:
    """Yield paragraphs, items of lists, headings and cells of tables, without blocks of code."""
    without_code = re.sub(
        r"^\s*(```|~~~).*?^\s*\1[^\n]*$|<!--.*?-->",
        lambda match: "\n" * match[0].count("\n"),
        source,
        flags=re.MULTILINE | re.DOTALL,
    )
    block: list[str] = []
    first = 0
    for number, line in enumerate([*without_code.split("\n"), ""], 1):
        if block and (not line.strip() or PAGE_BREAKS.match(line)):
            yield Text(path, first, "page", "\n".join(block))
            block = []
        if line.lstrip().startswith("|"):
            for cell in re.split(r"(?<!\\)\|", line):
                if re.search(r"[A-Za-z]{2}", cell):
                    yield Text(path, number, "page", cell.strip())
        elif line.strip():
            first = first if block else number
            block.append(PAGE_BREAKS.sub("", line).strip())


def read_makefile(path: Path, source: str) -> Iterator[Text]:
    """Yield the line that `make help` prints for each target."""
    for number, line in enumerate(source.split("\n"), 1):
        if match := re.match(r"[a-z-]+:.*## (.*)", line):
            yield Text(path, number, "target", match[1])


READERS = {
    ".py": read_python,
    ".cc": read_cpp,
    ".h": read_cpp,
    ".proto": read_cpp,
    ".md": read_page,
    "Makefile": read_makefile,
}
