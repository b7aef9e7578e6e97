# SPDX-License-Identifier: GPL-2.0-only
"""Finding bugs of protocols: explorers, rewards, scripted faults, histories of clients."""
