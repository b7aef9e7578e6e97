# SPDX-License-Identifier: GPL-2.0-only
"""The sub-commands; each is the object `command` of a module."""
