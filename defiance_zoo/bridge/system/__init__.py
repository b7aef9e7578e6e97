# SPDX-License-Identifier: GPL-2.0-only
"""Resources of the operating system, and programs that are built with the package."""
