# SPDX-License-Identifier: GPL-2.0-only
"""Processes of simulations: started, forked, watched, ended."""
