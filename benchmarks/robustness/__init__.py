# SPDX-License-Identifier: GPL-2.0-only
"""Whether anything grows, hangs or is lost."""
