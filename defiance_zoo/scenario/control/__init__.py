# SPDX-License-Identifier: GPL-2.0-only
"""Plants that agents observe and control over the network, for `envs/networked/scenario.py`."""
