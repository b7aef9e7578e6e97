# SPDX-License-Identifier: GPL-2.0-only
"""Games as arrays: payoffs, mixtures, and gains of deviations."""
