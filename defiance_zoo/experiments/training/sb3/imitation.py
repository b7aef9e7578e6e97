# SPDX-License-Identifier: GPL-2.0-only
"""Imitation of a teacher by the policies of SB3's actor-critic algorithms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from gymnasium.spaces import Box, Space
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

from defiance_zoo.bridge.codec.masks import count_choices
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.evaluation import Trials
from defiance_zoo.experiments.training.configuration import RunConfig, Teacher
from defiance_zoo.experiments.training.teacher.labels import Lesson
from defiance_zoo.wrappers.features import FeatureView
from defiance_zoo.wrappers.sb3.zero_based_actions import start_of

ALGORITHMS = ("A2C", "MaskablePPO", "PPO", "TRPO")
"""Algorithms whose policies are actor-critic networks without memory."""

_BATCH = 32
_MOST_ACTIONS = 64
"""The number of a decision's actions in the loss."""
_LEAST_LOG_PROBABILITY = -30.0
"""Less probable actions have no gradient: networks give forbidden actions minus infinity."""


def require_imitator(config: RunConfig, actions: Space[Any]) -> None:
    """Refuse a run whose policy cannot imitate a teacher."""
    if config.algorithm not in ALGORITHMS:
        raise ParameterError(
            f"algorithm={config.algorithm!r} cannot imitate a teacher: {list(ALGORITHMS)} can"
        )
    if isinstance(actions, Box):
        raise ParameterError(
            f"the actions of {config.env}, {actions}, cannot imitate a teacher: the mean of two "
            "good actions may be a bad one; choose discrete actions, if the environment has them"
        )


@dataclass(frozen=True)
class Examples:
    """Decisions from which a policy learns, along the first axis.

    Attributes:
        observations: Observations from `obs_to_tensor()` of the policy.
        actions: The tried actions, counted from 0, (decisions, tried, ...); repetitions of the
            first action fill up a row.
        values: The value of each action, (decisions, tried) float32; minus infinity for
            repetitions.
        masks: Bool of shape (decisions, choices); None for policies without masks.
        returns: float32 of shape (decisions,); NaN where unknown.
    """

    observations: Any
    actions: torch.Tensor
    values: torch.Tensor
    masks: torch.Tensor | None
    returns: torch.Tensor

    def take(self, rows: torch.Tensor) -> Examples:
        """Return some of the decisions."""
        observed = self.observations
        taken = (
            {k: v[rows] for k, v in observed.items()}
            if isinstance(observed, dict)
            else observed[rows]
        )
        masks = None if self.masks is None else self.masks[rows]
        return Examples(taken, self.actions[rows], self.values[rows], masks, self.returns[rows])


def read_examples(
    lessons: Sequence[Lesson], policy: Any, view: FeatureView | None, gamma: float
) -> Examples:
    """Return the labelled decisions of lessons.

    Returns are from the last round, whose policy is closest to the learned policy.
    """
    observed, masks, trials, returns = [], [], [], []
    for lesson in lessons:
        shown = lesson.observations if view is None else _features(lesson, view)
        found = lesson.returns(gamma)
        for row, tried in enumerate(lesson.trials):
            if tried is not None:
                observed.append(shown[row])
                masks.append(lesson.masks[row])
                trials.append(tried)
                returns.append(found[row] if lesson.round == lessons[-1].round else np.nan)
    observations, _ = policy.obs_to_tensor(_stack(observed))
    parts = observations.values() if isinstance(observations, dict) else [observations]
    if not all(bool(each.isfinite().all()) for each in parts):
        raise ParameterError("a teacher's label has an observation that is not finite")
    actions, values = _pad(trials, start_of(policy.action_space))
    stacked = None
    if isinstance(policy, MaskableActorCriticPolicy):
        free = [True] * sum(count_choices(policy.action_space) or ())
        stacked = torch.tensor([free if each is None else each for each in masks])
    return Examples(observations, actions, values, stacked, torch.tensor(np.array(returns)))


def targets(values: torch.Tensor, temperature: float) -> torch.Tensor:
    """Return the target probabilities of actions, (decisions, tried).

    Targets are the softmax of values, in units of the mean standard deviation of a decision's
    values. Actions that are nearly as good as the best action are nearly as probable, because a
    strict choice among them would be noise. With a temperature of 0, the best actions are equally
    probable, and the others have probability 0.
    """
    behind = values - values.max(dim=1, keepdim=True).values
    if temperature == 0:
        best = (behind == 0).float()
        return best / best.sum(dim=1, keepdim=True)
    spreads = [each[each.isfinite()].std(correction=0) for each in values]
    scale = torch.stack(spreads).mean().clamp(min=1e-8)
    return torch.softmax(behind / (temperature * scale), dim=1)


def imitate(policy: Any, examples: Examples, teacher: Teacher, vf_coef: float) -> dict[str, float]:
    """Fit a policy to examples, by cross entropy with the `targets()`.

    Returns:
        `loss`; `agreement`: the share of decisions in which the policy's most probable action is
        one of the best. `regret`: the mean value of the best action minus that of the policy's
        action, where an untried action counts as the worst one. If values are fitted,
        `value_error`: the root mean square error.
    """
    learned, wanted = _most_probable(examples, targets(examples.values, teacher.temperature))
    optimizer = torch.optim.Adam(policy.parameters(), lr=teacher.learning_rate)
    policy.set_training_mode(True)
    count = len(wanted)
    for _ in range(teacher.epochs):
        for rows in torch.split(torch.randperm(count), _BATCH):
            part = learned.take(rows)
            loss = _cross_entropy(policy, part, wanted[rows])
            if teacher.fit_values and bool((known := ~part.returns.isnan()).any()):
                loss = loss + vf_coef * _squares(policy, part)[known].mean()
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
    policy.set_training_mode(False)
    with torch.no_grad():
        figures = {
            "loss": float(_cross_entropy(policy, learned, wanted)),
            **judge(policy, examples),
        }
        if teacher.fit_values and bool((known := ~examples.returns.isnan()).any()):
            figures["value_error"] = float(_squares(policy, examples)[known].mean().sqrt())
    return figures


def judge(policy: Any, examples: Examples) -> dict[str, float]:
    """Return `agreement` and `regret` of a policy; see `imitate()`."""
    with torch.no_grad():
        chosen = _distribution(policy, examples).mode()
    same = examples.actions == chosen.unsqueeze(1)
    same = same.flatten(2).all(dim=2) if same.ndim > 2 else same
    best = examples.values.max(dim=1).values
    worst = examples.values.masked_fill(examples.values.isinf(), np.inf).min(dim=1).values
    earned = examples.values.masked_fill(~same, -np.inf).max(dim=1).values
    earned = torch.where(earned.isinf(), worst, earned)  # an action that the teacher did not try
    agrees = (same & (examples.values == best.unsqueeze(1))).any(dim=1)
    return {"agreement": float(agrees.float().mean()), "regret": float((best - earned).mean())}


# ---------------------------------------------------------------------------- inside


def _most_probable(examples: Examples, wanted: torch.Tensor) -> tuple[Examples, torch.Tensor]:
    """Return examples that hold only the actions with the largest targets, and these targets.

    Each action costs a pass over the batch, but of hundreds of actions, few have a target above 0.
    """
    if wanted.shape[1] <= _MOST_ACTIONS:
        return examples, wanted
    kept, places = wanted.topk(_MOST_ACTIONS, dim=1)
    rows = torch.arange(len(wanted)).unsqueeze(1)
    fewer = replace(examples, actions=examples.actions[rows, places])
    return fewer, kept / kept.sum(dim=1, keepdim=True)


def _distribution(policy: Any, examples: Examples) -> Any:
    masks = () if examples.masks is None else (examples.masks,)
    return policy.get_distribution(examples.observations, *masks)


def _cross_entropy(policy: Any, examples: Examples, wanted: torch.Tensor) -> torch.Tensor:
    distribution = _distribution(policy, examples)
    logs = [distribution.log_prob(each) for each in examples.actions.unbind(dim=1)]
    log_probabilities = torch.stack(logs, dim=1).clamp(min=_LEAST_LOG_PROBABILITY)
    return -(wanted * log_probabilities).sum(dim=1).mean()


def _squares(policy: Any, examples: Examples) -> torch.Tensor:
    values = policy.predict_values(examples.observations).flatten()
    squares: torch.Tensor = (values - examples.returns.nan_to_num()) ** 2
    return squares


def _features(lesson: Lesson, view: FeatureView) -> list[Any]:
    """Return the policy's observation at each decision."""
    shown: list[Any] = [None] * len(lesson.agents)
    for agent in dict.fromkeys(lesson.agents):
        state = None
        for row in lesson.rows_of(agent):
            shown[row], state = view.observe_one(lesson.observations[row], state)
    return shown


def _stack(rows: list[Any]) -> Any:
    if isinstance(rows[0], dict):
        return {key: np.stack([each[key] for each in rows]) for key in rows[0]}
    return np.stack(rows)


def _pad(trials: list[Trials], start: Any) -> tuple[torch.Tensor, torch.Tensor]:
    """Return actions, counted from 0, and their values; see `Examples`."""
    width = max(len(each.actions) for each in trials)
    actions, values = [], []
    for each in trials:
        missing = width - len(each.actions)
        actions.append(np.stack([*each.actions, *each.actions[:1] * missing]) - start)
        values.append([*each.values, *[-np.inf] * missing])
    return torch.as_tensor(np.stack(actions)), torch.tensor(values, dtype=torch.float32)
