# SPDX-License-Identifier: GPL-2.0-only
"""What environments over LTE have in common: cells and users, and a map of them."""
