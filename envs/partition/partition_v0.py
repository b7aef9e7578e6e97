# SPDX-License-Identifier: GPL-2.0-only
"""`partition_v0`: an agent tests a protocol by partitioning its network and crashing its replicas.

`card.md` describes network, observations, rewards and ends.
"""

from __future__ import annotations

from os import PathLike
from typing import Any

from defiance_zoo.bridge.simulation import Scenario
from defiance_zoo.environments import EnvironmentSpec
from defiance_zoo.envs.partition.baselines import BASELINES
from defiance_zoo.envs.partition.chart_arguments import NEEDED_BY_CHARTS
from defiance_zoo.envs.partition.rendering import PartitionRenderer

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
