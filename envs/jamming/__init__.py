# SPDX-License-Identifier: GPL-2.0-only
"""A transmitter and a jammer, who choose channels at the same time; see `card.md`."""
