# SPDX-License-Identifier: GPL-2.0-only
"""The cost of decisions in simulated networks."""
