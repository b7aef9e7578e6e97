# SPDX-License-Identifier: GPL-2.0-only
"""The common part of environments over LTE: cells and users, and a map of them."""
