# SPDX-License-Identifier: GPL-2.0-only
"""Names of benchmark programs, for libraries and processes that make environments by name."""

from benchmarks.measuring.programs import EXCHANGE
from defiance_zoo.environments import register

register("exchange_v0", EXCHANGE)

NAME = "benchmarks.measuring.registered_programs:exchange_v0"
"""Names of the programs."""
