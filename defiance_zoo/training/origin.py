# SPDX-License-Identifier: GPL-2.0-only
"""Whether a checkpoint was written by this user on this machine.

Checkpoints hold pickles, and a pickle runs code as it is loaded. So each is signed with a key that
never leaves the machine: of a checkpoint that somebody else wrote or changed, users are told.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import tempfile
import warnings
from pathlib import Path

from defiance_zoo.errors import UnknownOriginWarning

SIGNATURE = "signature"
"""Name of the file that holds a checkpoint's signature."""


def sign(checkpoint: Path) -> None:
    """Sign the files of a checkpoint, where this user can keep a key.

    Args:
        checkpoint: A folder whose files are complete.
    """
    signature = _signature(checkpoint)
    if signature is not None:
        (checkpoint / SIGNATURE).write_text(signature + "\n")


def warn_of_unknown_origin(checkpoint: Path) -> None:
    """Warn if a checkpoint was not written by this user on this machine, or was changed since.

    Args:
        checkpoint: A folder that `sign()` may have signed.
    """
    expected = _signature(checkpoint)
    try:
        found = (checkpoint / SIGNATURE).read_text().strip()
    except (OSError, UnicodeDecodeError):
        found = ""
    if expected is None or not hmac.compare_digest(found.encode(), expected.encode()):
        warnings.warn(
            f"{checkpoint} was not written by you on this machine, or was changed since; it holds "
            "pickles, which can run any code as they are loaded: use it only if you trust its "
            "origin",
            UnknownOriginWarning,
            stacklevel=3,
        )


def _signature(checkpoint: Path) -> str | None:
    """Return the signature of a folder's files; None without a key."""
    try:
        key = _key()
    except OSError:
        return None
    digest = hmac.new(key, digestmod=hashlib.sha256)
    for path in sorted(checkpoint.rglob("*")):
        if path.is_file() and path != checkpoint / SIGNATURE:
            name = os.fsencode(path.relative_to(checkpoint))
            digest.update(hashlib.sha256(name).digest() + _digest(path))
    return digest.hexdigest()


def _digest(path: Path) -> bytes:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return digest.digest()


def _key() -> bytes:
    """Return this user's key, made when it is first needed.

    Raises:
        OSError: It can be neither read nor written.
    """
    state = os.environ.get("XDG_STATE_HOME")
    folder = (Path(state) if state else Path.home() / ".local" / "state") / "defiance-zoo"
    path = folder / "key"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, aside = tempfile.mkstemp(dir=folder)  # private, as the key is to be
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(secrets.token_bytes(32))
            path.hardlink_to(aside)
        except FileExistsError:  # another process was first
            pass
        finally:
            Path(aside).unlink()
    return path.read_bytes()
