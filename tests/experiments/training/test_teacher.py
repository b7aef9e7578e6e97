# SPDX-License-Identifier: GPL-2.0-only
"""Runs that imitate a teacher before they learn from rewards."""

from __future__ import annotations

import contextlib
import json
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from command_calls import start

from defiance_zoo.environments import lookup
from defiance_zoo.errors import LabellingFailed, ParameterError
from defiance_zoo.experiments.evaluation import Lookahead, NamedPolicy, agent_spaces, open_env
from defiance_zoo.experiments.study.cells import TrainingJob
from defiance_zoo.experiments.training import Policy, RunConfig, load_policy, resume, train
from defiance_zoo.experiments.training.checkpoints import LAST, find_checkpoint
from defiance_zoo.experiments.training.metrics import read_metrics
from defiance_zoo.experiments.training.run_config_file import build_config
from defiance_zoo.experiments.training.sb3.imitation import targets as target_probabilities
from defiance_zoo.experiments.training.teacher.labels import EpisodeLabels, LabelJob, Lesson
from defiance_zoo.experiments.workbench.events import Event, ignore
from defiance_zoo.experiments.workbench.workers import LocalWorkers

torch.set_num_threads(1)

NEXT = {
    "policy": "lookahead",
    "options": {"horizon": 1},
    "labels": 60,
    "workers": 0,
    "learning_rate": 3e-3,
}
"""A teacher of `targets_v0`, in which only the next reward counts."""
AHEAD = {"policy": "lookahead", "options": {"horizon": 6}, "labels": 40, "episodes": 4}
"""A teacher of a cart."""
CART = {"env": "cart_pole_v0", "parameters": {"duration": "300ms"}}
TARGETS = [(round(2 * target / 3 - 1, 6), parity) for target in range(4) for parity in (0, 1)]
"""All states of `targets_v0`, two for each action in turn."""


def configure(teacher: dict[str, Any], **settings: Any) -> RunConfig:
    small = {"steps": 0, "hyperparameters": {"n_steps": 32, "batch_size": 32}}
    return build_config({**small, "evaluation": {"episodes": 1}, "teacher": teacher, **settings})


def trained(config: RunConfig, run: Path) -> Policy:
    """Return the policy of a run's last checkpoint."""
    train(config, run)
    return load_policy(config, find_checkpoint(run, LAST).trainer)


def weights(run: Path) -> dict[str, torch.Tensor]:
    checkpoint = find_checkpoint(run, LAST)
    policy: Any = load_policy(checkpoint.config, checkpoint.trainer)
    return dict(policy.network.state_dict())


def labels_of(run: Path) -> dict[str, dict[str, Any]]:
    """Return the records of all episodes, without their costs."""
    found = {path.name: json.loads(path.read_text()) for path in (run / "labels/cells").iterdir()}
    return {name: {**record, "cpu_s": None} for name, record in found.items()}


def require_equal(one: dict[str, torch.Tensor], other: dict[str, torch.Tensor]) -> None:
    assert one.keys() == other.keys()
    for name, part in one.items():
        assert torch.equal(part, other[name]), name


def test_the_method_of_a_run_names_its_teacher() -> None:
    assert configure(AHEAD, **CART).method == "imitation of lookahead, PPO (sb3)"


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"algorithm": "A2C", "hyperparameters": {"n_steps": 32}},
        {"features": "FrameStack", "feature_options": {"frames": 2}},
        pytest.param({"rollouts": "in-simulation-batched"}, marks=pytest.mark.long),
    ],
    ids=["PPO", "A2C", "FrameStack", "in simulation"],
)
def test_a_clone_acts_like_its_teacher_in_all_states(
    settings: dict[str, Any], targets: str, tmp_path: Path
) -> None:
    policy = trained(configure(NEXT, env=targets, **settings), tmp_path / "run")
    decided = []
    for state in TARGETS:
        policy.reset()
        decided.append(policy.act("agent_0", np.array(state, np.float32), {}))
    assert decided == [0, 0, 1, 1, 2, 2, 3, 3]


@pytest.mark.parametrize("masks", ["observation", "info"])
def test_a_clone_obeys_masks_and_is_shared_by_agents(
    masks: str, targets: str, tmp_path: Path
) -> None:
    """Each mask forbids two of four actions, so each decision has two labels."""
    config = configure(
        {**NEXT, "method": "dagger", "rounds": 2},
        env=targets,
        parameters={"masks": masks, "agents": 3, "uneven": True},
        algorithm="MaskablePPO",
        simulations=2,
    )
    policy = trained(config, tmp_path / "run")
    for record in labels_of(tmp_path / "run").values():
        for mask, tried in zip(record["masks"], record["tried"], strict=True):
            assert tried is None or tried == np.flatnonzero(mask).tolist()
    for number, state in enumerate(TARGETS):
        target = number // 2
        mask = np.zeros(4, np.int8)
        mask[[target, (target + 1) % 4]] = 1
        seen: Any = np.array(state, np.float32)
        if masks == "observation":
            seen = {"action_mask": mask, "observation": seen}
        assert policy.act("agent_1", seen, {"action_mask": mask}) == target


@pytest.mark.essential
def test_training_continues_from_the_clone(targets: str, tmp_path: Path) -> None:
    """The first row of the metrics is the clone's, which is evaluated like each checkpoint."""
    config = configure(
        NEXT, env=targets, steps=64, evaluation={"every": 32, "episodes": 2}, simulations=2
    )
    train(config, tmp_path / "run")
    first, *others = read_metrics(tmp_path / "run" / "metrics.csv")
    assert (first["steps"], first["evaluation/return/mean"]) == (0, 10)
    assert [row["steps"] for row in others] == [64]
    assert find_checkpoint(tmp_path / "run").counters.steps == 0


@pytest.mark.thorough
def test_labels_and_weights_do_not_depend_on_the_number_of_workers(tmp_path: Path) -> None:
    for workers in (0, 2):
        teacher = {**AHEAD, "method": "dagger", "rounds": 2, "workers": workers}
        train(configure(teacher, **CART), tmp_path / f"{workers}")
    alone, together = (labels_of(tmp_path / name) for name in ("0", "2"))
    assert alone == together
    assert len(alone) >= 8
    require_equal(weights(tmp_path / "0"), weights(tmp_path / "2"))


@pytest.mark.thorough
def test_a_killed_run_continues_with_its_stored_labels(tmp_path: Path) -> None:
    """After SIGKILL, no finished episode is played again, and the result is the same."""
    teacher = {**AHEAD, "method": "dagger", "rounds": 2, "workers": 1}
    train(configure(teacher, **CART), tmp_path / "whole")
    (tmp_path / "run.yaml").write_text((tmp_path / "whole" / "config.yaml").read_text())
    run = tmp_path / "killed"
    with start("train", tmp_path / "run.yaml", "--out", run, "--json") as process:
        assert process.stdout is not None
        for line in process.stdout:
            if json.loads(line)["event"] == "labels" and any((run / "labels/cells").iterdir()):
                process.kill()
                break
        process.stdout.read()
    assert process.returncode == -signal.SIGKILL
    cells = run / "labels" / "cells"
    before = {path: path.stat().st_mtime_ns for path in cells.glob("*.json")}
    assert 0 < len(before) < len(labels_of(tmp_path / "whole"))
    resume(run)
    assert {path: path.stat().st_mtime_ns for path in before} == before
    assert labels_of(run) == labels_of(tmp_path / "whole")
    assert not (run / "labels" / "learner").exists()
    require_equal(weights(run), weights(tmp_path / "whole"))


@pytest.mark.long
def test_a_process_of_a_study_labels_without_workers(tmp_path: Path) -> None:
    """It may not start processes."""
    job = TrainingJob(configure({**AHEAD, "workers": 2}, **CART), tmp_path / "run")
    with contextlib.closing(LocalWorkers(1)) as workers:
        (done,) = workers.run([("training", job)], ignore)
    assert (done.result, done.message) == ({}, None)
    assert job.done


def test_a_signal_ends_the_labelling_and_keeps_the_labels(tmp_path: Path) -> None:
    run = tmp_path / "run"
    arguments = ("-p", "duration=2s", "--teacher", "lookahead", "--steps", 0, "--out", run)
    with start("train", "cart_pole_v0", *arguments, "--json") as process:
        assert process.stdout is not None
        for line in process.stdout:
            if json.loads(line)["event"] == "labels":
                process.send_signal(signal.SIGTERM)
                break
        last = json.loads(process.stdout.readlines()[-1])
    assert process.returncode == 128 + signal.SIGTERM
    assert (last["event"], last["steps"]) == ("interrupted", 0)
    assert json.loads((run / "status.json").read_text())["state"] == "interrupted"
    assert not (run / "checkpoints").exists()


def test_the_cost_of_all_labels_is_estimated_from_the_first(targets: str, tmp_path: Path) -> None:
    events: list[Event] = []
    train(configure(NEXT, env=targets), tmp_path / "run", report=events.append)
    kinds = [event["event"] for event in events]
    assert kinds[:2] == ["labelling", "label_budget"]
    budget = events[1]
    assert budget["labels"] == 60
    assert budget["cpu_s"] == pytest.approx(60 * budget["cpu_s_per_label"])
    last = [event for event in events if event["event"] == "labels"][-1]
    assert (last["made"] >= 60, last["cpu_s_left"]) == (True, 0)
    (imitated,) = (event for event in events if event["event"] == "imitated")
    assert (imitated["agreement"], imitated["regret"]) == (1, 0)
    assert imitated["agreement_before"] < 1


def test_agreement_with_a_teacher_that_tries_one_action_is_measured(
    targets: str, tmp_path: Path
) -> None:
    """No policy agrees with actions that are drawn at random."""
    events: list[Event] = []
    teacher = {"policy": "random", "labels": 60, "workers": 0, "epochs": 1}
    train(configure(teacher, env=targets), tmp_path / "run", report=events.append)
    (imitated,) = (event for event in events if event["event"] == "imitated")
    assert 0 < imitated["agreement"] < 0.8
    assert imitated["agreement_before"] < 0.8
    assert imitated["regret"] == 0


@pytest.mark.long
def test_runs_can_share_a_folder_of_labels(targets: str, tmp_path: Path) -> None:
    teacher = {**NEXT, "folder": str(tmp_path / "labels")}
    train(configure(teacher, env=targets), tmp_path / "one")
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "labels/cells").iterdir()}
    train(configure(teacher, env=targets, seed=2), tmp_path / "two")
    after = {path: path.stat().st_mtime_ns for path in (tmp_path / "labels/cells").iterdir()}
    assert before == after
    assert not (tmp_path / "two" / "labels").exists()
    more = {**teacher, "options": {"horizon": 2}}
    train(configure(more, env=targets), tmp_path / "three")
    assert len(list((tmp_path / "labels/cells").iterdir())) == 2 * len(before)


def count(labels: EpisodeLabels) -> int:
    return sum(values is not None for values in labels.values)


def label(teacher: dict[str, Any], most: int, **settings: Any) -> EpisodeLabels:
    config = configure(teacher, **{**CART, **settings})
    return EpisodeLabels(**LabelJob(config, seed=7, most=most).run(ignore))


def test_the_teacher_labels_its_first_decisions_and_abandons_the_episode() -> None:
    labels = label(AHEAD, 5)
    assert (count(labels), len(labels.agents), labels.whole) == (5, 5, False)
    assert labels.rewards == [1, 1, 1, 1, 1]


def test_a_driver_plays_whole_episodes_and_some_decisions_are_labelled() -> None:
    labels = label({**AHEAD, "driver": "state_feedback"}, 5)
    assert (count(labels), len(labels.agents), labels.whole) == (5, 15, True)
    assert labels.rewards == [1] * 15
    chosen = [row for row, values in enumerate(labels.values) if values]
    assert chosen != list(range(5))
    again = label({**AHEAD, "driver": "state_feedback"}, 5)
    assert again.values == labels.values


def test_labels_keep_the_values_of_all_actions() -> None:
    with contextlib.closing(open_env(lookup("cart_pole_v0"), {"duration": "300ms"})) as env:
        policy = NamedPolicy("lookahead", {"horizon": 6}).make(lookup("cart_pole_v0"), env, 7)
        assert isinstance(policy, Lookahead)
        env.reset(seed=7)
        observation, *_, info = env.last()
        trials = policy.weigh("agent_0", observation, info)
        assert trials.best == policy.act("agent_0", observation, info)
    labels = label(AHEAD, 1)
    assert labels.values == [trials.values]
    assert labels.tried == [trials.actions] == [[0, 1]]
    assert labels.observations == [[observation.tolist()]]


@pytest.mark.long
def test_a_teacher_without_lookahead_is_imitated_too(tmp_path: Path) -> None:
    teacher = {"policy": "state_feedback", "labels": 150, "workers": 0, "epochs": 300}
    policy = trained(configure(teacher, **CART), tmp_path / "run")
    with contextlib.closing(open_env(lookup("cart_pole_v0"), CART["parameters"])) as env:
        original = NamedPolicy("state_feedback").make(lookup("cart_pole_v0"), env, 1)
        states = np.random.default_rng(1).uniform(-0.05, 0.05, (200, 4)).astype(np.float32)
        same = [
            policy.act("agent_0", each, {}) == original.act("agent_0", each, {}) for each in states
        ]
    assert np.mean(same) > 0.8


def test_a_lesson_keeps_its_first_labels() -> None:
    labels = label({**AHEAD, "driver": "state_feedback"}, 5)
    spaces = agent_spaces(lookup("cart_pole_v0"), {})["agent_0"]
    lesson = Lesson.read(0, labels, spaces)
    chosen = [row for row, trials in enumerate(lesson.trials) if trials]
    kept = [row for row, trials in enumerate(lesson.keep(3).trials) if trials]
    assert (lesson.count, kept) == (5, chosen[:3])


@pytest.mark.parametrize(
    ("part", "value", "said"),
    [
        ("observations", [[[0.5, 0.5, 0.5]]], "an observation is not of"),
        ("tried", [[0, 7]], "actions of a label are not of"),
        ("tried", [[0]], "actions of a label are not of"),
        ("rewards", [1.0, 2.0], "different lengths"),
        ("values", "none", "values"),
    ],
)
def test_a_damaged_file_of_labels_is_named(
    part: str, value: Any, said: str, targets: str, tmp_path: Path
) -> None:
    teacher = {**NEXT, "labels": 1, "folder": str(tmp_path / "labels")}
    train(configure(teacher, env=targets), tmp_path / "one")
    (cell,) = (tmp_path / "labels" / "cells").iterdir()
    cell.write_text(json.dumps({**json.loads(cell.read_text()), part: value}))
    with pytest.raises(ParameterError, match=rf"{cell.name} is damaged; delete it.*{said}"):
        train(configure(teacher, env=targets), tmp_path / "two")


@pytest.mark.parametrize(
    ("values", "temperature", "expected"),
    [
        ([[1.0, 3.0, 3.0]], 0.0, [[0, 0.5, 0.5]]),
        ([[0.0, 2.0], [5.0, 5.0]], 1.0, [[0.0179862, 0.9820138], [0.5, 0.5]]),
        ([[0.0, 2.0, -np.inf]], 2.0, [[0.2689414, 0.7310586, 0]]),
        ([[4.0, -np.inf]], 0.5, [[1, 0]]),
    ],
    ids=["the best", "soft", "repetitions", "no choice"],
)
def test_targets_are_a_softmax_of_the_values(
    values: list[list[float]], temperature: float, expected: list[list[float]]
) -> None:
    """Mean standard deviations are 0, 0.5 and 1, and 0 without a choice."""
    found = target_probabilities(torch.tensor(values), temperature)
    assert torch.allclose(found, torch.tensor(expected, dtype=torch.float32), atol=1e-6)


def test_returns_are_unknown_for_abandoned_episodes() -> None:
    def lesson(*, whole: bool) -> Lesson:
        rewards = [1.0, 10.0, 2.0, 20.0, 3.0]
        agents = ["a", "b", "a", "b", "a"]
        return Lesson(0, agents, [None] * 5, [None] * 5, rewards, [None] * 5, whole)

    assert lesson(whole=True).returns(0.5).tolist() == [2.75, 20, 3.5, 20, 3]
    left = lesson(whole=False).returns(0.2)
    assert left[[0, 1, 2]].tolist() == pytest.approx([1.52, 14, 2.6])
    assert np.isnan(left[[3, 4]]).all()


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"teacher": {"policy": "lookahed"}}, "no policy 'lookahed'; did you mean 'lookahead'"),
        ({"teacher": {**AHEAD, "options": {"horzon": 2}}}, "teacher: .*did you mean 'horizon'"),
        ({"teacher": {**AHEAD, "driver": "poles"}}, "teacher: driver.*did you mean 'pole'"),
        ({"teacher": {**AHEAD, "rounds": 3}}, "rounds=3 is for method='dagger'"),
        ({"teacher": {**AHEAD, "method": "dagger", "labels": 4}}, "is too few: each of"),
        ({"library": "rllib"}, "cannot be used with library='rllib'.*library='sb3' can"),
        ({"algorithm": "DQN"}, "algorithm='DQN' cannot imitate.*PPO"),
        ({"algorithm": "RecurrentPPO"}, "algorithm='RecurrentPPO' cannot imitate"),
        ({"normalize": True}, "normalize=True cannot be used with a teacher"),
        ({"env": "tcp_congestion_v1"}, "the mean of two good actions may be a bad one"),
        ({"env": "cell_power_v0", "parameters": {"placement": "central"}}, "options.actions"),
    ],
)
def test_runs_that_cannot_imitate_are_refused_before_anything_is_written(
    settings: dict[str, Any], said: str, tmp_path: Path
) -> None:
    values = {**CART, "hyperparameters": {}, "teacher": AHEAD, **settings}
    if "env" in settings and "parameters" not in settings:
        values["parameters"] = {}
    with pytest.raises(ParameterError, match=said):
        train(configure(values.pop("teacher"), **values), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_run_without_steps_needs_a_teacher() -> None:
    with pytest.raises(ParameterError, match="without a teacher needs at least 1 step"):
        build_config({**CART, "steps": 0})


def test_an_episode_without_decisions_has_no_labels(tmp_path: Path) -> None:
    late = {**CART, "parameters": {"transport": "udp", "delay": "2s", "duration": "1s"}}
    with (
        pytest.warns(match="no agent decided"),
        pytest.raises(LabellingFailed, match="nothing to label"),
    ):
        train(configure({**AHEAD, "driver": "pole", "workers": 0}, **late), tmp_path / "run")
    assert json.loads((tmp_path / "run" / "status.json").read_text())["state"] == "failed"
