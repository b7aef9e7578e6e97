# SPDX-License-Identifier: GPL-2.0-only
"""Clients that choose the bitrate of each chunk of a video; see `card.md`."""
