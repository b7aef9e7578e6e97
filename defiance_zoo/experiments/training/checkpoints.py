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
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal

from defiance_zoo.bridge.system.reading import parse_json, read_bytes, read_json
from defiance_zoo.bridge.system.whole_files import flush, overwrite, to_json, write_json, writing
from defiance_zoo.errors import NotWritten, ParameterError
from defiance_zoo.experiments.training.configuration import RunConfig
from defiance_zoo.experiments.training.provenance import VERSIONS, recorded_digests, versions
from defiance_zoo.experiments.training.run_config_file import build_config, to_yaml
from defiance_zoo.experiments.workbench.descriptions import (
    build_dataclass,
    parse_yaml,
    read_yaml_text,
)
from defiance_zoo.experiments.workbench.origin import (
    read_description,
    require_signature,
    sign,
    write_description,
)
from defiance_zoo.experiments.workbench.results_folder import EVENTS, LockedFolder
from defiance_zoo.experiments.workbench.wording import shell_command

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
        whole: Steps at the end of the last whole iteration, which evaluations follow.
        base: Returns of the hand-written policy that a run corrects, in its evaluations.
        evaluated: Whether no evaluation is due after this iteration; an interruption may have ended
            it.
    """

    steps: int = 0
    episodes: int = 0
    iterations: int = 0
    seconds: float = 0.0
    best: float | None = None
    whole: int = 0
    evaluated: bool = True
    base: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class Checkpoint:
    """A checkpoint."""

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
    """Save a checkpoint as the last one."""
    with writing(checkpoints):
        checkpoints.mkdir(exist_ok=True)
        _tidy(checkpoints)
        aside = Path(tempfile.mkdtemp(prefix=".incomplete-", dir=checkpoints))
        try:
            (aside / CONFIG).write_text(to_yaml(config), encoding="utf-8")
            write_json(aside / COUNTERS, asdict(counters), 2)
            (aside / TRAINER).mkdir()
            save(aside / TRAINER)
            sign(aside)
            aside.chmod(0o755)
            flush(aside)
            name = f"step-{counters.steps}" + ("" if counters.evaluated else "-not-evaluated")
            folder = _free_name(checkpoints / name)
            aside.rename(folder)
        except BaseException:
            _remove(aside)
            raise
        for name in (LAST, BEST) if best else (LAST,):
            _link(checkpoints / name, folder)
        _tidy(checkpoints)


def read_checkpoint(folder: Path, *, trust: bool | None = None) -> Checkpoint:
    """Read a checkpoint.

    `trust`: whether code that the checkpoint names or holds may run, whoever wrote it. None: the
    caller runs none, so the signature is not compared.
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
    return _folder_of(run, LAST) is not None


def find_checkpoint(path: Path, name: str = BEST, *, trust: bool | None = None) -> Checkpoint:
    """Read a checkpoint by its folder or its run's folder."""
    if (path / COUNTERS).is_file():
        return read_checkpoint(path, trust=trust)
    for each in (name, LAST):
        if (folder := _folder_of(path, each)) is not None:
            return read_checkpoint(folder, trust=trust)
    known = "a run without checkpoints" if (path / "config.yaml").is_file() else "not a run"
    runs = sorted(str(each.parent) for each in path.glob(f"*/{CONFIG}"))
    hint = f"; runs in it: {', '.join(runs)}" if runs else ""
    raise ParameterError(f"{path} is {known if path.is_dir() else 'not a folder'}{hint}")


def mend_links(run: Path) -> None:
    """Make the links of a run's checkpoints anew, where a copy of the run lacks them."""
    # The best one first: only without a link to the last one, `_folder_of()` looks for it.
    for place in (run / "checkpoints" / name for name in (BEST, LAST)):
        folder = _folder_of(run, place.name)
        if folder is None or (folder == place and place.is_symlink()):
            continue
        if folder == place:  # if the process is killed here, `_folder_of()` finds the folder
            steps = read_checkpoint(place).counters.steps
            folder = place.rename(_free_name(place.with_name(f"step-{steps}")))
        _link(place, folder)


def _folder_of(run: Path, name: str) -> Path | None:
    """Return the folder of a run's last or best checkpoint; None if the run made none.

    Programs that copy folders may follow links, or leave links out.
    """
    place = run / "checkpoints" / name
    if place.is_dir():
        return place
    if place.is_symlink():
        raise _lacking(run, f"checkpoints/{place.readlink()}, to which checkpoints/{name} leads")
    if (run / "checkpoints" / LAST).is_symlink():
        return None
    places = (each for kind in ("step-*", LAST) for each in place.parent.glob(f"{kind}/{COUNTERS}"))
    found = [read_checkpoint(each.parent) for each in places]
    if not found:
        if _has_event(run, "checkpoint"):
            raise _lacking(run, "the folders of its checkpoints, checkpoints/step-*")
        return None
    ordered = sorted(found, key=lambda each: (each.counters.steps, each.counters.seconds))
    last = ordered[-1]
    if name == LAST:
        return last.folder
    if last.counters.best is None:
        return None
    return next(each.folder for each in ordered if each.counters.best == last.counters.best)


def _has_event(run: Path, event: str) -> bool:
    try:
        return f'"event": "{event}"'.encode() in read_bytes(run / EVENTS)
    except OSError:
        return False


def _lacking(run: Path, what: str) -> ParameterError:
    return ParameterError(
        f"{run} lacks {what}: copy the whole folder of the run again, or begin the run again with "
        f"`{shell_command('train', run / CONFIG, '--out', run, '--overwrite')}`"
    )


def _link(place: Path, folder: Path) -> None:
    """Let a link lead to a folder beside it, at once."""
    link = place.with_name(f".{place.name}")
    link.unlink(missing_ok=True)
    link.symlink_to(folder.name)
    link.replace(place)


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
