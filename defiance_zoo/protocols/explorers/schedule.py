# SPDX-License-Identifier: GPL-2.0-only
"""An explorer of the order in which messages are delivered."""

from __future__ import annotations

from dataclasses import replace

from defiance_zoo.envs.partition.actions import DELAYS, Kind, find_actions
from defiance_zoo.errors import ParameterError
from defiance_zoo.protocols.explorers.negative import NegRL
from defiance_zoo.protocols.explorers.situation import Situation

_KINDS: frozenset[Kind] = frozenset(["keep", "request", "delay", "release"])
"""The actions that determine the delivery of messages and requests."""


class Schedule(NegRL):
    """Learns to delay messages, and injects no other faults.

    Q-learning as in `NegRL`, over the actions that determine the delivery of messages and requests.
    It takes other actions only if none of these is allowed. Mukherjee et al. (OOPSLA 2020) choose
    the next event of a program in this way.
    """

    name = "schedule"

    def begin(self, situation: Situation) -> None:
        """See `Explorer`.

        Raises:
            ParameterError: Messages cannot be delayed in this environment.
        """
        if DELAYS not in situation.info:
            raise ParameterError(
                f"{self.name} delays messages, but this environment has no actions for that; pass "
                "with_delays=True to partition_v0, or to your own protocol"
            )

    def choose(self, situation: Situation) -> int:
        """See `Explorer`."""
        actions, allowed = find_actions(situation.info), situation.actions
        kept = [place for place, each in enumerate(allowed) if actions[each].kind in _KINDS]
        if not kept:
            return super().choose(situation)
        keys = situation.keys
        ordered = replace(
            situation,
            actions=tuple(allowed[place] for place in kept),
            keys=tuple(keys[place] for place in kept),
        )
        return kept[super().choose(ordered)]
