# SPDX-License-Identifier: GPL-2.0-only
"""Episodes that are recorded while users watch."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, NamedTuple

from defiance_zoo.errors import InvalidRecording
from defiance_zoo.recording import read_episode
from defiance_zoo.recording.files.header import HEADER
from defiance_zoo.recording.viewing.report_data import report_data

_LISTED = 100
_SHARE = 10
"""A growing episode is read again after this multiple of the time of the last reading."""


class _Read(NamedTuple):
    name: str
    version: int
    data: dict[str, Any]
    valid_until: float


class WatchedEpisodes:
    """Episodes in a folder, which may be written to at any time."""

    def __init__(self, folder: Path) -> None:
        """Take a folder, which need not exist yet."""
        self._folder = folder
        self._last: _Read | None = None
        self._is_settled = False

    def settle(self) -> None:
        """From now on, read all changes at once, as files no longer change."""
        self._is_settled = True

    def listed(self) -> list[dict[str, Any]]:
        """Return `name` and `version` of the latest episodes, the last one at the end.

        A changed episode has another version.
        """
        there = self._folder.glob(f"[!.]*/{HEADER}")  # hidden folders are not kept
        found = sorted((_changed(path), path) for path in there)
        folders = [path.parent for _, path in found[-_LISTED:]]
        return [{"name": each.name, "version": str(self._version(each))} for each in folders]

    def read(self, name: str) -> dict[str, Any] | None:
        """Return the data of an episode's page; None if there is no such episode.

        For a damaged episode, the data is `trouble`, the reason.

        Args:
            name: A name that `listed()` has returned.
        """
        if name not in {each["name"] for each in self.listed()}:
            return None
        folder = self._folder / name
        version = self._version(folder)
        if self._last is None or (self._last.name, self._last.version) != (name, version):
            begun = time.monotonic()
            try:
                data = report_data(read_episode(folder), name)
            except InvalidRecording as error:
                data = {"trouble": str(error)}
            now = time.monotonic()
            self._last = _Read(name, version, data, now + _SHARE * (now - begun))
        return self._last.data

    def _version(self, folder: Path) -> int:
        last = None if self._is_settled else self._last
        if last is not None and last.name == folder.name and time.monotonic() < last.valid_until:
            return last.version
        try:
            inside = list(folder.rglob("*"))
        except OSError:  # the parts are deleted when the episode is over
            inside = []
        return max(map(_changed, (folder, *inside)))


def _changed(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:  # it was deleted, or is a broken link
        return 0
