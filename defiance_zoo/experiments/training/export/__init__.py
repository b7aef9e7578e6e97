# SPDX-License-Identifier: GPL-2.0-only
"""Export of trained policies to policy files, which scenario programs run without Python."""
