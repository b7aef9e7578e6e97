# SPDX-License-Identifier: GPL-2.0-only
"""Meta-solvers: from the payoffs among policies to how often each of them is met."""

from defiance_zoo.population.solvers.registry import SOLVERS, Solver, find_solver, solve

__all__ = ["SOLVERS", "Solver", "find_solver", "solve"]
