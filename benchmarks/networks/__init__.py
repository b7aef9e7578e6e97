# SPDX-License-Identifier: GPL-2.0-only
"""What decisions in simulated networks cost."""
