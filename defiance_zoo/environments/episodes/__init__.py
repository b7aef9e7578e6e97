# SPDX-License-Identifier: GPL-2.0-only
"""Episodes of one scenario, one after the other, and their state."""
