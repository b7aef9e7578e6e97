# SPDX-License-Identifier: GPL-2.0-only
"""Best responses: environments against a mixture of policies, and stoppers."""
