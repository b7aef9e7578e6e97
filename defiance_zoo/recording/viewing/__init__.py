# SPDX-License-Identifier: GPL-2.0-only
"""Reports of episodes, each in one HTML file."""

from defiance_zoo.recording.viewing.episode_report import episode_page, write_report
from defiance_zoo.recording.viewing.report_data import report_data

__all__ = ["episode_page", "report_data", "write_report"]
