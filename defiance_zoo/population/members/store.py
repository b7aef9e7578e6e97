# SPDX-License-Identifier: GPL-2.0-only
"""Frozen policies on disk, each in a folder that is named by what it holds."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from defiance_zoo.errors import ParameterError
from defiance_zoo.training.files import flush
from defiance_zoo.training.origin import SIGNATURE, sign, warn_of_unknown_origin

_INCOMPLETE = ".incomplete-"
_LENGTH = 32
"""Hexadecimal digits of a name: 128 bits of SHA-256."""


class PolicyStore:
    """Frozen policies; equal ones are kept once, and none is loaded before somebody plays it.

    Attributes:
        folder: Where they are.
    """

    def __init__(self, folder: Path) -> None:
        """Open a folder, which is made when the first policy is stored."""
        self.folder = folder

    def __contains__(self, digest: object) -> bool:
        return isinstance(digest, str) and bool(digest) and (self.folder / digest).is_dir()

    def __iter__(self) -> Iterator[str]:
        folders = self.folder.iterdir() if self.folder.is_dir() else ()
        yield from sorted(each.name for each in folders if not each.name.startswith("."))

    def put(self, write: Callable[[Path], None]) -> str:
        """Store a policy; it is complete and on disk when it gets its name.

        Args:
            write: Writes its files into an empty folder.

        Returns:
            Digest of the files, by which it is found again.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        aside = Path(tempfile.mkdtemp(prefix=_INCOMPLETE, dir=self.folder))
        try:
            write(aside)
            digest = digest_of(aside)
            if digest in self:
                return digest
            sign(aside)
            aside.chmod(0o755)
            flush(aside)
            aside.rename(self.folder / digest)
        finally:
            shutil.rmtree(aside, ignore_errors=True)
        return digest

    def find(self, digest: str) -> Path:
        """Return the folder of a policy.

        Raises:
            ParameterError: There is none, or its files are not those that were stored.
        """
        folder = self.folder / digest
        if digest not in self:
            raise ParameterError(f"{self.folder} has no policy {digest}")
        found = digest_of(folder)
        if found != digest:
            raise ParameterError(f"{folder} was changed: its files have the digest {found}")
        return folder

    def warn_of_unknown_origin(self) -> None:
        """Warn of policies that were not written by this user on this machine.

        Warns:
            UnknownOriginWarning: There is one.
        """
        for digest in self:
            warn_of_unknown_origin(self.folder / digest)

    def remove_incomplete(self) -> None:
        """Delete what was not complete when its process was killed."""
        for folder in self.folder.glob(f"{_INCOMPLETE}*"):
            shutil.rmtree(folder, ignore_errors=True)


def digest_of(folder: Path) -> str:
    """Return the digest of the names and contents of a folder's files, without its signature."""
    digest = hashlib.sha256()
    paths = (path for path in folder.rglob("*") if path.is_file())
    for name, path in sorted((os.fsencode(path.relative_to(folder)), path) for path in paths):
        if name != SIGNATURE.encode():
            digest.update(hashlib.sha256(name).digest())
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:_LENGTH]
