# SPDX-License-Identifier: GPL-2.0-only
"""The option `initial_state` of `reset()`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from defiance_zoo.errors import ParameterError

STATE_SIZE = 4


def translate_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Turn `initial_state` into the scenario parameter of that name.

    It is `[x, x_dot, theta, theta_dot]` (m, m/s, rad, rad/s) for every cart, or a dict of such
    lists by agent. An agent of several carts (`placement="central"`) takes a list for each cart.
    """
    if "initial_state" not in options:
        return {}
    given = options["initial_state"]
    if not isinstance(given, Mapping):
        return {"initial_state": _write(given)}
    parts = []
    for agent, states in given.items():
        prefix, _, number = str(agent).rpartition("_")
        if prefix != "agent" or not number.isdigit():
            raise ParameterError(f"initial_state names {agent!r}, which is not an agent")
        rows = np.ndim(states)
        each = states if rows == 2 else [states]
        first = 0 if rows == 2 else int(number)
        parts += [f"{first + i}:{_write(state)}" for i, state in enumerate(each)]
    return {"initial_state": ";".join(parts)}


def _write(state: Any) -> str:
    try:
        values = np.asarray(state, np.float64)
    except (TypeError, ValueError):
        values = np.empty(0)
    if values.shape != (STATE_SIZE,) or not np.isfinite(values).all():
        raise ParameterError(f"initial_state {state!r} is not [x, x_dot, theta, theta_dot]")
    return ",".join(repr(float(value)) for value in values)
