# SPDX-License-Identifier: GPL-2.0-only
"""Messages between Python and ns-3, links that carry them, and processes of simulations."""
