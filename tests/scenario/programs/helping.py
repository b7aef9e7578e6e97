# SPDX-License-Identifier: GPL-2.0-only
"""What noise.py imports."""

ANSWER = 42
