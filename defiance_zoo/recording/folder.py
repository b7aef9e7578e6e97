# SPDX-License-Identifier: GPL-2.0-only
"""Where recordings go, and which ones."""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path

from defiance_zoo.errors import ParameterError
from defiance_zoo.recording.recording import Recording
from defiance_zoo.system.whole_files import write_new

_CAPTURES = itertools.count(1)  # of this process


@dataclass(frozen=True)
class Record:
    """How an environment records its episodes: argument `record` of all that plays them.

    Each episode becomes a file NAME-000001.json, with the first number that is free: several
    environments and processes may record to one folder. A file is there when its episode is over,
    whole, and not before.

    Attributes:
        folder: Where; it is made with the first file.
        name: How names of files begin; empty: with that of the environment.
        keep: Tells which episodes are written; None: all.
        pcap: Whether packets are captured, too, by scenarios that have a parameter `pcap`: to
            NAME-000001-….pcap.
    """

    folder: str | PathLike[str]
    name: str = ""
    keep: Callable[[Recording], bool] | None = None
    pcap: bool = False
    _made: list[Path] = field(default_factory=list, compare=False, repr=False)

    @property
    def written(self) -> tuple[Path, ...]:
        """What has been written in this process by way of this object, in that order."""
        return tuple(self._made)

    def open(self, environment: str) -> Record:
        """Return how an environment records: by absolute path, and under its name.

        Raises:
            ParameterError: The folder cannot be made, or not be written to.
        """
        folder, name = Path(self.folder).absolute(), self.name or environment
        if not name or "/" in name or name.startswith("."):
            raise ParameterError(f"name={self.name!r} of recordings is no name of files")
        there = next(each for each in (folder, *folder.parents) if each.exists())
        if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
            raise ParameterError(f"{there} is no folder that can be written to")
        return replace(self, folder=folder, name=name)

    def begin_capture(self) -> Path:
        """Return how names of captures begin while their episode is not over."""
        folder = Path(self.folder)
        folder.mkdir(parents=True, exist_ok=True)
        return folder / f".{self.name}-{os.getpid()}-{next(_CAPTURES)}"

    def write(self, recording: Recording, capture: Path | None) -> Path | None:
        """Write an episode, if it is one that is kept.

        Args:
            recording: The episode.
            capture: How the names of its captures begin.

        Returns:
            Where it is; None: nowhere.
        """
        if self.keep is not None and not self.keep(recording):
            remove_captures(capture)
            return None
        Path(self.folder).mkdir(parents=True, exist_ok=True)
        path = write_new(self._names(), recording.to_json())
        for end in recording.captures:
            assert capture is not None  # they are its files
            capture.with_name(capture.name + end).replace(path.with_name(path.stem + end))
        self._made.append(path)
        return path

    def _names(self) -> Iterator[Path]:
        folder, begin = Path(self.folder), f"{self.name}-"
        ends = (path.stem.removeprefix(begin) for path in reversed(self._made))
        known = next((int(end) for end in ends if end.isdigit()), None)
        taken = sum(1 for _ in folder.glob(f"{begin}*.json")) if known is None else known
        for number in itertools.count(taken + 1):
            yield folder / f"{begin}{number:06}.json"


def find_captures(capture: Path | None) -> list[str]:
    """Return the ends of names, from a hyphen on, of all files whose names begin like this."""
    if capture is None or not capture.parent.is_dir():
        return []
    names = (each.name for each in capture.parent.iterdir())
    begin = f"{capture.name}-"
    return sorted(name.removeprefix(capture.name) for name in names if name.startswith(begin))


def remove_captures(capture: Path | None) -> None:
    """Delete these files, and their folder if nothing else is in it."""
    if capture is None:
        return
    for end in find_captures(capture):
        capture.with_name(capture.name + end).unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        capture.parent.rmdir()


def as_record(record: Record | str | PathLike[str]) -> Record:
    """Return how to record what is given as a folder, or in full."""
    if isinstance(record, Record):
        return record
    if not isinstance(record, str | PathLike):
        raise ParameterError(f"record={record!r} is no folder and no Record")
    return Record(record)
