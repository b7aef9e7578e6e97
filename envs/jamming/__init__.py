# SPDX-License-Identifier: GPL-2.0-only
"""A transmitter and a jammer that choose channels at the same time; see `card.md`."""
