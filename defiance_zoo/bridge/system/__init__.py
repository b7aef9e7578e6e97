# SPDX-License-Identifier: GPL-2.0-only
"""What this Python process has of the operating system, and what is built with the package."""
