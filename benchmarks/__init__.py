# SPDX-License-Identifier: GPL-2.0-only
"""Programs of `make bench`, `make soak` and `make baselines`; the docs have their figures."""
