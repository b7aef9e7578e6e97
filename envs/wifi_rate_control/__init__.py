# SPDX-License-Identifier: GPL-2.0-only
"""Wi-Fi stations whose rates agents choose; see `card.md`."""
