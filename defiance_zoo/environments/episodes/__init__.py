# SPDX-License-Identifier: GPL-2.0-only
"""Episodes of one scenario, one after the other, with all that is known of them."""
