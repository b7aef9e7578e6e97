# SPDX-License-Identifier: GPL-2.0-only
"""Profiles of valgrind's callgrind: instructions of functions, and their callers.

The format is defined in callgrind's manual, "Callgrind Format Specification".
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

_NAME = re.compile(r"(?P<kind>c?ob|c?fn|f[lie]|cf[li])=\((?P<number>\d+)\)(?: (?P<name>.*))?")
_TABLES = {"ob": "ob", "fn": "fn"}
"""Of names, by the end of their kind; all others are of files."""
_COST = re.compile(r"(?:[+-]?\d+|\*) (?P<cost>\d+)$")
_ROUNDS = 100
"""Maximum length of a chain of calls; longer chains change nothing."""


class Function(NamedTuple):
    """A function.

    Attributes:
        object: Path of its library or program.
        name: Name with parameters.
    """

    object: str
    name: str


@dataclass(frozen=True)
class Profile:
    """Numbers of instructions.

    Attributes:
        itself: Instructions of each function, except for its calls.
        calls: Instructions of calls from one function to another, with all nested calls.
        files: The source file of each function, if known.
    """

    itself: Counter[Function] = field(default_factory=Counter)
    calls: Counter[tuple[Function, Function]] = field(default_factory=Counter)
    files: dict[Function, str] = field(default_factory=dict)

    def functions(self) -> set[Function]:
        """Return all called functions."""
        return {*self.itself, *(function for call in self.calls for function in call)}


def read_profile(lines: Iterable[str]) -> Profile:
    """Return the profile in the lines of a file.

    Args:
        lines: Lines without line ends.
    """
    profile = Profile()
    names: dict[tuple[str, str], str] = {}  # those that are written once, and then by number
    now = dict.fromkeys(("ob", "fl", "fn", "cob", "cfn"), "")
    called = False
    for line in lines:
        if match := _NAME.match(line):
            kind, key = match["kind"], (_TABLES.get(match["kind"][-2:], "fl"), match["number"])
            if match["name"] is not None:
                names[key] = match["name"]
            now[kind] = names[key]
            if kind == "fn":
                profile.files[Function(now["ob"], now["fn"])] = now["fl"]
        elif line.startswith("calls="):
            called = True
        elif match := _COST.match(line):
            caller = Function(now["ob"], now["fn"])
            if called:
                callee = Function(now["cob"] or now["ob"], now["cfn"])
                profile.calls[caller, callee] += int(match["cost"])
                called, now["cob"] = False, ""
            else:
                profile.itself[caller] += int(match["cost"])
    return profile


def attribute(profile: Profile, known: Mapping[Function, float]) -> Mapping[Function, float]:
    """Return the share of each function's instructions that belongs to an account.

    Unknown functions belong to their callers' accounts, in proportion to the calls' instructions.

    Args:
        profile: Profile with the calls.
        known: Shares of known functions, from 0 to 1.
    """
    callers: dict[Function, list[tuple[Function, int]]] = defaultdict(list)
    for (caller, callee), instructions in profile.calls.items():
        if callee not in known and caller != callee and instructions:
            callers[callee].append((caller, instructions))
    shares = dict.fromkeys(profile.functions(), 0.0) | dict(known)
    for _ in range(_ROUNDS):
        for function, calls in callers.items():
            total = sum(instructions for _, instructions in calls)
            shares[function] = sum(shares[caller] * number for caller, number in calls) / total
    return shares
