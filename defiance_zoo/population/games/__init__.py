# SPDX-License-Identifier: GPL-2.0-only
"""Games as arrays: payoffs, mixtures, and what deviating from a mixture gains."""
