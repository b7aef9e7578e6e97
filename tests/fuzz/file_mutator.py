# SPDX-License-Identifier: GPL-2.0-only
"""Mutate files: their bytes, and the values in their format."""

from __future__ import annotations

import copy
import gzip
import json
import math
import random
from collections.abc import Callable, Sequence
from typing import Any

import yaml
from mutator import Mutator

_ODD: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2**31, 2**63, 2**64, -(2**63) - 1, 10**19, 0.5, -0.0, 1e308,
    math.nan, math.inf, -math.inf, "", "x", "0", "../..", "/dev/zero", "\x00", "\ud800", "é" * 99,
    "a" * 5000, [], {}, [[]], [None], {"": {}}, [0] * 300, {"explorer": "strict"}, [{}] * 3,
)  # fmt: skip


_ODD_FIELDS = (b"", b"-1", b"nan", b"inf", b"1e999", b"9" * 30, b'"', b"x", b"\xff", b"\r")


class FileMutator:
    """A mutator of files from a corpus; the same seed gives the same contents."""

    def __init__(self, seed: int, contents: Sequence[bytes]) -> None:
        self._random = random.Random(seed)
        self._bytes = Mutator(seed, contents)
        self._contents = contents

    def next(self, content: bytes) -> bytes:
        """Return a content mutated from a file of the corpus, or another file's content."""
        kind = self._random.randrange(12)
        if kind == 0:
            return self._bytes.next()
        if kind == 1:
            return self._random.choice(self._contents)
        if kind == 2:
            return content[: self._random.randrange(len(content) + 1)]
        if kind == 3:
            return self._spot(content)
        return self._said(content)

    def _spot(self, content: bytes) -> bytes:
        data = bytearray(content)
        for _ in range(self._random.randrange(1, 4)):
            if data:
                data[self._random.randrange(len(data))] = self._random.randrange(256)
        return bytes(data)

    def _said(self, content: bytes) -> bytes:
        """Change a value in a structured file, also inside of a compressed one."""
        if content[:2] == b"\x1f\x8b":
            return gzip.compress(self._said(gzip.decompress(content)), 1, mtime=0)
        is_yaml = content[:1] not in (b"{", b"[")
        for read, write in _FORMATS[is_yaml:]:
            try:
                value = read(content)
            except (ValueError, yaml.YAMLError):
                continue
            if isinstance(value, dict | list):
                return write(self._change(value)).encode("utf-8", "surrogatepass")
        return self._lines(content)

    def _change(self, value: Any) -> Any:
        changed = value
        for _ in range(self._random.randrange(1, 3)):
            places: list[tuple[Any, Any]] = []
            _collect(changed, places)
            if not places:
                return self._random.choice(_ODD)
            holder, key = self._random.choice(places)
            kind = self._random.randrange(8)
            if kind == 0:
                del holder[key]
            elif kind == 1 and isinstance(holder, list):
                holder.insert(key, copy.deepcopy(holder[key]))
            elif kind == 2 and isinstance(holder, dict):
                holder[self._random.choice(("x", "", "steps", "env", str(key) + "s"))] = holder[key]
            elif kind == 3:
                holder[key] = copy.deepcopy(self._random.choice(places)[0])
            elif kind == 4:
                holder[key] = [copy.deepcopy(holder[key])]
            else:
                holder[key] = copy.deepcopy(self._random.choice(_ODD))
        return changed

    def _lines(self, content: bytes) -> bytes:
        """Change a field of a table, or a line of a text."""
        lines = content.split(b"\n")
        place = self._random.randrange(len(lines))
        fields = lines[place].split(b",")
        field = self._random.randrange(len(fields))
        odd = self._random.choice(_ODD_FIELDS)
        match self._random.randrange(5):
            case 0:
                del fields[field]
            case 1:
                fields.insert(field, odd)
            case 2:
                lines.insert(place, lines[self._random.randrange(len(lines))])
            case _:
                fields[field] = odd
        lines[place] = b",".join(fields)
        return b"\n".join(lines)


def _collect(value: Any, places: list[tuple[Any, Any]]) -> None:
    if len(places) > 3000:
        return
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, each in list(items):
        places.append((value, key))
        if isinstance(each, dict | list):
            _collect(each, places)


def _write_json(value: Any) -> str:
    return json.dumps(value)


def _write_yaml(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)  # YAML, too, if all numbers are finite


_FORMATS: tuple[tuple[Callable[[bytes], Any], Callable[[Any], str]], ...] = (
    (json.loads, _write_json),
    (lambda content: yaml.safe_load(content) if b": " in content[:200] else None, _write_yaml),
)


def bombs() -> dict[str, bytes]:
    """Return small contents that decode to large, deep or endless data."""
    deep, many = 100_000, 1_000_000
    return {
        "deep JSON": b"[" * deep + b"]" * deep,
        "deep objects": b'{"a":' * deep,
        "empty lists": b"[" + b"[]," * (40 * many) + b"[]]",
        "a number of digits": b'{"steps":' + b"9" * many + b"}",
        "gzip of zeros": gzip.compress(bytes(400 * many), 9),
        "gzip of lists": gzip.compress(b"[" + b"[]," * (40 * many) + b"1]", 1),
        "aliases": b"a: &a [x,x,x,x,x,x,x,x,x]\n"
        + b"".join(
            f"{chr(98 + n)}: &{chr(98 + n)} [{','.join([f'*{chr(97 + n)}'] * 9)}]\n".encode()
            for n in range(12)
        ),
        "merged aliases": b"a: &a {x: 1}\n"
        + b"".join(
            f"{chr(98 + n)}: &{chr(98 + n)}\n  <<: [{','.join([f'*{chr(97 + n)}'] * 9)}]\n".encode()
            for n in range(12)
        ),
        "deep YAML": b"a: " + b"[" * deep,
        "nested YAML": b"- " * deep,
        "entities": b'<?xml version="1.0"?><!DOCTYPE g [<!ENTITY a "'
        + b"x" * 1000
        + b'">'
        + b"".join(
            f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 20}">'.encode() for n in range(8)
        )
        + b"]><graphml><graph>&i;</graph></graphml>",
        "deep GML": b"graph [ " * deep,
        "lines": b"1,2\n" * (5 * many),
        "a wide line": b"1," * (5 * many),
    }
