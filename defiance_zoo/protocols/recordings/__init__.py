# SPDX-License-Identifier: GPL-2.0-only
"""Recorded tests of protocols: what their actions did, and the violations in them."""
