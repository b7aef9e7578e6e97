# SPDX-License-Identifier: GPL-2.0-only
"""Results that environments are known for."""
