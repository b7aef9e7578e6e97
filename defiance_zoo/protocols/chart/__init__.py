# SPDX-License-Identifier: GPL-2.0-only
"""Message-sequence charts of recorded tests."""

from defiance_zoo.protocols.chart.page import draw_page
from defiance_zoo.protocols.chart.story import Story, read_story

__all__ = ["Story", "draw_page", "read_story"]
