# SPDX-License-Identifier: GPL-2.0-only
"""Search for bugs in protocols: explorers, rewards, scripted faults, histories of clients."""
