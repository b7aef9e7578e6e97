# SPDX-License-Identifier: GPL-2.0-only
"""Recorded episodes with violations: detection, shrinking and rechecking.

env = partition_v0.env(record=Record("found", keep=is_violated))
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any, Literal

from gymnasium.spaces import Discrete

from defiance_zoo.bridge.codec.masks import list_allowed, read_mask
from defiance_zoo.environments import EnvironmentSpec
from defiance_zoo.envs.partition.actions import JUMPS, Action, Actions, Meaning, find_action
from defiance_zoo.errors import InvalidRecording
from defiance_zoo.protocols.histories.judge import UNDECIDED
from defiance_zoo.protocols.rewards.bonuses import properties
from defiance_zoo.recording import (
    ByValue,
    Effort,
    Reading,
    RecordedRound,
    RecordedStep,
    Recording,
    replay,
    shrink,
)
from defiance_zoo.recording.replaying import open_recorded
from defiance_zoo.recording.shrinking import Intents, Keep

Info = Mapping[str, Any]


class ByMeaning:
    """A reading of actions by their effects on replicas.

    Numbers of actions refer to slots, whose replicas depend on all earlier actions. A replica may
    be replaced by one of the same colour.
    """

    def __init__(self, recording: Recording) -> None:
        parameters = recording.parameters
        self._size = (int(parameters["num_replicas"]), int(parameters["max_blocks"]))
        self._byzantine = bool(parameters["with_byzantine"])
        self._delays = bool(parameters.get("with_delays", False))
        self._healing = parameters.get("healing", "never") != "never"
        self._actions: dict[str, Actions] = {}

    @staticmethod
    def can_read(recording: Recording) -> bool:
        """Return whether this class supports a recording, which needs `infos="all"`."""
        known = {"num_replicas", "max_blocks", "with_byzantine"} <= recording.parameters.keys()
        return known and all("slots" in info for _, _, info in recording.infos())

    def intents(self, recording: Recording) -> list[Intents]:
        return [
            {agent: self._read(before, after, agent) for agent in before.actions}
            for before, after in pairwise(recording.rounds)
        ]

    def choose(self, agent: str, intent: Meaning, step: RecordedStep) -> int | None:
        actions, info = self._actions_of(step.info), step.info
        return find_action(intent, actions, _list_allowed(agent, len(actions), info), info)

    def _read(self, before: RecordedRound, after: RecordedRound, agent: str) -> Meaning:
        info, then = before.asked[agent].info, after.first_message().info
        action = self._actions_of(info)[before.actions[agent]]
        if action.kind == "create":
            return Meaning("create", blocks=tuple(int(block) for block in then["partition"]))
        if action.slot >= 0:
            return Meaning(action.kind, replica=_find_changed(info, then, action))
        return Meaning(action.kind)

    def _actions_of(self, info: Info) -> Actions:
        role = info.get("role", "tester")
        if role not in self._actions:
            replicas, blocks = self._size
            self._actions[role] = Actions(
                replicas,
                blocks,
                with_byzantine=self._byzantine,
                with_delays=self._delays,
                with_healing=self._healing,
                with_jumps=JUMPS in info,
                role=role,
            )
        return self._actions[role]


_CHANGED: Mapping[str, str] = {
    "byzantine": "byzantine",
    "delay": "delayed",
    "release": "delayed",
    "clock_ahead": "clock_error_ns",
    "clock_back": "clock_error_ns",
    "clock_right": "clock_error_ns",
}
"""The field of a replica's state that an action changes, unless it is `active`."""


def _find_changed(info: Info, then: Info, action: Action) -> int:
    """Return the replica of an action: among equal colours, the one that has changed."""
    key = _CHANGED.get(action.kind, "active")
    states = zip(json.loads(info["replicas"]), json.loads(then["replicas"]), strict=True)
    changed = [number for number, (old, new) in enumerate(states, 1) if old[key] != new[key]]
    colors = [json.dumps(color, sort_keys=True) for color in json.loads(info["colors"])]
    alike = [
        int(replica)
        for replica, color in zip(info["slots"], colors, strict=True)
        if color == colors[action.slot]
    ]
    return next((replica for replica in changed if replica in alike), alike[0])


def _list_allowed(agent: str, count: int, info: Info) -> list[int]:
    """Return the numbers of an agent's allowed actions."""
    space: Discrete[Any] = Discrete(count)
    mask = read_mask(agent, space, None, info)
    return list(range(count)) if mask is None else list_allowed(space, mask)[0]


Same = Literal["property", "text"]
"""The identity of a violation: its property, or also its replicas and entries."""


def first_violation(recording: Recording) -> tuple[int, str] | None:
    """Return the step and text of the first violation; None without one."""
    for number, _, info in recording.infos():
        if info.get("violations"):
            return number, str(info["violations"])
    return None


def is_violated(recording: Recording) -> bool:
    """Return whether a guarantee was violated."""
    return first_violation(recording) is not None


def is_undecided(recording: Recording) -> bool:
    """Return whether the check of the clients' history was abandoned."""
    warnings = (str(info.get("warnings", "")) for _, _, info in recording.infos())
    return any(UNDECIDED in text for text in warnings)


def _violated(each: RecordedRound) -> set[str]:
    """Return the properties that are violated in a round."""
    return {name for _, message in each.messages for name in properties(message.info)}


def shrink_violation(
    recording: Recording,
    same: Same = "property",
    spec: EnvironmentSpec | None = None,
    effort: Effort | None = None,
    keep: Keep = lambda _shorter: None,
) -> Recording:
    """Return a recording in which the first violation needs every action.

    If replicas are healed at the end of an episode, the result has the parameter `healing="both"`,
    to heal in fewer steps.

    Args:
        recording: A recording with a violation.
        same: Part of the violation to keep.
        spec: Specification of the environment; None: the registered one with the recorded name.
        effort: Budget and progress; with a spent budget, some actions may be unnecessary.
        keep: Called with each recording that is shorter than all before.

    Raises:
        InvalidRecording: There is no violation, or the recording cannot be played.
        ParameterError: The environment does not have these parameters.
    """
    where, text = require_violation(recording, "shrink")
    if recording.parameters.get("healing") == "at_end":
        recording = replace(recording, parameters={**recording.parameters, "healing": "both"})
    sought = _violated(recording.rounds[where])

    def seek(each: RecordedRound) -> bool:
        if same == "property":
            return bool(_violated(each) & sought)
        return any(message.info.get("violations") == text for _, message in each.messages)

    readings = find_readings(recording)
    with contextlib.closing(open_recorded(recording, spec)) as episodes:
        shorter = shrink(recording, episodes, seek, readings, effort, keep)
        replay(shorter, episodes)
    return shorter


def require_violation(recording: Recording, purpose: str) -> tuple[int, str]:
    """Return the step and text of the first violation; refuse a recording without one."""
    first = first_violation(recording)
    if first is None:
        raise InvalidRecording(f"no guarantee is violated in this episode: nothing to {purpose}")
    return first


def find_readings(recording: Recording) -> list[Reading]:
    """Return readings of the actions of a recording, the best one first."""
    if ByMeaning.can_read(recording):
        return [ByMeaning(recording), ByValue()]
    return [ByValue()]
