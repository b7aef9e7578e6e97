# SPDX-License-Identifier: GPL-2.0-only
"""Methods that all interfaces of an environment share: transfers, reports, snapshots."""
