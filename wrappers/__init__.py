# SPDX-License-Identifier: GPL-2.0-only
"""Adapters, one a consumer; each imports its library only when it is imported itself."""

from defiance_zoo.moved import add_names

add_names(
    __name__,
    {
        "rllib_ape_x": "rllib.ape_x",
        "rllib_config": "rllib.config",
        "rllib_masks": "rllib.masks",
        "rllib_metrics": "rllib.metrics",
        "rllib_policies": "rllib.policies",
        "rllib_spaces": "rllib.spaces",
        "sb3_buffers": "sb3.buffers",
        "sb3_shared": "sb3.shared",
        "sb3_supersuit": "sb3.supersuit",
    },
)
