# SPDX-License-Identifier: GPL-2.0-only
"""Features that replace a policy's observations, with a state within an episode."""

from defiance_zoo.wrappers.features.features import Features, FrameStack, Summary, Symlog
from defiance_zoo.wrappers.features.view import FeatureSource, FeatureView

__all__ = ["FeatureSource", "FeatureView", "Features", "FrameStack", "Summary", "Symlog"]
