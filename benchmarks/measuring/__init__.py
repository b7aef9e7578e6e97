# SPDX-License-Identifier: GPL-2.0-only
"""The common parts of all measurements: timing, situations, floors, programs, results."""
