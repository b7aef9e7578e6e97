# SPDX-License-Identifier: GPL-2.0-only
"""Imitation of a teacher before a run learns from rewards: labels, and rounds of imitation."""
