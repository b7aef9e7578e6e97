# SPDX-License-Identifier: GPL-2.0-only
"""Folders that one process at a time writes to."""

from __future__ import annotations

import contextlib
import datetime
import fcntl
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.workbench.files import append, to_json

_LOCK = ".lock"
_REMEDY = "resume it, choose another folder, or overwrite it with --overwrite"


class LockedFolder:
    """A folder, locked as long as this object is open.

    Attributes:
        path: Path of the folder.
        kind: Its contents in a word.
        described_by: Name of the file that says what it is, and tells it from other folders.
        created: The folder did not exist, and was made for its content.
    """

    kind: ClassVar[str]
    described_by: ClassVar[str]

    def __init__(
        self, path: Path, *, new: bool = False, overwrite: bool = False, wait: bool = False
    ) -> None:
        """Lock a folder.

        Args:
            path: A folder of this kind. If it is `new`: empty, or one that does not exist.
            new: Make the folder, unless it exists.
            overwrite: A new one may hold one of this kind.
            wait: Wait for another process that has it locked.

        Raises:
            ParameterError: It holds something else, cannot be made, or another process has it
                locked and `wait` is false.
        """
        self.created = self._prepare(path, overwrite) if new else False
        self.path = path
        self._lock = _lock(path, wait)

    @classmethod
    def _prepare(cls, path: Path, overwrite: bool) -> bool:
        """Make a folder, unless it exists; return whether it was made."""
        if path.exists() and not path.is_dir():
            raise ParameterError(f"{path} is a file")
        if path.is_dir() and {entry.name for entry in path.iterdir()} - {_LOCK}:
            if not (path / cls.described_by).is_file():
                raise ParameterError(
                    f"{path} is not empty, and no {cls.kind}: choose another folder"
                )
            if not overwrite:
                raise ParameterError(f"{path} holds a {cls.kind}: {_REMEDY}")
        exists = path.exists()
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ParameterError(f"{path} cannot be made: {error.strerror}") from error
        return not exists

    @classmethod
    def is_being_made(cls, path: Path) -> bool:
        """Return whether a process has taken a folder, and not said yet what will stand there.

        One that was killed meanwhile leaves such a folder, too.
        """
        try:
            names = {entry.name for entry in path.iterdir()}
        except OSError:
            return False
        return _LOCK in names and all(name.startswith(".") for name in names)

    def clear(self) -> None:
        """Delete everything in it."""
        for entry in self.path.iterdir():
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry)
            elif entry.name != _LOCK:
                entry.unlink()

    def abandon(self, *, delete: bool) -> None:
        """Leave no trace in a folder in which nothing was begun.

        Args:
            delete: Delete the folder too, unless somebody has put something there.
        """
        (self.path / _LOCK).unlink(missing_ok=True)
        if delete:
            with contextlib.suppress(OSError):
                self.path.rmdir()

    def note(self, event: dict[str, Any]) -> None:
        """Add a line to `events.jsonl`, with the time."""
        now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
        append(self.path / "events.jsonl", to_json({"time": now, **event}) + "\n")

    @contextlib.contextmanager
    def noting_failures(self) -> Iterator[None]:
        """Note an error that ends the work in it, as the event `failed`."""
        try:
            yield
        except Exception as error:
            self.note({"event": "failed", "error": type(error).__name__, "message": str(error)})
            raise

    def close(self) -> None:
        """Unlock the folder; delete it if it was made here, and its work has not begun.

        May be called again.
        """
        if self._lock >= 0:
            if not (self.path / self.described_by).exists():
                self.abandon(delete=self.created)
            os.close(self._lock)
            self._lock = -1


def _lock(folder: Path, wait: bool) -> int:
    """Return a descriptor that locks a folder until it is closed.

    Raises:
        ParameterError: Another process has it locked, or it cannot be locked.
    """
    try:
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(folder / _LOCK, flags, 0o666)
    except OSError as error:
        raise ParameterError(f"{folder / _LOCK} cannot be used: {error.strerror}") from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        os.close(descriptor)
        raise ParameterError(f"{folder} is in use: another process works there") from None
    return descriptor
