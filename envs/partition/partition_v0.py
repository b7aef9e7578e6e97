# SPDX-License-Identifier: GPL-2.0-only
"""`partition_v0`: an agent tests Raft by partitioning its network and crashing its replicas.

The card beside this file says what is simulated, observed, rewarded and ended.
"""

from __future__ import annotations

from defiance_zoo.environments import EnvironmentSpec
from defiance_zoo.envs.partition.baselines import BASELINES
from defiance_zoo.envs.partition.rendering import PartitionRenderer
from defiance_zoo.simulation import Scenario

SPEC = EnvironmentSpec(
    name="partition_v0",
    scenario=Scenario(
        "partition_v0",
        "partition",
        variants={"topology": {"wifi": "partition_wifi"}},
        refuses_masked=True,
    ),
    renderer=PartitionRenderer(),
    baselines=BASELINES,
    description="An agent that tests Raft: it partitions the network, and crashes replicas",
)

env, raw_env, parallel_env = SPEC.env, SPEC.raw_env, SPEC.parallel_env
