# SPDX-License-Identifier: GPL-2.0-only
"""The allowed actions of partition_v0, computed from the rules of its card."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from defiance_zoo.envs.partition.actions import DELAYS, JUMPS, Action, Actions
from defiance_zoo.envs.partition.states import Role, TendermintState, read_replicas


def expected_mask(
    info: Mapping[str, Any], *, max_inactive: int = 1, max_byzantine: int = 0
) -> list[int]:
    """Return a tester's allowed actions; of equivalent actions, only the first is allowed.

    Args:
        info: The info of the step in which the tester chooses, with `infos="all"`.
        max_inactive: The environment's parameter.
        max_byzantine: The environment's parameter.
    """
    states = read_replicas(info)
    slots = [states[replica - 1] for replica in info["slots"]]
    active = [each.active for each in slots]
    stopped, liars = active.count(False), sum(each.byzantine for each in slots)
    if isinstance(slots[0], TendermintState):
        takes = any(active)
    else:
        takes = any(each.active and each.state == Role.LEADER for each in slots)

    def is_allowed(action: Action) -> bool:
        slot = action.slot
        allowed = {
            "keep": any(active),
            "create": any(active),
            "stop": active[slot]
            and info["remaining_crashes"] > 0
            and (max_inactive == 0 or stopped < max_inactive),
            "start": not active[slot],
            "request": takes and info["pending_requests"] > 0,
            "byzantine": active[slot] and not slots[slot].byzantine and liars < max_byzantine,
            "delay": active[slot],
            "release": active[slot] and slots[slot].delayed,
            "clock_ahead": active[slot] and slots[slot].clock_error_ns <= 0,
            "clock_back": active[slot] and slots[slot].clock_error_ns >= 0,
            "clock_right": active[slot] and slots[slot].clock_error_ns != 0,
        }
        return bool(allowed[action.kind])

    actions = Actions(
        len(slots),
        with_byzantine=max_byzantine > 0,
        with_delays=DELAYS in info,
        with_jumps=JUMPS in info,
    )
    seen: set[str] = set()
    mask = []
    for index in range(len(actions)):
        allowed, look = is_allowed(actions[index]), actions.look(index, info)
        mask.append(int(allowed and look not in seen))
        if allowed:
            seen.add(look)
    return mask
