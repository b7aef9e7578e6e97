# SPDX-License-Identifier: GPL-2.0-only
"""The measured payoffs among policies."""
