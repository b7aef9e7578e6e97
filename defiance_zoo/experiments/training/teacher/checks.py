# SPDX-License-Identifier: GPL-2.0-only
"""Checks that a run can imitate its teacher, without a simulation."""

from __future__ import annotations

from defiance_zoo.environments import lookup
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.evaluation import cheap_policies, read_named
from defiance_zoo.experiments.training.configuration import RunConfig, Teacher
from defiance_zoo.experiments.workbench.wording import locating, require_choice


def check_teacher(config: RunConfig, teacher: Teacher) -> None:
    """Refuse an unknown teacher, and keys that contradict each other."""
    spec = lookup(config.env)
    with locating("teacher"):
        read_named(spec, teacher.named)
        if teacher.driver is not None:
            require_choice("driver", teacher.driver, [each.name for each in cheap_policies(spec)])
        if teacher.method == "bc" and teacher.rounds is not None:
            raise ParameterError(f"rounds={teacher.rounds} is for method='dagger', not for 'bc'")
        if teacher.labels < teacher.round_count:
            raise ParameterError(
                f"labels={teacher.labels} is too few: each of {teacher.round_count} rounds needs "
                "one"
            )
    if config.normalize:
        raise ParameterError(
            "normalize=True cannot be used with a teacher: the statistics would change the "
            "observations for which the policy has imitated the teacher; use features='Symlog', "
            "which has no statistics"
        )
