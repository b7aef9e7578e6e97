# SPDX-License-Identifier: GPL-2.0-only
"""RLlib (new API stack): environments; algorithms are in `defiance_zoo.wrappers.rllib.config`."""

from defiance_zoo.wrappers.rllib.env import MultiAgentDict, RLlibEnv, Step

__all__ = ["MultiAgentDict", "RLlibEnv", "Step"]
