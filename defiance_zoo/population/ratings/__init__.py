# SPDX-License-Identifier: GPL-2.0-only
"""Figures of a population, from the payoffs among its policies."""
