# SPDX-License-Identifier: GPL-2.0-only
"""Stable-Baselines3: vectors of simulations with a single agent or a shared policy.

Observations are unchanged; trainings normalise them, in `experiments/training/sb3/trainer.py`.
"""

from defiance_zoo.wrappers.sb3.buffers import decisions_only
from defiance_zoo.wrappers.sb3.vectors import (
    DecisionMonitor,
    FeatureVecEnv,
    SharedPolicyVecEnv,
    SingleAgentVecEnv,
    make_shared_policy_vec_env,
    make_vec_env,
)

__all__ = [
    "DecisionMonitor",
    "FeatureVecEnv",
    "SharedPolicyVecEnv",
    "SingleAgentVecEnv",
    "decisions_only",
    "make_shared_policy_vec_env",
    "make_vec_env",
]
