# SPDX-License-Identifier: GPL-2.0-only
"""The recorder of episodes and the judge of histories, whose packages may be missing."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import Any

from defiance_zoo.bridge.system.imports import import_attribute
from defiance_zoo.errors import DependencyMissing

_RECORDING, _PROTOCOLS = "defiance_zoo.recording", "defiance_zoo.protocols"
"""The packages that record and check histories; they are loaded when an episode needs them."""

RecordOptions = Any
"""Options of recording: a `defiance_zoo.recording.Record`."""


def find_judge(parameters: Mapping[str, str]) -> Any:
    """Return the `HistoryJudge` of an episode; None if infos cannot have histories."""
    if parameters.get("histories") != "true" or "stop_on_violation" not in parameters:
        return None
    judge = _load(_PROTOCOLS, "histories.judge:HistoryJudge")
    return judge(parameters.get("consistency", "linearizability"))


def open_recorder(record: RecordOptions | str | PathLike[str], *about: Any) -> Any:
    """Return an `EpisodeRecorder`, made with a folder or all options, and facts of the episodes."""
    return _load(_RECORDING, "recorder:EpisodeRecorder")(record, *about)


def record_to(folder: str | PathLike[str], **options: Any) -> RecordOptions:
    """Return the options that record to a folder."""
    return _load(_RECORDING, "options:Record")(folder, **options)


def _load(package: str, place: str) -> Any:
    try:
        return import_attribute(f"{package}.{place}")
    except ModuleNotFoundError as error:
        if error.name != package:
            raise
        need = "recording needs" if package == _RECORDING else "histories=True needs"
        raise DependencyMissing(f"{need} {package}") from error
