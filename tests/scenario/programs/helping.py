# SPDX-License-Identifier: GPL-2.0-only
"""A module that noise.py imports."""

ANSWER = 42
