# SPDX-License-Identifier: GPL-2.0-only
"""Export of trained policies to policy files, which scenario programs run without Python."""

from defiance_zoo.experiments.training.export.exporting import export_policy

__all__ = ["export_policy"]
