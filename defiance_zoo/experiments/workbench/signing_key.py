# SPDX-License-Identifier: GPL-2.0-only
"""The key with which this user signs files; only this user can read and replace it."""

from __future__ import annotations

import errno
import os
import secrets
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from defiance_zoo.bridge.system.reading import open_regular
from defiance_zoo.errors import ParameterError

_BYTES = 32


def key_file() -> Path:
    """Return the place of the key."""
    return _state_folders()[0] / "defiance-zoo" / "key"


def read_key() -> bytes:
    """Return this user's key; the first call makes the key.

    As in ssh, this user must own the file, and no other account may have rights to the file. No
    other account may be able to replace the file, or a folder above it, up to `$XDG_STATE_HOME` or
    the home folder.
    """
    path = key_file()
    if not path.exists():
        _make(path)
    path = path.parent.resolve() / path.name
    for folder in _folders(path):
        _require_own(folder, folder.stat(), stat.S_IWGRP | stat.S_IWOTH, "go-w")
    with os.fdopen(open_regular(path, follow=False), "rb") as file:
        _require_own(path, os.fstat(file.fileno()), stat.S_IRWXG | stat.S_IRWXO, "600")
        key = file.read(2**10)
    if len(key) < _BYTES:
        raise OSError(errno.EINVAL, "it holds no key: delete it", str(path))
    return key


def require_key(*, trust: bool) -> None:
    """Refuse work that would have to load its own unsigned files."""
    if trust:
        return
    try:
        read_key()
    except OSError as error:
        raise ParameterError(
            f"{error.filename or key_file()} cannot be used: {error.strerror}. The key for "
            "signatures of checkpoints is kept there: mend it, set XDG_STATE_HOME to a folder of "
            "your own, or load unsigned files with --trust, or trust=True in Python"
        ) from error


# ---------------------------------------------------------------------------- inside


def _state_folders() -> tuple[Path, Path]:
    """Return the folder for states of programs, and the last folder above it to look at."""
    if state := os.environ.get("XDG_STATE_HOME"):
        return Path(state), Path(state)
    home = Path("~").expanduser()
    return home / ".local" / "state", home


def _folders(path: Path) -> Iterator[Path]:
    """Yield the folders above the key, without links in its path."""
    last = _state_folders()[1].resolve()
    for folder in path.parents:
        yield folder
        if folder == last:
            return


def _require_own(path: Path, found: os.stat_result, forbidden: int, mode: str) -> None:
    """Check owner and rights."""
    is_folder = stat.S_ISDIR(found.st_mode)
    if found.st_uid != os.geteuid() and not (is_folder and found.st_uid == 0):
        why = f"it belongs to the account {found.st_uid}, not to yours ({os.geteuid()})"
        remedy = "set XDG_STATE_HOME to a folder of your own"
    elif found.st_mode & forbidden and not (is_folder and found.st_mode & stat.S_ISVTX):
        rights = "change what is in it" if is_folder else "read or change it"
        why = f"other accounts can {rights} (mode {stat.S_IMODE(found.st_mode):04o})"
        remedy = f"chmod {mode} '{path}'"
        if not is_folder:
            remedy += "; or delete it if somebody may have used it, which ends all your signatures"
    else:
        return
    raise PermissionError(errno.EPERM, f"{why}: {remedy}", str(path))


def _make(path: Path) -> None:
    """Write a new key, unless another process is first; all new folders are private."""
    missing = [each for each in path.parents if not each.exists()]
    for folder in reversed(missing):
        folder.mkdir(mode=0o700, exist_ok=True)
    handle, aside = tempfile.mkstemp(dir=path.parent)  # private, like the key
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(secrets.token_bytes(_BYTES))
        path.hardlink_to(aside)
    except FileExistsError:  # another process was first
        pass
    finally:
        Path(aside).unlink()
