# SPDX-License-Identifier: GPL-2.0-only
"""Loading files that can run code: pickles, and all files that hold pickles.

Libraries write policies and trainings as pickles, under any file name. Folders of these files are
signed with a key that never leaves the machine. Libraries load only from a private copy of a
folder, whose bytes were compared with the signature during copying. A folder that this user did not
sign on this machine is refused, unless the caller trusts it. Descriptions, which name code, are
signed as texts. A description that this user did not sign may name installed modules only, unless
the caller trusts it.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import hmac
import io
import json
import os
import pickle
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from defiance_zoo.bridge.process.programs import is_python
from defiance_zoo.bridge.system.directories import private_folder
from defiance_zoo.bridge.system.imports import is_installed, is_module_name
from defiance_zoo.bridge.system.reading import list_files, open_regular, read_bytes
from defiance_zoo.bridge.system.whole_files import write_whole
from defiance_zoo.environments.registry import NETWORKED
from defiance_zoo.errors import ParameterError, UnknownOrigin
from defiance_zoo.experiments.workbench.descriptions import parse_yaml, read_yaml_text
from defiance_zoo.experiments.workbench.signing_key import read_key

SIGNATURE = "signature"
"""Name of the file that holds a folder's signature."""

TEXT_SIGNATURES = ".signatures"
"""Name of the file that holds the signatures of a description beside it."""

_REMEDY = (
    "it holds pickles, which can run any code when loaded. If you trust its author, give --trust, "
    "or trust=True in Python"
)
_MOST_BYTES = 2**40
_PIECE_BYTES = 2**20
_OpenCopy = Callable[[str], contextlib.AbstractContextManager[IO[bytes] | None]]
_copies: set[Path] = set()
"""The open private copies of this process."""


def sign(folder: Path) -> None:
    """Sign the files of a folder, if this user can keep a key."""
    with contextlib.suppress(OSError):
        sizes = _sizes(folder)
        digests = {name: _digest(folder / name, size) for name, size in sizes.items()}
        key = read_key()
        (folder / SIGNATURE).write_text(f"{_sign_sizes(key, sizes)} {_sign(key, digests)}\n")


def sign_text(path: Path, text: str) -> None:
    """Sign the text that a file is going to have, if this user can keep a key.

    The present text of the file stays signed, so a killed process never leaves an unsigned file.
    """
    with contextlib.suppress(OSError):
        known = read_bytes(path) if path.is_file() else b""
        kept = [known] if known and is_signed_text(path, known) else []
        signatures = [_sign_text(path, each) for each in (*kept, text.encode())]
        write_whole(path.with_name(TEXT_SIGNATURES), "\n".join(signatures) + "\n")


def is_signed_text(path: Path, content: bytes) -> bool:
    """Return whether this user signed the content of a file on this machine."""
    try:
        known = read_bytes(path.with_name(TEXT_SIGNATURES), 2**10).decode("ascii", "replace")
        found = _sign_text(path, content)
    except OSError:
        return False
    return any(hmac.compare_digest(each.encode(), found.encode()) for each in known.split())


@contextlib.contextmanager
def open_signed(folder: Path, *, trust: bool) -> Iterator[Path]:
    """Yield a private copy of a folder, from which libraries may load.

    Each file is read once, into the copy, and the signature is compared with the copied bytes,
    which other users cannot change.
    """
    with _private_folder() as copy:
        _compare(folder, trust, lambda name: _create(copy / name))
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


def require_signature(folder: Path, *names: str, trust: bool) -> dict[str, bytes]:
    """Refuse an untrusted folder before work for it; `open_signed()` checks it again.

    Returns the content of these files, as it was compared with the signature.
    """
    kept = {name: io.BytesIO() for name in names}
    _compare(folder, trust, lambda name: contextlib.nullcontext(kept.get(name)))
    return {name: content.getvalue() for name, content in kept.items()}


def opened(path: Path) -> Path:
    """Return a path in a private copy, for a library that loads from it."""
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


@contextlib.contextmanager
def _private_folder() -> Iterator[Path]:
    with private_folder() as copy:
        _copies.add(copy)
        try:
            yield copy
        finally:
            _copies.discard(copy)


def _create(path: Path) -> IO[bytes]:
    path.parent.mkdir(parents=True, exist_ok=True)
    return path.open("wb")


def _compare(folder: Path, trust: bool, open_copy: _OpenCopy) -> None:
    """Compare a folder with its signature, unless it is trusted, and copy what was compared.

    The sizes of the files are compared before any file is read.
    """
    try:
        sizes = _sizes(folder)
        if not trust:
            key, of_sizes, contents = _read_signature(folder)
            _require(folder, of_sizes, _sign_sizes(key, sizes))
        digests = {}
        for name, size in sizes.items():
            with open_copy(name) as copy:
                if copy is not None or not trust:
                    digests[name] = _digest(folder / name, size, copy)
    except OSError as error:
        where = error.filename or folder
        raise ParameterError(f"{where} cannot be read: {error.strerror}") from error
    if not trust:
        _require(folder, contents, _sign(key, digests))


def _sizes(folder: Path) -> dict[str, int]:
    """Return the size of each file of a folder, without the signature, by name."""
    if not folder.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder))
    files = ((name, path) for name, path in list_files(folder) if name != SIGNATURE)
    return {name: path.stat().st_size for name, path in files}


def _read_signature(folder: Path) -> tuple[bytes, str, str]:
    """Return this user's key, and the two parts of a folder's signature: of sizes, of contents."""
    try:
        key = read_key()
    except OSError as error:
        raise UnknownOrigin(
            f"{folder} cannot be compared with its signature, as the key {error.filename} cannot "
            f"be used ({error.strerror}); {_REMEDY}"
        ) from error
    try:
        signed = read_bytes(folder / SIGNATURE, 2**10).decode("ascii", "replace").strip()
    except FileNotFoundError:
        raise UnknownOrigin(f"{folder} is not signed; {_REMEDY}") from None
    of_sizes, _, contents = signed.partition(" ")
    return key, of_sizes, contents


def _require(folder: Path, signed: str, found: str) -> None:
    if not hmac.compare_digest(signed.encode(), found.encode()):
        raise UnknownOrigin(
            f"{folder} was not written by you on this machine, or has changed; {_REMEDY}"
        )


def _sign_sizes(key: bytes, sizes: Mapping[str, int]) -> str:
    return _sign(key + b"sizes", {name: size.to_bytes(32, "big") for name, size in sizes.items()})


def _sign_text(path: Path, content: bytes) -> str:
    return _sign(read_key() + b"text", {path.name: hashlib.sha256(content).digest()})


def _sign(key: bytes, facts: Mapping[str, bytes]) -> str:
    """Return the signature of ordered names, each with 32 bytes."""
    signature = hmac.new(key, digestmod=hashlib.sha256)
    for name, fact in facts.items():
        signature.update(hashlib.sha256(os.fsencode(name)).digest() + fact)
    return signature.hexdigest()


def _digest(path: Path, size: int, copy: IO[bytes] | None = None) -> bytes:
    """Return the digest of a file, and write the same bytes to a copy."""
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


_PASSED_ON = "hyperparameters"
"""The key of values that a library interprets: there, dotted names and paths can name code, too."""

_FOR_PLANTS = {"plant_arguments", "plant_options"}
"""The keys of what a plant is given, in JSON."""


def write_description(path: Path, text: str) -> None:
    """Write the description of a result folder, and sign it."""
    sign_text(path, text)
    write_whole(path, text)


def read_description(path: Path, *, trust: bool | None) -> dict[str, Any]:
    """Return the keys and values of the description in a result folder.

    `trust`: whether code that it names may be imported, whoever wrote the name; None: the caller
    imports none.
    """
    text = read_yaml_text(path)
    values = parse_yaml(text, path)
    if trust is False and not is_signed_text(path, text.encode()):
        for key, named in _named_code(values):
            raise UnknownOrigin(
                f"{path} was not written by you on this machine, or has changed, and names code "
                f"that is not installed, which would be run: {key}={named!r}. Read that code, and "
                "then use --trust, or trust=True in Python"
            )
    return values


def _named_code(values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield each text that names code outside of installed modules, after its key.

    A function of an installed module that is called with other people's arguments runs any code.
    """
    texts = list(_texts(values))
    calls = any(_names_function(text) for _, text in texts)
    for key, text in texts:
        keys = key.split(".")
        if _FOR_PLANTS.isdisjoint(keys):
            if _is_code(text, _PASSED_ON in keys):
                yield key, text
            continue
        with contextlib.suppress(ValueError, RecursionError):  # the simulation refuses them, too
            arguments = json.loads(text)
            if (calls and arguments) or any(_is_code(each, False) for _, each in _texts(arguments)):
                yield key, text


def _texts(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """Yield each text in a value of YAML or JSON after its key; keys are texts, too."""
    if isinstance(value, dict):
        for name, each in value.items():
            yield from _texts(name, key)
            yield from _texts(each, f"{key}.{name}" if key else str(name))
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each, key)
    elif isinstance(value, str):
        yield key, value


def _names_function(text: str) -> bool:
    """Return whether a text is the name of an environment whose plant a function makes."""
    module, _, name = text.removeprefix(NETWORKED).rpartition(":")
    return text.startswith(NETWORKED) and bool(module) and name.isidentifier()


def _is_code(text: str, passed_on: bool) -> bool:
    text = text.removeprefix(NETWORKED)  # its plant is imported by name
    before = {text.partition(":")[0], text.rpartition(":")[0]} if ":" in text else set()
    if any(each.endswith(".py") or is_python(Path(each)) for each in (text, *before)):
        return True
    modules = [each for each in before if is_module_name(each)]
    if modules:
        return not all(map(is_installed, modules))
    return passed_on and any(sign in text for sign in "./:")
