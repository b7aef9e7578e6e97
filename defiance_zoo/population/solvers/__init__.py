# SPDX-License-Identifier: GPL-2.0-only
"""Meta-solvers, which convert payoffs among policies to mixtures of opponents."""
