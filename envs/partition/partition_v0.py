# SPDX-License-Identifier: GPL-2.0-only
"""`partition_v0`: an agent tests a protocol by partitioning its network and crashing its replicas.

`card.md` describes network, observations, rewards and ends.
"""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import Any

import numpy as np

from defiance_zoo.bridge.codec.masks import MASK
from defiance_zoo.bridge.simulation import Scenario
from defiance_zoo.environments import EnvironmentSpec, Policy, PolicyMaker
from defiance_zoo.envs.partition.actions import find_actions
from defiance_zoo.envs.partition.rendering import PartitionRenderer


class FaultlessPolicy(Policy):
    """Injects no faults: submits each request as soon as a replica takes it."""

    def act(self, agent: str, observation: Any, info: Mapping[str, Any]) -> int:
        """Return the action that submits a request, if it is allowed; otherwise 0."""
        mask = info[MASK] if MASK in info else observation[MASK]
        actions = find_actions({**info, MASK: mask})
        requests = [number for number in actions.find("request") if mask[number]]
        return requests[0] if requests else int(np.argmax(mask))


BASELINES = {"faultless": PolicyMaker(lambda _env, _seed, _options: FaultlessPolicy(), __name__)}
"""The policies, by name."""


NEEDED_BY_CHARTS: Mapping[str, Any] = {"message_events": True}
"""Parameters for charts of programs that test a protocol."""


def chart_arguments(scenario: Scenario, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters with which recordings can be drawn, if the scenario declares them."""
    declaration = scenario.declaration(parameters)
    declared = declaration.parameters if declaration is not None else {}
    needed = {name: value for name, value in NEEDED_BY_CHARTS.items() if name in declared}
    return {**needed, **scenario.when_recorded, **parameters}


TENDERMINT = {
    "protocol": "tendermint",
    "num_replicas": 4,
    "ticks_between_partition": 3,
    "max_messages_per_tick": 20,
    "stay_same_state_upto": 2,
    "with_crashes": True,
    "crash_limit": 10,
    "max_inactive": 2,
    "num_requests": 20,
    "timeout_propose": "200ms",
    "timeout_prevote": "100ms",
    "timeout_precommit": "100ms",
    "timeout_commit": "100ms",
    "tick_interval": "20ms",
}
"""The preset of `PartitionTendermint-v0`: `partition_v0.env(**TENDERMINT)`."""


def _scenario(name: str, **defaults: Any) -> Scenario:
    variants: dict[str, dict[Any, str | PathLike[str]]] = {
        "topology": {"wifi": "partition_wifi"},
        "protocol": {"canonical_raft": "partition_canonical"},
    }
    return Scenario(
        name,
        "partition",
        defaults,
        variants=variants,
        when_recorded=dict(NEEDED_BY_CHARTS),
    )


SPEC = EnvironmentSpec(
    name="partition_v0",
    scenario=_scenario("partition_v0"),
    renderer=PartitionRenderer(),
    baselines=BASELINES,
    description="An agent that tests Raft: it partitions the network, and crashes replicas",
)
TENDERMINT_SPEC = EnvironmentSpec(
    name="partition_tendermint_v0",
    scenario=_scenario("partition_tendermint_v0", **TENDERMINT),
    renderer=PartitionRenderer(),
    baselines=BASELINES,
    description="An agent that tests Tendermint: partitions, crashes, Byzantine replicas",
)

env, raw_env, parallel_env = SPEC.env, SPEC.raw_env, SPEC.parallel_env
