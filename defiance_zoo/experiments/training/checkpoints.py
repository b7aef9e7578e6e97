# SPDX-License-Identifier: GPL-2.0-only
"""Checkpoints of a run: the last one and the best one, each complete at any time.

`last` and `best` are links to folders beside them, which may be the same. A checkpoint is written
under a temporary name, signed, and renamed when it is complete and on disk. Then the links are
replaced.
"""

from __future__ import annotations

import itertools
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from defiance_zoo.bridge.system.reading import parse_json, read_bytes
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.training.configuration import RunConfig
from defiance_zoo.experiments.training.run_config_file import build_config, to_yaml
from defiance_zoo.experiments.workbench.descriptions import (
    build_dataclass,
    parse_yaml,
    read_yaml_text,
)
from defiance_zoo.experiments.workbench.files import flush, write_json
from defiance_zoo.experiments.workbench.origin import require_signature, sign

LAST, BEST = "last", "best"
CONFIG, COUNTERS, TRAINER = "config.yaml", "counters.json", "trainer"
"""The parts of a checkpoint, in addition to its signature."""

_MOST_BYTES = 2**16


@dataclass
class Counters:
    """The progress of a run.

    Attributes:
        steps: Decisions of all agents.
        episodes: Complete episodes.
        iterations: Iterations of the trainer.
        seconds: Time spent, evaluations included.
        best: The greatest mean return so far; it decides which checkpoint is the best.
    """

    steps: int = 0
    episodes: int = 0
    iterations: int = 0
    seconds: float = 0.0
    best: float | None = None


@dataclass(frozen=True)
class Checkpoint:
    """A checkpoint.

    Attributes:
        folder: The folder, without links in its path.
        config: Configuration of its run.
        counters: Counters at the checkpoint.
    """

    folder: Path
    config: RunConfig
    counters: Counters

    @property
    def trainer(self) -> Path:
        """The files that `Trainer.save` wrote."""
        return self.folder / TRAINER


def save_checkpoint(
    checkpoints: Path,
    config: RunConfig,
    counters: Counters,
    save: Callable[[Path], None],
    *,
    best: bool,
) -> None:
    """Save a checkpoint as the last one.

    Args:
        checkpoints: Folder of the run's checkpoints.
        config: Configuration of the run.
        counters: Counters at the checkpoint.
        save: Function that writes the trainer's part into an empty folder.
        best: Whether it is also the best one.
    """
    checkpoints.mkdir(exist_ok=True)
    aside = Path(tempfile.mkdtemp(prefix=".incomplete-", dir=checkpoints))
    try:
        (aside / CONFIG).write_text(to_yaml(config), encoding="utf-8")
        write_json(aside / COUNTERS, asdict(counters), 2)
        (aside / TRAINER).mkdir()
        save(aside / TRAINER)
        sign(aside)
        aside.chmod(0o755)
        flush(aside)
        folder = _free_name(checkpoints / f"step-{counters.steps}")
        aside.rename(folder)
    except BaseException:
        _remove(aside)
        raise
    for name in (LAST, BEST) if best else (LAST,):
        link = checkpoints / f".{name}"
        link.unlink(missing_ok=True)
        link.symlink_to(folder.name)
        link.replace(checkpoints / name)
    _tidy(checkpoints)


def read_checkpoint(folder: Path, *, trust: bool | None = None) -> Checkpoint:
    """Read a checkpoint.

    Args:
        folder: Folder of the checkpoint.
        trust: Whether code that the checkpoint names or holds may run, whoever wrote it. None: the
            caller runs none, so the signature is not compared.

    Raises:
        ParameterError: There is no checkpoint.
        UnknownOrigin: The checkpoint is not trusted, and was not written on this machine or has
            changed.
    """
    folder = folder.resolve()
    try:
        if trust is None:
            counters = read_bytes(folder / COUNTERS, _MOST_BYTES)
            described = read_yaml_text(folder / CONFIG)
        else:
            compared = require_signature(folder, COUNTERS, CONFIG, trust=trust)
            counters, described = compared[COUNTERS], compared[CONFIG].decode()
        known = build_dataclass(Counters, parse_json(counters))
    except (OSError, ValueError) as error:
        raise ParameterError(f"{folder} is not a checkpoint: {error}") from error
    return Checkpoint(folder, build_config(parse_yaml(described, folder / CONFIG)), known)


def has_checkpoint(run: Path) -> bool:
    """Return whether the folder of a run has a checkpoint."""
    return (run / "checkpoints" / LAST).is_dir()


def find_checkpoint(path: Path, name: str = BEST, *, trust: bool | None = None) -> Checkpoint:
    """Read a checkpoint by its folder or its run's folder.

    Args:
        path: Path of a run or a checkpoint.
        name: Name of a checkpoint of the run.
        trust: See `read_checkpoint()`.

    Raises:
        ParameterError: There is no checkpoint.
        UnknownOrigin: See `read_checkpoint()`.
    """
    if (path / COUNTERS).is_file():
        return read_checkpoint(path, trust=trust)
    for each in (name, LAST):
        if (path / "checkpoints" / each).is_dir():
            return read_checkpoint(path / "checkpoints" / each, trust=trust)
    known = "a run without checkpoints" if (path / "config.yaml").is_file() else "not a run"
    raise ParameterError(f"{path} is {known if path.is_dir() else 'not a folder'}")


def _free_name(folder: Path) -> Path:
    """Return an unused name; a resumed run may reach the same step again."""
    taken = (folder.with_name(f"{folder.name}-{number}") for number in itertools.count(2))
    return next(each for each in itertools.chain([folder], taken) if not each.exists())


def _tidy(checkpoints: Path) -> None:
    """Delete checkpoints without a link."""
    kept = {link.readlink().name for link in checkpoints.iterdir() if link.is_symlink()}
    for folder in checkpoints.iterdir():
        if folder.name not in kept and not folder.is_symlink():
            _remove(folder)


def _remove(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
