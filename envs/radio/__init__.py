# SPDX-License-Identifier: GPL-2.0-only
"""What environments share whose agents send in slots on radio channels."""
