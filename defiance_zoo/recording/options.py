# SPDX-License-Identifier: GPL-2.0-only
"""Options of `record=`: the folder of recordings, and which episodes are recorded."""

from __future__ import annotations

import contextlib
import errno
import importlib.util
import itertools
import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path

from defiance_zoo.bridge.system.extras import install_command
from defiance_zoo.bridge.system.plain_values import require_flag, whole_number
from defiance_zoo.bridge.system.whole_files import write_whole
from defiance_zoo.errors import DependencyMissing, ParameterError
from defiance_zoo.recording.recording import Recording


def require_arrow() -> None:
    """Check that recordings can be written and read, before an episode begins."""
    try:
        found = importlib.util.find_spec("pyarrow")
    except ValueError:  # the package hides that it is missing
        found = None
    if found is None:
        raise DependencyMissing(
            "recordings need 'pyarrow', which is not installed: " + install_command("record")
        )


@dataclass(frozen=True)
class Record:
    """Options of recording: argument `record` of all functions that play episodes.

    Each episode becomes a folder NAME-000001, with the first free number: several environments and
    processes may record to one folder. The folder exists from the beginning of the episode; its
    `episode.json` states whether the episode is over.

    Attributes:
        folder: The folder, which is made with the first episode.
        name: Beginning of folders' names; empty: the environment's name without `/`, `:`.
        keep: Returns whether a complete episode is kept; None: keep all.
        pcap: Whether the packets of all links are captured in files that end in `.pcap`.
        simulation: Whether the simulation also records topology, messages, queues, positions and
            events.
        interval_ns: Simulated time between samples of queues and positions, in nanoseconds.

    Raises:
        DependencyMissing: pyarrow is not installed.
    """

    folder: str | PathLike[str]
    name: str = ""
    keep: Callable[[Recording], bool] | None = None
    pcap: bool = False
    simulation: bool = True
    interval_ns: int = 10_000_000
    _made: list[Path] = field(default_factory=list, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Check that recording is possible, before an episode begins."""
        require_arrow()

    @property
    def written(self) -> tuple[Path, ...]:
        """Folders of the complete episodes of this process, in the order of their ends."""
        return tuple(self._made)

    def open(self, environment: str) -> Record:
        """Return the options with an absolute path and the name of an environment, once checked."""
        if self.pcap and not self.simulation:
            raise ParameterError("simulation=False captures no packets: leave out pcap=True")
        for flag in ("pcap", "simulation"):
            require_flag(flag, getattr(self, flag))
        whole_number("interval_ns", self.interval_ns)
        folder, name = Path(self.folder).absolute(), self.name or re.sub("[/:]", "-", environment)
        if not name or "/" in name or name.startswith("."):
            raise ParameterError(f"name={self.name!r} of recordings is not a valid name of files")
        there = next(each for each in (folder, *folder.parents) if each.exists())
        if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK, effective_ids=True):
            raise ParameterError(f"{there} is not a folder that can be written to")
        return replace(self, folder=folder, name=name)

    def make_folder(self, name: str, content: str) -> Path:
        """Make the folder of a new episode with one file, or nothing; return its path."""
        parent = Path(self.folder)
        aside = parent / f".{self.name}-new-{secrets.token_hex(8)}"
        try:
            _make(aside)
            write_whole(aside / name, content)
            return self._give_name(aside)
        except OSError as error:
            shutil.rmtree(aside, ignore_errors=True)
            with contextlib.suppress(OSError):
                parent.rmdir()  # if it was made for this episode
            message = f"an episode cannot be recorded in {parent}: {error.strerror}"
            raise ParameterError(message) from error

    def _give_name(self, aside: Path) -> Path:
        """Rename a folder to the first free name; return the new path."""
        for path in self._names():
            if not path.exists():
                try:
                    aside.rename(path)
                except FileExistsError:
                    continue
                except OSError as error:
                    if error.errno not in (errno.ENOTEMPTY, errno.ENOTDIR):
                        raise
                    continue
                return path
        raise AssertionError("there is always another number")

    def note(self, path: Path) -> None:
        """Note that an episode has been written."""
        self._made.append(path)

    def _names(self) -> Iterator[Path]:
        folder, begin = Path(self.folder), f"{self.name}-"
        ends = (path.name.removeprefix(begin) for path in reversed(self._made))
        known = next((int(end) for end in ends if end.isdigit()), None)
        taken = sum(1 for _ in folder.glob(f"{begin}[0-9]*")) if known is None else known
        for number in itertools.count(taken + 1):
            yield folder / f"{begin}{number:06}"


def _make(folder: Path) -> None:
    """Make a folder and its parent, which another process may remove meanwhile."""
    while True:
        folder.parent.mkdir(parents=True, exist_ok=True)
        try:
            folder.mkdir()
        except FileNotFoundError:
            continue
        return


def as_record(record: Record | str | PathLike[str]) -> Record:
    """Return the options for a folder, or full options unchanged."""
    if isinstance(record, Record):
        return record
    if not isinstance(record, str | PathLike):
        raise ParameterError(f"record={record!r} is neither a folder nor a Record")
    return Record(record)
