# SPDX-License-Identifier: GPL-2.0-only
"""Functions that make episodes, recorded or not."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import Any

from defiance_zoo.bridge.simulation import Scenario
from defiance_zoo.environments.episodes.episodes import Episodes
from defiance_zoo.environments.episodes.observer import RecordOptions, recorder


def open_episodes(
    scenario: Scenario,
    parameters: Mapping[str, Any],
    *,
    record: RecordOptions | str | PathLike[str] | None = None,
    render_mode: str | None = None,
    **arguments: Any,
) -> Episodes:
    """Return episodes, which are recorded if `record` names a folder; see `Episodes`.

    Args:
        scenario: The scenario to simulate.
        parameters: Parameters of the scenario.
        record: A folder, or all options of recording; None: nothing is recorded.
        render_mode: Render mode of the environment, for the recording.
        **arguments: Other arguments of `Episodes`.

    Raises:
        ScenarioNotFound: The program is missing.
        ParameterError: A parameter or setting is not allowed, or the folder cannot be written to.
        DependencyMissing: pyarrow is not installed, which recordings need.
    """
    if record is None:
        return Episodes(scenario, parameters, **arguments)
    values = {**scenario.when_recorded, **parameters}
    return Episodes(scenario, values, observer=recorder(record, render_mode), **arguments)
