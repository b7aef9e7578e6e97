# SPDX-License-Identifier: GPL-2.0-only
"""Directories for sockets: nobody else's, and gone with whoever made them, or soon after."""

from __future__ import annotations

import contextlib
import fcntl
import functools
import os
import shutil
import tempfile
from pathlib import Path

from defiance_zoo.bridge.system.fork_safety import close_quietly, not_for_forks
from defiance_zoo.bridge.system.resources import failure, no_directory
from defiance_zoo.errors import TooFewDescriptors

PREFIX = "defiance-"
_LOCK = "owner"


class PrivateDirectory:
    """A directory that only this user may look into.

    It holds a file that is locked as long as the process lives that made it. The kernel gives the
    lock up with the process, however that ends; `sweep()` then finds the directory abandoned.

    Attributes:
        path: Its path.
    """

    def __init__(self) -> None:
        """Make it.

        Raises:
            NoTemporaryDirectory: There is no room, or no folder, for temporary files.
            TooFewDescriptors: There is none for the lock.
        """
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
        """Delete it, with what is in it; may be called again, and does nothing in a fork."""
        if not self._closed:
            self._closed = True
            shutil.rmtree(self.path, ignore_errors=True)
            close_quietly((self._lock,))


def _lock(folder: Path) -> int:
    """Return a descriptor of the locked file, which has its name only when it is locked."""
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
    """Delete the directories that processes of this user have left behind, once in a process.

    Only those that bear a lock which nobody holds: whose owner lives, here or in another container,
    is left alone, and so is what is another user's or somebody else's kind of directory.
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
    except OSError:  # not one of ours, or not ready, or gone
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder, ignore_errors=True)
    except OSError:  # its owner lives
        return
    finally:
        os.close(descriptor)
