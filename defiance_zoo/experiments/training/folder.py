# SPDX-License-Identifier: GPL-2.0-only
"""The folder of a run, which one process at a time writes to."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.training.configuration import RunConfig
from defiance_zoo.experiments.training.provenance import versions
from defiance_zoo.experiments.training.run_config_file import build_config, to_yaml
from defiance_zoo.experiments.workbench.descriptions import read_yaml
from defiance_zoo.experiments.workbench.files import to_json, write_whole
from defiance_zoo.experiments.workbench.locked_folder import LockedFolder

CONFIG = "config.yaml"
EPISODES = "episodes"
"""The folder of a run's recorded episodes."""
OVERWRITE = "resume it, choose another folder, or overwrite it with --overwrite"


class RunFolder(LockedFolder):
    """A run's folder; see `LockedFolder`."""

    kind: ClassVar[str] = "run"
    described_by: ClassVar[str] = CONFIG

    def __init__(self, path: Path) -> None:
        """Lock a folder that exists.

        Raises:
            ParameterError: Another process has it locked.
        """
        super().__init__(path)

    @classmethod
    def claim(cls, path: Path, *, overwrite: bool) -> RunFolder:
        """Return the folder of a new run; nothing in it has changed yet.

        Args:
            path: A folder that is empty or does not exist.
            overwrite: It may hold a run, which `begin()` deletes.

        Raises:
            ParameterError: It holds something else, or is in use.
        """
        created = cls.prepare(path, holds_one=None if overwrite else OVERWRITE)
        folder = cls(path)
        folder.created = created
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
        self.clear()
        write_whole(self.path / CONFIG, described)
        self.write_json("versions.json", _versions(config))

    def go_on(self, config: RunConfig) -> None:
        """Say what a run is that goes on, and with what."""
        write_whole(self.path / CONFIG, to_yaml(config))
        self.note({"event": "resumed", "until": config.steps, **_versions(config)})

    def write_json(self, name: str, value: dict[str, Any]) -> None:
        """Write a file."""
        write_whole(self.path / name, to_json(value, 2) + "\n")


def _versions(config: RunConfig) -> dict[str, Any]:
    return versions(config.env, config.parameters, config.library)
