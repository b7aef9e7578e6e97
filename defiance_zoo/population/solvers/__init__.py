# SPDX-License-Identifier: GPL-2.0-only
"""Meta-solvers: from the payoffs among policies to how often each of them is met."""

from defiance_zoo.population.solvers.registry import (
    SOLVERS,
    Fallback,
    Solver,
    find_solver,
    require_for,
    solve,
    solve_in_any_case,
)

__all__ = [
    "SOLVERS",
    "Fallback",
    "Solver",
    "find_solver",
    "require_for",
    "solve",
    "solve_in_any_case",
]
