# SPDX-License-Identifier: GPL-2.0-only
"""The files of a recorded episode: a folder that is written while it is played, and read."""
