# SPDX-License-Identifier: GPL-2.0-only
"""Figures about a population, from the payoffs among its policies."""
