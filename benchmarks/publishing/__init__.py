# SPDX-License-Identifier: GPL-2.0-only
"""Tables, plots and pictures of the docs."""
