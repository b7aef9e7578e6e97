# SPDX-License-Identifier: GPL-2.0-only
"""The structure of C++ sources, read without a compiler."""

from __future__ import annotations

import re
from typing import NamedTuple

_HIDDEN = re.compile(
    r"(?P<comment>//(?:\\\r?\n|[^\n])*|/\*.*?\*/)"
    r'|(?P<raw>R"(?P<mark>[^()\s\\]{0,16})\(.*?\)(?P=mark)")'
    r"|(?P<text>\"(?:\\.|[^\"\\\n])*\"|(?<!\d)'(?:\\.|[^'\\\n])+')"
    r"|(?P<directive>^[ \t]*#(?:\\\r?\n|[^\n])*)",
    re.DOTALL | re.MULTILINE,
)


class Block(NamedTuple):
    """A pair of braces.

    Attributes:
        start: Offset of its statement or declaration, comments included.
        head: The text from there to the brace, without comments, strings and directives.
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
    """Return the blocks around a position from the outside in, then the statement at it.

    Args:
        masked: A source, after `mask()`.
        position: An offset in it.
    """
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
    """Return the start and end offsets of each argument of a call.

    Args:
        masked: A source, after `mask()`.
        position: The offset after the opening parenthesis.
    """
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
