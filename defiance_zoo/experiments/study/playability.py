# SPDX-License-Identifier: GPL-2.0-only
"""Checks that every cell can be played, before the study starts; `study_file.py` checks YAML."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from defiance_zoo.environments import EnvironmentSpec, lookup
from defiance_zoo.environments.arguments import RESERVED, split_arguments
from defiance_zoo.errors import ParameterError, SimulationError
from defiance_zoo.experiments.evaluation import Spaces, agent_spaces, find_divisions
from defiance_zoo.experiments.study.cells import Cell
from defiance_zoo.experiments.study.study_file import Study
from defiance_zoo.experiments.training.checkpoints import find_checkpoint
from defiance_zoo.experiments.workbench.events import EventCallback
from defiance_zoo.experiments.workbench.wording import assignments

_MOST_SHOWN = 5
"""Maximum number of refusals in a message."""


def check(study: Study, cells: Sequence[Cell], report: EventCallback) -> None:
    """Start each deployment briefly, and compare its agents with the policies' agents.

    Args:
        study: The study, with its policies.
        cells: Cells to check.
        report: Called with the number of checked deployments.

    Raises:
        ParameterError: A deployment has contradictory arguments, or a policy cannot play it.
    """
    check_arguments(study, cells)
    spec = lookup(study.config.env)
    agents: dict[str, dict[str, Spaces] | None] = {}
    trained: dict[str, list[Spaces]] = {}
    refused = []
    count = len({json.dumps(cell.arguments) for cell in cells})
    for cell in cells:
        place = json.dumps(cell.arguments)
        try:
            if place not in agents:
                agents[place] = None
                agents[place] = agent_spaces(spec, cell.arguments)
                report({"event": "checked", "done": len(agents), "deployments": count})
            known = agents[place]
            if known is not None and cell.policy not in trained:
                trained[cell.policy] = _trained(study, cell, spec)
            if known is not None and trained[cell.policy]:
                find_divisions(spec, known, trained[cell.policy])
        except ParameterError as error:
            refused.append(f"{_write(cell, agents[place] is None)}: {error}")
        except SimulationError:
            continue  # the cell will fail, but others continue
    _raise(refused)


def check_arguments(study: Study, cells: Sequence[Cell]) -> None:
    """Compare the arguments of each deployment with the scenario's description.

    Only the program's description is read.

    Raises:
        ParameterError: An axis is not an argument, or a value is not allowed.
    """
    scenario = lookup(study.config.env).scenario
    refused: dict[str, str] = {}
    for cell in cells:
        place = json.dumps(cell.arguments)
        try:
            if place not in refused:
                refused[place] = ""
                _settings, parameters = split_arguments(cell.arguments, scenario)
                plain = {k: v for k, v in parameters.items() if k not in RESERVED}
                scenario.check(plain)
        except ParameterError as error:
            refused[place] = f"{_write(cell, True)}: {error}"
    _raise([each for each in refused.values() if each])


def _raise(refused: Sequence[str]) -> None:
    if refused:
        more = f"\nand {len(refused) - _MOST_SHOWN} more" if len(refused) > _MOST_SHOWN else ""
        raise ParameterError(
            f"{len(refused)} of the combinations are not possible; leave them out with 'exclude':\n"
            + "\n".join(refused[:_MOST_SHOWN])
            + more
        )


def _trained(study: Study, cell: Cell, spec: EnvironmentSpec) -> list[Spaces]:
    """Return the spaces of a policy's training; empty if the policy plays with any spaces."""
    policy = study.config.policies[cell.policy]
    if policy.baseline is not None or policy.per_deployment:
        return []
    config = policy.train or find_checkpoint(study.folder / Path(policy.run or "")).config
    return list(agent_spaces(spec, config.parameters).values())


def _write(cell: Cell, whoever: bool) -> str:
    return assignments(cell.deployment if whoever else cell.place)
