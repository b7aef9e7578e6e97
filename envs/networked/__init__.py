# SPDX-License-Identifier: GPL-2.0-only
"""Any Gymnasium or PettingZoo environment behind a simulated network; see `networked()`."""
