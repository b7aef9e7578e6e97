# SPDX-License-Identifier: GPL-2.0-only
"""What `make bench`, `make soak` and `make baselines` run; figures in the docs come from here."""
