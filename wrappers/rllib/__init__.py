# SPDX-License-Identifier: GPL-2.0-only
"""RLlib (new API stack): environments; `defiance_zoo.wrappers.rllib.config` has algorithms."""

from defiance_zoo.wrappers.rllib.env import MultiAgentDict, RLlibEnv, Step

__all__ = ["MultiAgentDict", "RLlibEnv", "Step"]
