# SPDX-License-Identifier: GPL-2.0-only
"""The folder of an episode while it is written."""

from __future__ import annotations

import contextlib
import csv
import io
import itertools
import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from defiance_zoo.bridge.system.reading import read_bytes
from defiance_zoo.bridge.system.whole_files import write_whole
from defiance_zoo.errors import RecordingNotWritten
from defiance_zoo.recording.files.header import HEADER, Header
from defiance_zoo.recording.files.loading import COMMUNICATION, EVENTS, whole_lines
from defiance_zoo.recording.files.steps import PARTS, STEPS, read_part, to_parquet, write_steps

_OURS = frozenset({HEADER, STEPS, PARTS, COMMUNICATION})
_LEFT = itertools.count(1)  # folders of this process


@contextlib.contextmanager
def _writing_in(folder: Path) -> Iterator[None]:
    """Convert errors of the operating system to `RecordingNotWritten`, with the episode."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise RecordingNotWritten(f"{folder} cannot be recorded further: {reason}") from error


class EpisodeFolder:
    """Writes Python's part of an episode; the simulation writes to the same folder."""

    def __init__(self, path: Path, header: Header | None = None) -> None:
        self.path = path
        self.is_final = False  # whether the episode is over, and does not change any more
        self._parts = 0
        self._header = header

    def write_header(self, header: Header) -> None:
        """Write the facts of the episode, if they have changed."""
        if header != self._header:
            with _writing_in(self.path):
                write_whole(self.path / HEADER, header.to_json())
            self._header = header

    def write_part(self, header: Header, table: Any) -> None:
        """Write the steps since the last part."""
        self.write_header(header)
        with _writing_in(self.path):
            (self.path / PARTS).mkdir(exist_ok=True)
            write_whole(self._part(self._parts + 1), to_parquet(table))
        self._parts += 1

    def read_parts(self) -> Iterator[Any]:
        """Yield the written steps, part by part."""
        return (read_part(self._part(number)) for number in range(1, self._parts + 1))

    def remove_parts(self) -> None:
        """Discard the written steps."""
        self._parts = 0
        shutil.rmtree(self.path / PARTS, ignore_errors=True)

    def finish(
        self, header: Header, tables: Iterable[Any], communication: Mapping[str, Any] | None
    ) -> None:
        """Write a complete episode; readers find a consistent state at any time."""
        with _writing_in(self.path):
            if communication is not None:
                write_whole(self.path / COMMUNICATION, json.dumps(communication, indent=1) + "\n")
            write_whole(self.path / STEPS, lambda file: write_steps(file, header, tables))
        self.write_header(header)
        self.remove_parts()
        self.is_final = True

    def _part(self, number: int) -> Path:
        return self.path / PARTS / f"{number:06}.parquet"

    def captures(self) -> tuple[str, ...]:
        """Return the names of files with packets."""
        return tuple(sorted(each.name for each in self.path.glob("*.pcap")))

    def note_failure(self, time_ns: int, failure: str) -> None:
        """Append an event for a failure that the simulation did not record."""
        path = self.path / EVENTS
        if not path.exists():
            return
        lines = whole_lines(read_bytes(path, 2**40))  # of this process's simulation
        rows = csv.reader(io.StringIO(lines.decode(errors="replace")))
        if not any(row[1:2] == ["failed"] for row in rows):
            text = io.StringIO()
            csv.writer(text, lineterminator="\n").writerow((time_ns, "failed", "", failure))
            with (
                _writing_in(self.path),
                path.open("r+b") as file,
            ):  # which copies of the simulation may continue
                file.truncate(len(lines))
                file.seek(len(lines))
                file.write(text.getvalue().encode())

    def take_files(self, other: EpisodeFolder) -> None:
        """Let the simulation continue in these files, after a copy of a complete episode."""
        for each in other.of_simulation():
            mine = self.path / each.name
            if other.is_final:
                aside = mine.with_name(f".{each.name}-aside")
                shutil.copy2(each, aside)
                each.replace(mine)
                aside.replace(each)
            else:
                each.replace(mine)

    def of_simulation(self) -> list[Path]:
        """Return the files that the simulation has written."""
        if not self.path.exists():
            return []
        return sorted(e for e in self.path.iterdir() if e.name not in _OURS and e.is_file())

    def hide(self) -> None:
        """Rename the folder, to which the simulation may still write."""
        hidden = self.path.with_name(f".{self.path.name}-left-{os.getpid()}-{next(_LEFT)}")
        self.path.rename(hidden)
        self.path = hidden

    def remove(self) -> None:
        """Delete the folder, and its parent if it is empty."""
        shutil.rmtree(self.path, ignore_errors=True)
        with contextlib.suppress(OSError):
            self.path.parent.rmdir()
