# SPDX-License-Identifier: GPL-2.0-only
"""Programs for `make bench`, `make soak` and `make baselines`; the docs show their figures."""
