# SPDX-License-Identifier: GPL-2.0-only
"""Rounds of imitation, which collect labels, imitate the teacher, and let the learner play."""

from __future__ import annotations

import contextlib
import json
import math
import multiprocessing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gymnasium.spaces import Discrete

from defiance_zoo.bridge.codec.masks import count_choices
from defiance_zoo.bridge.codec.spaces import Space
from defiance_zoo.environments import lookup
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.evaluation import (
    Lookahead,
    NamedPolicy,
    Spaces,
    open_env,
    spaces_of,
)
from defiance_zoo.experiments.training.checkpoints import LABELS
from defiance_zoo.experiments.training.configuration import RunConfig, Teacher
from defiance_zoo.experiments.training.provenance import packages, versions
from defiance_zoo.experiments.training.run_config_file import to_yaml
from defiance_zoo.experiments.training.teacher.labels import (
    Collection,
    LabelsFolder,
    Lesson,
    Player,
)
from defiance_zoo.experiments.training.trainer import Trainer
from defiance_zoo.experiments.workbench.events import EventCallback
from defiance_zoo.experiments.workbench.keys import digest
from defiance_zoo.experiments.workbench.origin import sign
from defiance_zoo.experiments.workbench.runner import cores, local_workers


def require_teachable(config: RunConfig, teacher: Teacher) -> Spaces:
    """Check in a simulation that the teacher can label; return the spaces of the agents."""
    spec = lookup(config.env)
    with contextlib.closing(open_env(spec, config.parameters)) as env:
        policy = teacher.named.make(spec, env, teacher.seed)
        env.reset(seed=teacher.seed)
        found = spaces_of(env)
        if not found:
            raise ParameterError(f"teacher: {config.env} begins without an agent")
        if isinstance(policy, Lookahead):
            for agent, (_, actions) in found.items():
                _require_enumerated(agent, actions, policy.options.actions)
            if env.agents and not any(env.last()[2:4]):  # otherwise the episode is over
                env.snapshot().release()
    return next(iter(found.values()))


def _require_enumerated(agent: str, space: Space, limit: int) -> None:
    counts = count_choices(space)
    if isinstance(space, Discrete) or (counts is not None and math.prod(counts) <= limit):
        return
    remedy = "choose discrete actions, if the environment has them"
    if counts is not None:
        remedy = f"set options.actions={math.prod(counts)} to try all"
    raise ParameterError(
        f"teacher: lookahead tries {limit} actions of {agent}, but {space} has more, so the best "
        f"tried action may be far from the best action: {remedy}"
    )


def teach(
    trainer: Trainer,
    config: RunConfig,
    teacher: Teacher,
    spaces: Spaces,
    run: Path,
    report: EventCallback,
    *,
    trust: bool,
) -> None:
    """Collect labels in rounds, and let the policy imitate the teacher after each round."""
    path = Path(teacher.folder) if teacher.folder is not None else run / LABELS
    with contextlib.closing(LabelsFolder(path)) as folder:
        folder.remove_learner()
        folder.begin(to_yaml(config), versions(config.env, config.parameters))
        collection = Collection(folder, config, teacher, spaces, report, trust=trust)
        lessons: list[Lesson] = []
        with contextlib.closing(local_workers(_workers(teacher))) as workers:
            for number in range(teacher.round_count):
                wanted = _share(teacher, number)
                progress = {"round": number + 1, "rounds": teacher.round_count, "labels": wanted}
                report({"event": "labelling", **progress})
                with _player(trainer, config, folder, collection, number) as player:
                    lessons += collection.collect(workers, number, wanted, player)
                report({"event": "imitated", **progress, **trainer.imitate(lessons, teacher)})


def _workers(teacher: Teacher) -> int:
    """Return the number of processes; a study's workers must not start processes."""
    if multiprocessing.current_process().daemon:
        return 0
    return cores() if teacher.workers is None else teacher.workers


def _share(teacher: Teacher, number: int) -> int:
    """Return the number of labels of a round."""
    rounds = teacher.round_count
    return teacher.labels * (number + 1) // rounds - teacher.labels * number // rounds


@contextlib.contextmanager
def _player(
    trainer: Trainer,
    config: RunConfig,
    folder: LabelsFolder,
    collection: Collection,
    number: int,
) -> Iterator[Player]:
    """Yield the policy that plays a round, and delete the learner's files afterwards."""
    if number == 0:
        driver = config.teacher.driver if config.teacher else None
        facts = NamedPolicy(driver).facts(lookup(config.env)) if driver else None
        yield Player(None, {"driver": facts})
        return
    folder.learner.mkdir()
    try:
        trainer.save(folder.learner)
        sign(folder.learner)
        yield Player(folder.learner, _learned(config, collection.keys))
    finally:
        folder.remove_learner()


def _learned(config: RunConfig, keys: list[str]) -> dict[str, Any]:
    """Return the labels so far and the settings: the learner's decisions depend on them."""
    run = config.model_dump(
        include={"library", "algorithm", "hyperparameters", "features", "feature_options", "seed"}
    )
    assert config.teacher is not None
    fit = config.teacher.model_dump(
        include={"labels", "rounds", "temperature", "epochs", "learning_rate", "fit_values"}
    )
    known = {"labels": keys, "run": run, "fit": fit, "packages": packages(config.library)}
    if config.features is not None:
        from defiance_zoo.experiments.training.features import feature_source  # imports PyTorch

        known["features_sha256"] = feature_source(config).digest()
    return {"learner": digest(json.dumps(known, sort_keys=True).encode())}
