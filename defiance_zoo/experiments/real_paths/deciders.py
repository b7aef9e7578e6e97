# SPDX-License-Identifier: GPL-2.0-only
"""Deciders of a sender's window: policies, or algorithms of the QUIC library."""

from __future__ import annotations

import contextlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium import spaces

from defiance_zoo.bridge.simulation import describe
from defiance_zoo.bridge.system.spelling import near_word
from defiance_zoo.environments import lookup
from defiance_zoo.environments.policies import Policy
from defiance_zoo.envs.tcp_congestion.flow_state import ABSOLUTE, HISTORY, RELATIVE
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.evaluation import BaselinePolicy, FilePolicy, pretrained

ENVIRONMENT = "tcp_congestion_v1"
ALGORITHMS = {"reno": "newreno", "cubic": "cubic"}
"""Algorithms of the QUIC library, each with the simulation's algorithm to compare with."""
AGENT = "agent_0"
_OBSERVATIONS = {ABSOLUTE: "absolute", RELATIVE: "relative", HISTORY: "history"}


@dataclass(frozen=True)
class Decider:
    """A decider of a sender's window."""

    name: str
    policy: Policy | None
    observed: int
    actions: spaces.Space[Any]
    interval: float = 0.1

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameters with which the environment's decisions equal those on a real path."""
        if self.policy is None:
            return {"algorithm": ALGORITHMS[self.name]}
        kind = "continuous"
        if isinstance(self.actions, spaces.Discrete):
            kind = "discrete" if self.actions.n == 5 else "proportional"
        return {"observation": _OBSERVATIONS[self.observed], "action_space": kind}


def find_decider(name: str) -> Decider:
    """Return a decider."""
    baselines = lookup(ENVIRONMENT).baselines
    box = spaces.Box(-1, 1, (1,), np.float32)
    if name in ALGORITHMS:
        return Decider(name, None, HISTORY, box)
    if name in baselines:
        maker = baselines[name]
        assert callable(maker)
        return Decider(name, BaselinePolicy(maker, lambda _agent: box), ABSOLUTE, box)
    if name == "trained" or Path(name).suffix == ".onnx":
        policy = pretrained(ENVIRONMENT) if name == "trained" else FilePolicy(Path(name))
        place = name if name == "trained" else str(Path(name).resolve())
        return Decider(place, policy, *_read_spaces(policy), _read_interval(policy))
    known = ["trained", *baselines, *ALGORITHMS]
    raise ParameterError(
        f"{name!r} is not a policy of a sender{near_word(name, known)}; there are {known}, and "
        "files that end with .onnx"
    )


def _read_spaces(policy: FilePolicy) -> tuple[int, spaces.Space[Any]]:
    """Return the number of elements of a policy's observation, and its action space."""
    observes, acts = policy.spaces
    size = observes.shape[0] if observes.shape is not None and len(observes.shape) == 1 else 0
    one = isinstance(acts, spaces.Box) and acts.shape == (1,) and acts.low.min() == -1
    choices = isinstance(acts, spaces.Discrete) and acts.n in (5, 9)
    if size not in _OBSERVATIONS or not (one or choices):
        raise ParameterError(
            f"{policy.path} observes {observes} and acts in {acts}: it is not a policy of "
            f"{ENVIRONMENT} that sets the window of one sender"
        )
    return size, acts


def _read_interval(policy: FilePolicy) -> float:
    """Return the interval of a policy's training in seconds; by default the environment's."""
    trained: Any = {}
    with contextlib.suppress(ValueError):  # other exporters may write other values
        trained = json.loads(policy.metadata.get("parameters", "{}"))
    if not isinstance(trained, dict):
        trained = {}
    control, interval = trained.get("control", "window"), trained.get("interval", 0.1)
    seconds = (
        describe(lookup(ENVIRONMENT).scenario.locate()).parameters["interval"].to_number(interval)
    )
    if control != "window" or not seconds:
        raise ParameterError(
            f"{policy.path} was trained with control={control}, interval={interval}: a sender "
            "needs control=window and an interval above 0s"
        )
    return seconds
