# SPDX-License-Identifier: GPL-2.0-only
"""Wi-Fi stations whose contention windows agents choose; see `card.md`."""
