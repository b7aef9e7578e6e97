# SPDX-License-Identifier: GPL-2.0-only
"""The folder of a run, which one process at a time writes to."""

from __future__ import annotations

import contextlib
import datetime
import fcntl
import os
import shutil
from pathlib import Path
from typing import Any

from defiance_zoo.errors import ParameterError
from defiance_zoo.training.configuration import RunConfig
from defiance_zoo.training.files import to_json, write_whole
from defiance_zoo.training.provenance import versions
from defiance_zoo.training.run_config_file import build_config, read_yaml, to_yaml

CONFIG = "config.yaml"
LOCK = ".lock"


def lock(folder: Path) -> int:
    """Return a descriptor that locks a folder until it is closed.

    Raises:
        ParameterError: Another process has it locked.
    """
    descriptor = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise ParameterError(f"{folder} is in use: another process works there") from None
    return descriptor


class RunFolder:
    """A run's folder, locked as long as this object is open.

    Attributes:
        path: Of the folder.
    """

    def __init__(self, path: Path) -> None:
        """Lock a folder that exists.

        Raises:
            ParameterError: Another process has it locked.
        """
        self.path = path
        self._created = False
        self._lock = lock(path)

    @classmethod
    def claim(cls, path: Path, *, overwrite: bool) -> RunFolder:
        """Return the folder of a new run; nothing in it has changed yet.

        Args:
            path: A folder that is empty or does not exist.
            overwrite: It may hold a run, which `begin()` deletes.

        Raises:
            ParameterError: It holds something else, or is in use.
        """
        if path.exists() and not path.is_dir():
            raise ParameterError(f"{path} is a file")
        if path.is_dir() and {entry.name for entry in path.iterdir()} - {LOCK}:
            if not (path / CONFIG).is_file():
                raise ParameterError(f"{path} is not empty, and no run: choose another folder")
            if not overwrite:
                raise ParameterError(
                    f"{path} holds a run: resume it, choose another folder, or overwrite it with "
                    "--overwrite"
                )
        exists = path.exists()
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ParameterError(f"{path} cannot be made: {error.strerror}") from error
        folder = cls(path)
        folder._created = not exists
        return folder

    @classmethod
    def reopen(cls, path: Path) -> tuple[RunFolder, RunConfig]:
        """Return the folder of a run that exists, and the run.

        Raises:
            ParameterError: There is none, or it is in use.
        """
        if not (path / CONFIG).is_file():
            raise ParameterError(f"{path} is no run: it has no {CONFIG}")
        return cls(path), build_config(read_yaml(path / CONFIG))

    def begin(self, config: RunConfig) -> None:
        """Delete the run that was there, and say what the new one is.

        Raises:
            ParameterError: The run cannot be written down; nothing has changed.
        """
        described = to_yaml(config)
        for entry in self.path.iterdir():
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry)
            elif entry.name != LOCK:
                entry.unlink()
        write_whole(self.path / CONFIG, described)
        self.write_json("versions.json", _versions(config))

    def go_on(self, config: RunConfig) -> None:
        """Say what a run is that goes on, and with what."""
        write_whole(self.path / CONFIG, to_yaml(config))
        self.note({"event": "resumed", "until": config.steps, **_versions(config)})

    def write_json(self, name: str, value: dict[str, Any]) -> None:
        """Write a file."""
        write_whole(self.path / name, to_json(value, 2) + "\n")

    def note(self, event: dict[str, Any]) -> None:
        """Add a line to `events.jsonl`, with the time."""
        now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
        with (self.path / "events.jsonl").open("a", encoding="utf-8") as file:
            file.write(to_json({"time": now, **event}) + "\n")

    def close(self) -> None:
        """Unlock it, and delete it if it was made for a run that did not begin."""
        if self._lock < 0:
            return
        if not (self.path / CONFIG).exists():
            (self.path / LOCK).unlink(missing_ok=True)
            if self._created:
                with contextlib.suppress(OSError):  # somebody has put something there
                    self.path.rmdir()
        os.close(self._lock)
        self._lock = -1


def _versions(config: RunConfig) -> dict[str, Any]:
    return versions(config.env, config.parameters, config.library)
