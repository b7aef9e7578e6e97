# SPDX-License-Identifier: GPL-2.0-only
"""The folder of a run, to which one process at a time writes, and the activity of the run."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, ClassVar, Literal

from defiance_zoo.bridge.system.reading import read_json
from defiance_zoo.bridge.system.whole_files import overwrite, to_json, write_json
from defiance_zoo.errors import NotWritten, ParameterError
from defiance_zoo.experiments.training.configuration import RunConfig
from defiance_zoo.experiments.training.provenance import VERSIONS, recorded_digests, versions
from defiance_zoo.experiments.training.run_config_file import build_config, to_yaml
from defiance_zoo.experiments.workbench.origin import read_description, write_description
from defiance_zoo.experiments.workbench.results_folder import LockedFolder

CONFIG = "config.yaml"
LABELS = "labels"
"""The folder of the labels of a run's teacher."""
EPISODES = "episodes"
"""The folder of a run's recorded episodes."""


class RunFolder(LockedFolder):
    """A run's folder; see `LockedFolder`."""

    kind: ClassVar[str] = "run"
    described_by: ClassVar[str] = CONFIG

    @classmethod
    def reopen(cls, path: Path, *, trust: bool) -> tuple[RunFolder, RunConfig]:
        """Return the folder of an existing run, and the run."""
        if not (path / CONFIG).is_file():
            raise ParameterError(f"{path} is not a run: it has no {CONFIG}")
        folder = cls(path)
        try:
            return folder, build_config(read_description(path / CONFIG, trust=trust))
        except BaseException:
            folder.close()
            raise

    def begin(self, config: RunConfig) -> None:
        """Delete the old run, and write the description of the new one."""
        described = to_yaml(config)
        self.clear()
        write_description(self.path / CONFIG, described)
        write_json(self.path / VERSIONS, _versions(config), 2)

    def write_continued(self, config: RunConfig) -> None:
        """Write the description and the versions of a continued run.

        The file of versions changes only with the program, or with files of parameters.
        """
        write_description(self.path / CONFIG, to_yaml(config))
        known = _versions(config)
        self.note({"event": "resumed", "until": config.steps, **known})
        scenario = known["scenario"]
        present = scenario["program_sha256"], scenario.get("files_sha256", {})
        if recorded_digests(self.path) != present:
            write_json(self.path / VERSIONS, known, 2)


def _versions(config: RunConfig) -> dict[str, Any]:
    return versions(config.env, config.parameters, config.library)


STATUS = "status.json"
State = Literal[
    "imitating", "training", "evaluating", "finished", "interrupted", "pruned", "failed"
]
_WORKING: tuple[State, ...] = ("imitating", "training", "evaluating")
_EVERY_S = 1.0
_MOST_BYTES = 2**16


class Status:
    """Writes `status.json`: each change of the state at once, and counters once a second."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / STATUS
        self._state: State | None = None
        self._written = 0.0

    def write(self, state: State, **facts: Any) -> None:
        """Write the current activity and its progress."""
        now = time.monotonic()
        if state == self._state and now - self._written < _EVERY_S:
            return
        self._state, self._written = state, now
        values = {"state": state, **facts}
        try:
            write_json(self._path, values, None)
        except NotWritten:
            if state in _WORKING:
                raise
            overwrite(self._path, to_json(values) + "\n")


def read_status(folder: Path) -> dict[str, Any]:
    """Return the last status of the run in a folder; empty if there is none."""
    try:
        status = read_json(folder / STATUS, _MOST_BYTES)
    except (OSError, ValueError):
        return {}
    return status if isinstance(status, dict) else {}
