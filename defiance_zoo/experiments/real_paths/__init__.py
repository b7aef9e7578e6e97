# SPDX-License-Identifier: GPL-2.0-only
"""Policies of `tcp_congestion` that send over real paths, by QUIC."""
