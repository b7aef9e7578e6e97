# SPDX-License-Identifier: GPL-2.0-only
"""The sub-commands, one module each, whose `command` it is."""
