# SPDX-License-Identifier: GPL-2.0-only
"""Meta-solvers: from payoffs among policies to mixtures of opponents."""
