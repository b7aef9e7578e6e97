# SPDX-License-Identifier: GPL-2.0-only
"""What trainings, studies, populations and comparisons of explorers are built with."""
