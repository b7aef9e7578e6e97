# SPDX-License-Identifier: GPL-2.0-only
"""How Python and ns-3 talk: messages, what carries them, and the processes of simulations."""
