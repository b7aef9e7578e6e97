# SPDX-License-Identifier: GPL-2.0-only
"""What all measurements share: timing, situations, floors, programs, results."""
