# SPDX-License-Identifier: GPL-2.0-only
"""Private directories for sockets, deleted with their process or soon after."""

from __future__ import annotations

import contextlib
import fcntl
import functools
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from defiance_zoo.bridge.system.fork_safety import close_quietly, not_for_forks
from defiance_zoo.bridge.system.resources import failure, no_directory
from defiance_zoo.errors import TooFewDescriptors

PREFIX = "defiance-"
_LOCK = "owner"
_MOST_PARENT_BYTES = 107 - len(f"/{PREFIX}12345678/snapshot")
"""The longest path of a folder in which sockets of private directories fit Linux's 107 bytes."""


class PrivateDirectory:
    """A directory that only this user can read.

    It holds a file that is locked as long as its process lives. The kernel releases the lock with
    any end of the process; `sweep()` then deletes the directory.
    """

    def __init__(self) -> None:
        try:
            _require_usable(tempfile.gettempdir())
        except (OSError, ValueError) as error:
            raise no_directory(error) from error
        sweep()
        try:
            self.path = Path(tempfile.mkdtemp(prefix=PREFIX))  # mode 0700
        except OSError as error:
            raise no_directory(error) from error
        try:
            self._lock = _lock(self.path)
        except OSError as error:
            shutil.rmtree(self.path, ignore_errors=True)
            refined = failure(error, "a directory cannot be marked as used")
            typed = isinstance(refined, TooFewDescriptors)
            raise (refined if typed else no_directory(error)) from error
        self._closed = False
        not_for_forks(self)

    def disown(self) -> None:
        """See `ProcessBound`; the parent keeps the directory locked."""
        if not self._closed:
            self._closed = True
            close_quietly((self._lock,))

    def close(self) -> None:
        """Delete the directory with its contents; may be called again; does nothing in a fork."""
        if not self._closed:
            self._closed = True
            shutil.rmtree(self.path, ignore_errors=True)
            close_quietly((self._lock,))


@contextlib.contextmanager
def private_folder() -> Iterator[Path]:
    """Yield an empty folder in a private directory, which goes with the end of the block."""
    directory = PrivateDirectory()
    try:
        folder = directory.path.resolve() / "files"
        folder.mkdir(0o700)
        yield folder
    finally:
        directory.close()


def is_utf8(path: str) -> bool:
    """Return whether the bytes of a path are UTF-8, and Python reads them as UTF-8."""
    try:
        return path.encode() == os.fsencode(path)
    except UnicodeEncodeError:
        return False


def _require_usable(parent: str) -> None:
    """Refuse a folder whose path cannot be sent to a simulation, or has too many bytes."""
    if not is_utf8(parent):
        raise ValueError(f"the path {parent} is not in UTF-8")
    if (size := len(parent.encode())) > _MOST_PARENT_BYTES:
        raise ValueError(
            f"the path {parent} has {size} bytes, and a socket there allows {_MOST_PARENT_BYTES}"
        )


def _lock(folder: Path) -> int:
    """Return a descriptor of the file, which gets its name after it is locked."""
    new = folder / f"{_LOCK}.new"
    descriptor = os.open(new, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        new.rename(folder / _LOCK)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


@functools.cache
def sweep() -> None:
    """Delete abandoned directories of this user, once in a process.

    A directory is abandoned if no process holds its lock. Directories of live processes (here or in
    another container), of other users and of other programs stay.
    """
    with contextlib.suppress(OSError), os.scandir(tempfile.gettempdir()) as entries:
        for entry in entries:
            if entry.name.startswith(PREFIX) and _is_ours(entry):
                _sweep_one(Path(entry.path))


def _is_ours(entry: os.DirEntry[str]) -> bool:
    try:
        found = entry.stat(follow_symlinks=False)
    except OSError:
        return False
    return found.st_uid == os.geteuid() and entry.is_dir(follow_symlinks=False)


def _sweep_one(folder: Path) -> None:
    try:
        descriptor = os.open(folder / _LOCK, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:  # another program's, or incomplete, or deleted
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder, ignore_errors=True)
    except OSError:  # its process lives
        return
    finally:
        os.close(descriptor)
