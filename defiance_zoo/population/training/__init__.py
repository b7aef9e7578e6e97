# SPDX-License-Identifier: GPL-2.0-only
"""Best responses: what an agent learns against a mixture of policies, and when it stops."""
