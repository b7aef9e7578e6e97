# SPDX-License-Identifier: GPL-2.0-only
"""Frozen policies on disk, each in a folder named by the digest of its files."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from defiance_zoo.bridge.system.reading import list_files, naming, read_bytes
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.workbench.files import flush, writing
from defiance_zoo.experiments.workbench.origin import SIGNATURE, require_signature, sign

_INCOMPLETE = ".incomplete-"
_LENGTH = 32
"""Hexadecimal digits of a name: 128 bits of SHA-256."""
_DIGEST = re.compile(r"[0-9a-f]+")
_MOST_BYTES = 2**32


class PolicyStore:
    """Frozen policies; equal policies are stored once, and policies are loaded on demand.

    Attributes:
        folder: Folder of the store.
        trust: Whether policies, also those of runs, are loaded regardless of their origin.
    """

    def __init__(self, folder: Path, *, trust: bool = False) -> None:
        """Take a folder; the first stored policy creates it."""
        self.folder, self.trust = folder, trust

    def __contains__(self, digest: object) -> bool:
        known = isinstance(digest, str) and _DIGEST.fullmatch(digest)
        return bool(known) and (self.folder / str(digest)).is_dir()

    def __iter__(self) -> Iterator[str]:
        folders = self.folder.iterdir() if self.folder.is_dir() else ()
        yield from sorted(each.name for each in folders if not each.name.startswith("."))

    def put(self, write: Callable[[Path], None]) -> str:
        """Store a policy; its folder is named when all files are on disk.

        Args:
            write: Function that writes the files into an empty folder.

        Returns:
            Digest of the files, which identifies the policy.

        Raises:
            NotWritten: The policy cannot be written.
        """
        with writing(self.folder):
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
            ParameterError: There is no such policy, or its files have changed.
        """
        folder = self.folder / digest
        if digest not in self:
            raise ParameterError(
                f"{self.folder} has no policy {digest}: copy the whole folder of the population"
            )
        found = digest_of(folder)
        if found != digest:
            raise ParameterError(f"{folder} has changed: its files have the digest {found}")
        return folder

    def require_signatures(self, digests: Iterable[str] = ()) -> None:
        """Refuse untrusted and missing policies before any work; loading checks them again.

        Args:
            digests: Digests of the policies that the work needs.

        Raises:
            UnknownOrigin: A policy is not trusted, and was not written on this machine or has
                changed.
            ParameterError: A policy is missing.
        """
        for digest in digests:
            self.find(digest)
        for digest in self:
            require_signature(self.folder / digest, trust=self.trust)

    def remove_incomplete(self) -> None:
        """Delete incomplete policies of a killed process."""
        for folder in self.folder.glob(f"{_INCOMPLETE}*"):
            shutil.rmtree(folder, ignore_errors=True)


def digest_of(folder: Path) -> str:
    """Return the digest of the names and contents of a folder's files, without its signature."""
    digest = hashlib.sha256()
    with naming(folder):
        for name, path in sorted((os.fsencode(name), path) for name, path in list_files(folder)):
            if name != SIGNATURE.encode():
                digest.update(hashlib.sha256(name).digest())
                digest.update(hashlib.sha256(read_bytes(path, _MOST_BYTES)).digest())
    return digest.hexdigest()[:_LENGTH]
