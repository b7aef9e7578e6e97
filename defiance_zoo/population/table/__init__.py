# SPDX-License-Identifier: GPL-2.0-only
"""The payoffs among policies, as they were measured."""
