# SPDX-License-Identifier: GPL-2.0-only
"""The common parts of trainings, studies, populations and comparisons of explorers."""
