# SPDX-License-Identifier: GPL-2.0-only
"""Files that are written completely, or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import IO

from defiance_zoo.errors import ParameterError

_ASIDE = ".incomplete"


def write_whole(path: Path, content: str | bytes | Callable[[IO[bytes]], object]) -> None:
    """Write a file beside its place, and move it there, so that readers never see a partial file.

    Args:
        path: Path of the file.
        content: Content of the file, or a function that writes it in pieces.
    """
    aside = _write_aside(path, content)
    try:
        aside.replace(path)
    except BaseException:
        aside.unlink(missing_ok=True)
        raise


def write_new(paths: Iterable[Path], content: str | bytes) -> Path:
    """Write a whole file under the first free name, also with several writers in the folder.

    Args:
        paths: Paths of files in one folder.
        content: Content of the file.

    Returns:
        The path of the file.
    """
    aside: Path | None = None
    try:
        for path in paths:
            aside = aside or _write_aside(path, content)
            with contextlib.suppress(FileExistsError):
                path.hardlink_to(aside)
                return path
    finally:
        if aside is not None:
            aside.unlink(missing_ok=True)
    raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))


def append(path: Path, content: str, *, to_disk: bool = False) -> None:
    """Append text to a file, in one piece; the folder may be untrusted.

    Args:
        path: A regular file, which is created if it does not exist; not a symbolic link.
        content: The text.
        to_disk: Return only when the disk holds the text.

    Raises:
        ParameterError: The file is not regular, or cannot be written.
    """
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        descriptor = os.open(path, flags, 0o666)
        with os.fdopen(descriptor, "wb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise OSError(errno.EINVAL, "it is not a regular file")
            file.write(content.encode())
            file.flush()
            if to_disk:
                os.fsync(descriptor)
    except OSError as error:
        raise ParameterError(f"{path} cannot be written: {error.strerror}") from error


def _write_aside(path: Path, content: str | bytes | Callable[[IO[bytes]], object]) -> Path:
    """Write a file beside its place, and return its path."""
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
    except BaseException:
        aside.unlink(missing_ok=True)
        raise
    return aside


def flush(folder: Path) -> None:
    """Flush a folder and its contents to the disk."""
    for path in (folder, *folder.rglob("*")):
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def require_writable(path: Path) -> None:
    """Check that `write_whole()` can write a file, before the work for its content.

    Raises:
        ParameterError: The file cannot be written.
    """
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
