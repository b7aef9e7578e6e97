# SPDX-License-Identifier: GPL-2.0-only
"""Files that are written completely, or not at all, and JSON with finite numbers only."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import stat
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from defiance_zoo.bridge.system.plain_values import to_plain
from defiance_zoo.errors import NotWritten, ParameterError

_ASIDE = ".incomplete"


@contextlib.contextmanager
def writing(path: Path) -> Iterator[None]:
    """Name the file or folder that cannot be written; errors of a full disk do not name it."""
    try:
        yield
    except NotWritten:
        raise
    except Exception as error:
        reason = _find_system_error(error)
        if reason is None:
            raise
        words = reason.strerror or str(reason)
        named = NotWritten(f"{path} cannot be written: {words}")
        named.strerror = words
        raise named from error


def _find_system_error(error: BaseException | None) -> OSError | None:
    """Return the error of the operating system that is, or has caused, an error."""
    while error is not None:
        if isinstance(error, OSError):
            return error
        error = error.__cause__ or error.__context__
    return None


def write_whole(path: Path, content: str | bytes | Callable[[IO[bytes]], object]) -> None:
    """Write a file beside its place, and move it there: readers never see a partial file."""
    with writing(path):
        handle, name = tempfile.mkstemp(_ASIDE, f".{path.name}-", path.parent)
        aside = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                if callable(content):
                    content(file)
                else:
                    file.write(content.encode() if isinstance(content, str) else content)
            mask = os.umask(0)
            os.umask(mask)
            aside.chmod(0o666 & ~mask)  # the usual mode; mkstemp's files are private
            aside.replace(path)
        except BaseException:
            aside.unlink(missing_ok=True)
            raise


def overwrite(path: Path, content: str) -> None:
    """Write a small file in its own place, which is possible on a full disk."""
    with writing(path), path.open("r+b", buffering=0) as file:
        write_all(file, content.encode())
        file.truncate()


def append(path: Path, content: str, *, to_disk: bool = False) -> None:
    """Append whole lines to a file; the folder may be untrusted.

    A killed process or a power failure may have left an incomplete last line, which is cut. The
    caller must hold the lock of the folder.

    Args:
        path: A regular file, which is created if it does not exist; not a symbolic link.
        content: The lines, each with its end.
        to_disk: Return only when the disk holds the lines.

    Raises:
        NotWritten: The file is not regular, or cannot be written; no part of the lines is kept, and
            no file without lines.
    """
    flags = os.O_RDWR | os.O_CREAT | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
    with writing(path), os.fdopen(os.open(path, flags, 0o666), "r+b", buffering=0) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file")
        end = _end_of_lines(file)
        try:
            file.truncate(end)
            file.seek(end)
            write_all(file, content.encode())
            if to_disk:
                os.fsync(file.fileno())
        except BaseException:
            file.truncate(end)
            if end == 0:
                path.unlink(missing_ok=True)  # a folder in which no work has begun stays empty
            raise


def write_all(file: IO[bytes], content: bytes) -> None:
    """Write bytes to a file without a buffer, which may take them in parts."""
    left = memoryview(content)
    while left:
        left = left[file.write(left) :]


_BLOCK = 2**16


def _end_of_lines(file: IO[bytes]) -> int:
    """Return the length of a file without an incomplete last line."""
    end = file.seek(0, os.SEEK_END)
    while end:
        begin = max(0, end - (1 if file.tell() == end else _BLOCK))
        file.seek(begin)
        if (place := file.read(end - begin).rfind(b"\n")) >= 0:
            return begin + place + 1
        end = begin
    return 0


def flush(folder: Path) -> None:
    """Flush a folder and its contents to the disk."""
    for path in (folder, *folder.rglob("*")):
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def require_writable(path: Path) -> None:
    """Check that `write_whole()` can write a file, before the work for its content."""
    try:
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        with tempfile.NamedTemporaryFile(suffix=_ASIDE, prefix=f".{path.name}-", dir=path.parent):
            pass
    except OSError as error:
        raise ParameterError(f"{path} cannot be written: {error.strerror}") from error


def remove_incomplete(folder: Path) -> None:
    """Delete unfinished files of `write_whole()` in a folder, at any depth."""
    for path in folder.rglob(f".*{_ASIDE}"):
        path.unlink(missing_ok=True)


def to_json(value: Mapping[str, Any], indent: int | None = None) -> str:
    """Return JSON, in which numbers that are not finite are null."""
    return json.dumps(to_plain(value), indent=indent, allow_nan=False)


def write_json(path: Path, value: Mapping[str, Any], indent: int | None = 1) -> None:
    """Write a whole file of JSON; see `to_json()`."""
    write_whole(path, to_json(value, indent) + "\n")
