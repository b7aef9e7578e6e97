# SPDX-License-Identifier: GPL-2.0-only
"""What every interface of an environment offers beside its own: transfers, reports, snapshots."""
