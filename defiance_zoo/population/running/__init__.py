# SPDX-License-Identifier: GPL-2.0-only
"""Populations that grow: generations, one after the other, in a folder that can be resumed."""
