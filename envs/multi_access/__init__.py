# SPDX-License-Identifier: GPL-2.0-only
"""Users whose traffic is split over Wi-Fi and LTE; see `card.md`."""
