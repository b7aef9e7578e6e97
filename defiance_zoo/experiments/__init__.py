# SPDX-License-Identifier: GPL-2.0-only
"""Training, evaluation and comparison of policies."""
