# SPDX-License-Identifier: GPL-2.0-only
"""The policies of a population: records, store and players."""
