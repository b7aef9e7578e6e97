# SPDX-License-Identifier: GPL-2.0-only
"""The cost of exchanges, layers, resets, snapshots, vectors and recordings."""
