# SPDX-License-Identifier: GPL-2.0-only
"""Published results of environments."""
