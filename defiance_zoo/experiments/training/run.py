# SPDX-License-Identifier: GPL-2.0-only
"""Training of runs, and resumption."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from defiance_zoo.bridge.simulation import keep_programs
from defiance_zoo.bridge.system.whole_files import write_json
from defiance_zoo.environments import lookup
from defiance_zoo.environments.episodes.observer import record_to
from defiance_zoo.errors import NotWritten, ParameterError
from defiance_zoo.experiments.training.checkpoints import (
    BEST,
    LAST,
    Counters,
    RunFolder,
    Status,
    find_checkpoint,
    has_checkpoint,
    mend_links,
    read_status,
)
from defiance_zoo.experiments.training.configuration import RunConfig
from defiance_zoo.experiments.training.evaluation import TRAINED, evaluate
from defiance_zoo.experiments.training.loop import Loop, PruneCallback
from defiance_zoo.experiments.training.metrics import show_levels
from defiance_zoo.experiments.training.provenance import require_same_program
from defiance_zoo.experiments.training.run_config_file import check_environment, check_names
from defiance_zoo.experiments.training.teacher.teaching import require_teachable
from defiance_zoo.experiments.training.trainer import create_trainer, damaged, open_saved
from defiance_zoo.experiments.workbench.events import Event, EventCallback
from defiance_zoo.experiments.workbench.interruption import Aborted, Interruption, unmasked
from defiance_zoo.experiments.workbench.origin import require_signature
from defiance_zoo.experiments.workbench.progress import TRAINING, followed
from defiance_zoo.experiments.workbench.signing_key import require_key

_CHANGED = "restore the file, or continue with the changed one by --new-program (new_program=True)"


@dataclass(frozen=True)
class Outcome:
    """The end of a training.

    Attributes:
        run: Folder of the run.
        counters: Progress of the run.
        pruned: Whether `prune` stopped it before its planned stop.
    """

    run: Path
    counters: Counters
    pruned: bool = False


def train(
    config: RunConfig,
    out: Path | str,
    *,
    overwrite: bool = False,
    record: bool = False,
    trust: bool = False,
    prune: PruneCallback | None = None,
    report: EventCallback | None = None,
) -> Outcome:
    """Train until the run's `steps`; then evaluate.

    Args:
        config: The run.
        out: Folder of the run; see `docs/training/training.md` for its contents.
        overwrite: Delete an existing run in the folder.
        record: Record the first episode of each evaluation during training, into `episodes/` of the
            folder; see `docs/recording/recording.md`.
        trust: Evaluate the best checkpoint even if it cannot be signed because no key can be kept.
        prune: Called after each evaluation during training, with the number of decisions and the
            mean return. If it returns true, the run saves a checkpoint and stops without the final
            evaluation.
        report: Called with each event; None: notebooks show progress.

    Raises:
        ParameterError: A value is not allowed; nothing was started or written.
        DependencyMissing: The library is not installed.
        SimulationError: A simulation failed; the checkpoints are kept.
        ProgramChanged: The scenario's program has changed meanwhile; the checkpoints are kept.
        Aborted: SIGINT or SIGTERM arrived. The first signal waits for the checkpoint after the
            current iteration; a second one ends the training at once.
    """
    out = Path(out)
    check_names(config)
    check_environment(config)
    require_key(trust=trust)
    with contextlib.closing(RunFolder(out, new=True, overwrite=overwrite)) as folder:
        shown = followed(report, TRAINING)
        return _work(folder, config, Counters(), None, shown, folder.begin, record, trust, prune)


def resume(
    run: Path | str,
    *,
    until: int | None = None,
    record: bool = False,
    trust: bool = False,
    prune: PruneCallback | None = None,
    new_program: bool = False,
    report: EventCallback | None = None,
) -> Outcome:
    """Continue from the last checkpoint of a run, or begin if there is none.

    Args:
        run: Folder of the run.
        until: Number of decisions of all agents, earlier parts included, at which to stop; by
            default as planned. This number replaces the run's `steps`, on which schedules depend.
        record: As for `train()`.
        trust: Load its checkpoints, which hold pickles, even if this user did not write them on
            this machine.
        prune: As for `train()`.
        new_program: Continue even if the scenario's program has changed since the run began.
        report: Called with each event; None: notebooks show progress.

    Raises:
        ParameterError: The run does not exist, is in use, or has already made so many decisions.
        ProgramChanged: The program has changed, and `new_program` is false.
        UnknownOrigin: A checkpoint is not trusted, and was not written on this machine or has
            changed; or the run's description is of this kind, and names code that is not installed.
        DependencyMissing, SimulationError, Aborted: As for `train()`.
    """
    run = Path(run)
    folder, config = RunFolder.reopen(run, trust=trust)
    with contextlib.closing(folder):
        checkpoint = find_checkpoint(run, LAST, trust=trust) if has_checkpoint(run) else None
        counters = checkpoint.counters if checkpoint else Counters()
        config = config.model_copy(update={"steps": until or config.steps})
        if (
            checkpoint is not None
            and counters.steps >= config.steps
            and (is_complete(run) or config.steps != checkpoint.config.steps)
        ):
            raise ParameterError(
                f"{run} has made {counters.steps} decisions, and is to stop at "
                f"{config.steps}: choose a later stop with --until"
            )
        if checkpoint is not None:
            best = find_checkpoint(run, BEST).folder  # is evaluated at the end
            if best != checkpoint.folder:
                require_signature(best, trust=trust)
            mend_links(run)
        require_key(trust=trust)
        check_environment(config)
        if not new_program:
            require_same_program(run, config.env, config.parameters, remedy=_CHANGED)
        trained = checkpoint.trainer if checkpoint else None
        shown = followed(report, TRAINING)
        return _work(
            folder, config, counters, trained, shown, folder.write_continued, record, trust, prune
        )


def complete(
    config: RunConfig,
    run: Path,
    *,
    trust: bool = False,
    prune: PruneCallback | None = None,
    report: EventCallback | None = None,
) -> Outcome:
    """Train a run to its end, from wherever an earlier process has left it; see `train()`."""
    if not has_checkpoint(run):
        return train(config, run, overwrite=True, trust=trust, prune=prune, report=report)
    if is_complete(run):
        pruned = read_status(run).get("state") == "pruned"
        return Outcome(run, find_checkpoint(run, LAST).counters, pruned)
    return resume(run, trust=trust, prune=prune, report=report)


def is_complete(run: Path) -> bool:
    """Return whether a run was trained to its planned end and evaluated, or was pruned."""
    if not has_checkpoint(run):
        return False
    state, checkpoint = read_status(run).get("state"), find_checkpoint(run, LAST)
    if state == "pruned":
        return True
    return checkpoint.counters.steps >= checkpoint.config.steps and state in (None, "finished")


def _work(
    folder: RunFolder,
    config: RunConfig,
    counters: Counters,
    restore_from: Path | None,
    report: EventCallback,
    describe: Callable[[RunConfig], None],
    record: bool,
    trust: bool,
    prune: PruneCallback | None = None,
) -> Outcome:
    if record:
        record_to(folder.path)  # raises if recording is not possible
    # With `prune`, the loop passes it the last evaluation again, which it may not have stored.
    is_over = (
        restore_from is not None
        and prune is None
        and counters.steps >= config.steps
        and counters.evaluated
    )
    with (
        Interruption() as interruption,
        keep_programs(lookup(config.env).scenario.digests(config.parameters)),
        contextlib.ExitStack() as training,
    ):
        teacher = spaces = None
        if not is_over:
            trainer = training.enter_context(contextlib.closing(create_trainer(config)))
            if restore_from is not None:
                with open_saved(restore_from, trust=trust) as copy, damaged(restore_from):
                    trainer.restore(copy)
            elif config.teacher is not None:
                teacher, spaces = config.teacher, require_teachable(config, config.teacher)
        interruption.arm()
        status, pruned = Status(folder.path), False
        with _noting_ends(folder, status, config, counters, interruption, report):
            with interruption.held():  # a folder with events and no description is no run
                describe(config)
            if not is_over:
                loop = Loop(
                    folder,
                    config,
                    trainer,
                    counters,
                    report,
                    status,
                    restored=restore_from is not None,
                    record=record,
                    prune=prune,
                )
                with contextlib.closing(loop):
                    if teacher is not None and spaces is not None:
                        loop.imitate(interruption, teacher, spaces, trust=trust)
                    elif restore_from is None and config.residual is not None:
                        loop.keep_first(interruption)
                    loop.run(interruption)
                pruned = loop.pruned
                training.close()
            progress = {"steps": counters.steps, "until": config.steps}
            if pruned:
                event = {"event": "pruned", "steps": counters.steps}
                folder.note(event)
                report({**event, "run": str(folder.path)})
            else:
                status.write("evaluating", **progress)
                _evaluate(folder, config, report, trust, counters.steps)
            status.write("pruned" if pruned else "finished", **progress)
    return Outcome(folder.path, counters, pruned)


@contextlib.contextmanager
def _noting_ends(
    folder: RunFolder,
    status: Status,
    config: RunConfig,
    counters: Counters,
    interruption: Interruption,
    report: EventCallback,
) -> Iterator[None]:
    """Write an interruption or a failure to the folder."""
    try:
        with folder.noting_failures(), unmasked():
            yield
    except Aborted as aborted:
        status.write("interrupted", steps=counters.steps, until=config.steps)
        event = {"event": "interrupted", "signal": aborted.signal, "steps": counters.steps}
        folder.note(event)
        if interruption.repeated:
            raise
        report({**event, "run": str(folder.path)})
        saved = f"resume({str(folder.path)!r}) continues the run"
        raise Aborted(aborted.signal, saved) from None
    except Exception:
        with contextlib.suppress(NotWritten):
            status.write("failed")
        raise


def _evaluate(
    folder: RunFolder, config: RunConfig, report: EventCallback, trust: bool, steps: int
) -> None:
    def follow(event: Event) -> None:
        if event["event"] == "simulation_failed":
            folder.note(event)
        report(event)

    compare = None if config.evaluation.baselines else ()
    found = evaluate(folder.path, compare=compare, trust=trust, report=follow)
    write_json(folder.path / "evaluation.json", found, 2)
    means = {name: each["mean"] for name, each in found["policies"].items() if name != TRAINED}
    show_levels(folder.path, means, steps)
    report({"event": "finished", "run": str(folder.path)})
