# SPDX-License-Identifier: GPL-2.0-only
"""Reading of untrusted files, without waiting and within limits.

Every reader of the package uses this module. Files that are not regular are refused, so reading
never waits for the writer of a named pipe. The size of a file is checked before it is read, and the
memory for its content before it is decoded.

Functions raise `OSError` for files that cannot be read and `ValueError` for contents that cannot be
decoded; `naming()` converts these to errors that name the file and the remedy.
"""

from __future__ import annotations

import contextlib
import errno
import json
import math
import os
import re
import stat
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from defiance_zoo.errors import DefianceZooError, ParameterError

MOST_BYTES = 128 * 2**20
"""The default limit of the size of a file."""

MOST_MEMORY = 768 * 2**20
"""The limit of the memory of a decoded file in bytes, as far as it is known before decoding."""

_MOST_FILES = 100_000

_MOST_DEPTH = 100
"""The limit of nesting of JSON, as code for values recurses once for each level."""
_MOST_DIGITS = 20
"""The limit of digits of a whole number: integers of 64 bits have up to 20."""

_OF_COMMA, _OF_COLON, _OF_BRACKET = 64, 128, 128
"""The maximum bytes in memory for a comma, a colon and a bracket of JSON."""


@contextlib.contextmanager
def naming(
    path: str | os.PathLike[str],
    damage: str = "is damaged",
    kind: type[DefianceZooError] = ParameterError,
    also: tuple[type[Exception], ...] = (),
) -> Iterator[None]:
    """Name the file that cannot be read or decoded.

    `damage`: text about a file that cannot be decoded. `also`: errors besides `ValueError` for a
    file that cannot be decoded.
    """
    undecoded: tuple[type[Exception], ...] = (ValueError, *also)
    try:
        yield
    except OSError as error:
        raise kind(f"{error.filename or path} cannot be read: {error.strerror}") from error
    except undecoded as error:
        raise kind(f"{path} {damage}: {error}") from error


def read_bytes(path: str | os.PathLike[str], most: int = MOST_BYTES) -> bytes:
    """Return the content that a file has when it is opened."""
    descriptor = open_regular(path)
    with os.fdopen(descriptor, "rb") as file:
        size = os.fstat(descriptor).st_size
        if size > most:
            raise OSError(errno.EFBIG, f"it has {size:,} bytes; the maximum is {most:,}", str(path))
        return file.read(size)


def read_text(path: str | os.PathLike[str], most: int = MOST_BYTES) -> str:
    """Return the content of a file in UTF-8."""
    return read_bytes(path, most).decode("utf-8")


def read_json(path: str | os.PathLike[str], most: int = MOST_BYTES) -> Any:
    """Return the value in a file of JSON; see `parse_json()`."""
    return parse_json(read_bytes(path, most))


def parse_json(content: str | bytes) -> Any:
    """Return the value of JSON with finite numbers, and without repeated keys in an object."""
    data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    if _memory_of_json(data) > MOST_MEMORY:
        raise ValueError(f"it would take more than {MOST_MEMORY:,} bytes of memory")
    try:
        value = _DECODER.decode(data.decode("utf-8"))
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    _require_shallow(value)
    if _SURROGATE.search(data):  # a surrogate pair may be a character; a single surrogate is not
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    return value


def require_64_bits(value: int) -> int:
    """Check a whole number for NumPy, and return it."""
    if not -(2**63) <= value < 2**64:
        raise ValueError("a whole number has more than 64 bits")
    return value


def unzip(content: bytes, most: int = MOST_BYTES, *, wbits: int = zlib.MAX_WBITS | 16) -> bytes:
    """Return the content of a gzip file of one member.

    `wbits`: see `zlib`; for another kind of compression.
    """
    engine = zlib.decompressobj(wbits)
    try:
        plain = engine.decompress(content, most + 1)
    except zlib.error as error:
        raise ValueError(f"it is not compressed as expected, or damaged: {error}") from error
    if len(plain) > most:
        raise ValueError(f"it holds more than {most:,} bytes")
    if not engine.eof:
        raise ValueError("its end is missing")
    if engine.unused_data:
        raise ValueError("there are bytes after its end")
    return plain


def open_regular(path: str | os.PathLike[str], *, follow: bool = True) -> int:
    """Open a regular file without waiting; return its descriptor, which the caller closes."""
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
    descriptor = os.open(path, flags if follow else flags | os.O_NOFOLLOW)
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode):
        return descriptor
    os.close(descriptor)
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    raise OSError(errno.EINVAL, "it is not a regular file", str(path))


def list_files(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield the relative name and the path of each file of a folder, at any depth and in order.

    Symbolic links to files count as files; symbolic links to folders are not followed.
    """
    found: list[tuple[tuple[str, ...], Path]] = []
    for place, folders, names in os.walk(folder, onerror=_raise):
        for name in names + [each for each in folders if Path(place, each).is_symlink()]:
            path = Path(place, name)
            if not path.is_file():
                raise OSError(errno.EINVAL, "it is not a regular file", str(path))
            found.append((path.relative_to(folder).parts, path))
        if len(found) > _MOST_FILES:
            raise OSError(errno.E2BIG, f"it has more than {_MOST_FILES:,} files", str(folder))
    yield from ((str(Path(*parts)), path) for parts, path in sorted(found))


# ---------------------------------------------------------------------------- inside

_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_TOO_DEEP = f"it is nested more than {_MOST_DEPTH} deep"


def _raise(error: OSError) -> None:
    raise error


def _memory_of_json(data: bytes) -> int:
    """Return an upper bound of the memory of JSON: its texts, and an object for each value."""
    texts = len(data) * (3 if data.isascii() else 6)
    if texts + len(data) * _OF_BRACKET <= MOST_MEMORY:
        return texts  # in addition to its values
    brackets = data.count(b"[") + data.count(b"{")
    values = data.count(b",") * _OF_COMMA + data.count(b":") * _OF_COLON
    return texts + values + brackets * _OF_BRACKET


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        counts = Counter(name for name, _ in pairs)
        twice = counts.most_common(1)[0][0]
        raise ValueError(f"the key {twice!r} is repeated in one object")
    return found


def _integer(text: str) -> int:
    if len(text) > _MOST_DIGITS:
        raise ValueError(f"a whole number has {len(text)} digits")
    return require_64_bits(int(text))


def _real(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text[:_MOST_DIGITS]} is not a finite number")
    return value


def _constant(text: str) -> None:
    raise ValueError(f"{text} is not a finite number")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_integer, parse_float=_real, parse_constant=_constant
)


def _require_shallow(value: Any) -> None:
    """Raise ValueError for values that are nested too deeply."""
    level, depth = [value] if type(value) in (dict, list) else [], 0
    while level:
        depth += 1
        if depth > _MOST_DEPTH:
            raise ValueError(_TOO_DEEP)
        level = [
            each
            for holder in level
            for each in (holder.values() if type(holder) is dict else holder)
            if type(each) in (dict, list)
        ]
