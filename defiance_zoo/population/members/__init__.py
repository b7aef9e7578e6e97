# SPDX-License-Identifier: GPL-2.0-only
"""The policies of a population: what is known of them, and where they are kept."""
