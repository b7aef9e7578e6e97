# SPDX-License-Identifier: GPL-2.0-only
"""Loading files that can run code: pickles, and all files that hold pickles.

Libraries write policies and trainings as pickles, under any file name. Folders of these files are
signed with a key that never leaves the machine. Libraries load only from a private copy of a
folder, whose bytes were compared with the signature during copying. A folder that this user did not
sign on this machine is refused, unless the caller trusts it.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import hmac
import os
import pickle
import secrets
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any, NamedTuple

from defiance_zoo.bridge.process.programs import is_python
from defiance_zoo.bridge.system.reading import list_files, open_regular, read_bytes
from defiance_zoo.errors import ParameterError, UnknownOrigin

SIGNATURE = "signature"
"""Name of the file that holds a folder's signature."""

_REMEDY = (
    "it holds pickles, which can run any code when loaded. If you trust its author, give --trust, "
    "or trust=True in Python"
)
_KEY_BYTES = 32
_MOST_BYTES = 2**40
_PIECE_BYTES = 2**20
_copies: set[Path] = set()
"""The open private copies of this process."""


def sign(folder: Path) -> None:
    """Sign the files of a folder, if this user can keep a key.

    Args:
        folder: The folder, with complete files.
    """
    with contextlib.suppress(OSError):
        sizes = _sizes(folder)
        digests = {name: _digest(folder / name, size) for name, size in sizes.items()}
        key = _key()
        (folder / SIGNATURE).write_text(f"{_sign_sizes(key, sizes)} {_sign(key, digests)}\n")


@contextlib.contextmanager
def open_signed(folder: Path, *, trust: bool) -> Iterator[Path]:
    """Yield a private copy of a folder, from which libraries may load.

    Each file is read once, into the copy, and the signature is compared with the copied bytes,
    which other users cannot change.

    Args:
        folder: A folder that `sign()` has signed.
        trust: Trust the author, and ignore the signature.

    Raises:
        UnknownOrigin: This user did not sign the folder on this machine, or it has changed.
        ParameterError: The folder cannot be read, or contains an entry that is not a regular file.
    """
    with _private_folder() as copy:
        try:
            sizes = _sizes(folder)
            signed = None if trust else _require_sizes(folder, sizes)
            digests = {name: _copy(folder / name, copy / name, sizes[name]) for name in sizes}
        except OSError as error:
            raise _unreadable(folder, error) from error
        if signed is not None:
            _require(folder, signed.contents, _sign(signed.key, digests))
        yield copy


@contextlib.contextmanager
def open_packed(files: Mapping[str, bytes]) -> Iterator[Path]:
    """Yield a private folder with files from `pack()` on any machine.

    The files are part of a job, which is trusted: senders of jobs can run any code.
    """
    with _private_folder() as copy:
        for name, content in files.items():
            path = copy / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        yield copy


def pack(copy: Path) -> dict[str, bytes]:
    """Return a private copy's files by name, for `open_packed()` on another machine."""
    return {name: read_bytes(path, _MOST_BYTES) for name, path in list_files(opened(copy))}


def require_signature(folder: Path, *, trust: bool) -> None:
    """Refuse an untrusted folder before work for it; `open_signed()` checks it again.

    Raises:
        UnknownOrigin, ParameterError: As for `open_signed()`.
    """
    try:
        sizes = _sizes(folder)
        if not trust:
            signed = _require_sizes(folder, sizes)
            digests = {name: _digest(folder / name, size) for name, size in sizes.items()}
            _require(folder, signed.contents, _sign(signed.key, digests))
    except OSError as error:
        raise _unreadable(folder, error) from error


def require_own_code(folder: Path, *names: str, trust: bool) -> None:
    """Refuse to run a Python file that is named in an unsigned folder.

    Args:
        folder: The folder.
        *names: Name of its environment, and other names that may be files.
        trust: See `open_signed()`.

    Raises:
        UnknownOrigin: A name is such a file, and the folder is not trusted.
    """
    for name in names if not trust else ():
        if is_python(Path(name)):
            raise UnknownOrigin(
                f"{folder} is not signed, and names the file {name}, which would be run: "
                "read that file, and then use --trust, or trust=True in Python"
            )


def require_key(*, trust: bool) -> None:
    """Refuse work that would have to load its own unsigned files.

    Raises:
        ParameterError: This user cannot keep a key, and does not trust unsigned files.
    """
    if trust:
        return
    try:
        _key()
    except OSError as error:
        raise ParameterError(
            f"{error.filename or _key_file()} cannot be used: {error.strerror}. The key for "
            "signatures of checkpoints is kept there: set XDG_STATE_HOME to a writable folder, or "
            "load unsigned files with --trust, or trust=True in Python"
        ) from error


def opened(path: Path) -> Path:
    """Return a path in a private copy, for a library that loads from it.

    Raises:
        UnknownOrigin: The path is in no copy of `open_signed()`.
    """
    if not any(path.resolve().is_relative_to(copy) for copy in _copies):
        raise UnknownOrigin(
            f"{path} has to be loaded from a copy that open_signed() of "
            "defiance_zoo.experiments.workbench.origin has compared with its signature"
        )
    return path


def load_pickle(path: Path) -> Any:
    """Return the pickled value in a file of a private copy; raise as `opened()` does."""
    return pickle.loads(read_bytes(opened(path), _MOST_BYTES))


# ---------------------------------------------------------------------------- inside


def _unreadable(folder: Path, error: OSError) -> ParameterError:
    return ParameterError(f"{error.filename or folder} cannot be read: {error.strerror}")


@contextlib.contextmanager
def _private_folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="defiance-zoo-") as name:
        copy = Path(name).resolve()
        _copies.add(copy)
        try:
            yield copy
        finally:
            _copies.discard(copy)


class _Signed(NamedTuple):
    """A signature with the sizes of the folder's files.

    Attributes:
        key: This user's key.
        contents: The part of the signature that covers the contents.
    """

    key: bytes
    contents: str


def _sizes(folder: Path) -> dict[str, int]:
    """Return the size of each file of a folder, without the signature, by name."""
    if not folder.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder))
    files = ((name, path) for name, path in list_files(folder) if name != SIGNATURE)
    return {name: path.stat().st_size for name, path in files}


def _require_sizes(folder: Path, sizes: Mapping[str, int]) -> _Signed:
    """Refuse a folder by the sizes of its files, before reading them.

    Raises:
        UnknownOrigin: The folder is not signed, or sizes differ from the signed ones.
    """
    try:
        key = _key()
    except OSError as error:
        raise UnknownOrigin(
            f"{folder} cannot be compared with its signature, as the key cannot be read "
            f"({error.strerror}); {_REMEDY}"
        ) from error
    try:
        signed = read_bytes(folder / SIGNATURE, 2**10).decode("ascii", "replace").strip()
    except FileNotFoundError:
        raise UnknownOrigin(f"{folder} is not signed; {_REMEDY}") from None
    of_sizes, _, contents = signed.partition(" ")
    _require(folder, of_sizes, _sign_sizes(key, sizes))
    return _Signed(key, contents)


def _require(folder: Path, signed: str, found: str) -> None:
    if not hmac.compare_digest(signed.encode(), found.encode()):
        raise UnknownOrigin(
            f"{folder} was not written by you on this machine, or has changed; {_REMEDY}"
        )


def _sign_sizes(key: bytes, sizes: Mapping[str, int]) -> str:
    return _sign(key + b"sizes", {name: size.to_bytes(32, "big") for name, size in sizes.items()})


def _sign(key: bytes, facts: Mapping[str, bytes]) -> str:
    """Return the signature of ordered names, each with 32 bytes."""
    signature = hmac.new(key, digestmod=hashlib.sha256)
    for name, fact in facts.items():
        signature.update(hashlib.sha256(os.fsencode(name)).digest() + fact)
    return signature.hexdigest()


def _copy(path: Path, target: Path, size: int) -> bytes:
    """Copy a file; return its digest."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("wb") as copy:
        return _digest(path, size, copy)


def _digest(path: Path, size: int, copy: IO[bytes] | None = None) -> bytes:
    """Return the digest of a file, and write the same bytes to a copy.

    Raises:
        OSError: The file grows while it is read.
    """
    digest, left = hashlib.sha256(), size
    with os.fdopen(open_regular(path), "rb") as file:
        while piece := file.read(_PIECE_BYTES):
            left -= len(piece)
            if left < 0:
                raise OSError(errno.EBUSY, "it grows while it is read", str(path))
            digest.update(piece)
            if copy is not None:
                copy.write(piece)
    return digest.digest()


def _key_file() -> Path:
    state = os.environ.get("XDG_STATE_HOME")
    return (Path(state) if state else Path.home() / ".local" / "state") / "defiance-zoo" / "key"


def _key() -> bytes:
    """Return this user's key; the first call makes the key.

    Raises:
        OSError: The key can be neither read nor written.
    """
    path = _key_file()
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, aside = tempfile.mkstemp(dir=path.parent)  # private, like the key
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(secrets.token_bytes(_KEY_BYTES))
            path.hardlink_to(aside)
        except FileExistsError:  # another process was first
            pass
        finally:
            Path(aside).unlink()
    key = read_bytes(path, 2**10)
    if len(key) < _KEY_BYTES:
        raise OSError(errno.EINVAL, "it holds no key", str(path))
    return key
