# SPDX-License-Identifier: GPL-2.0-only
"""Meta-solvers: from the payoffs among policies to how often each of them is met."""
