# SPDX-License-Identifier: GPL-2.0-only
"""What exchange, layers, resets, snapshots, vectors and recordings cost."""
