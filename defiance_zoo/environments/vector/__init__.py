# SPDX-License-Identifier: GPL-2.0-only
"""Several simulations side by side, stepped together."""
