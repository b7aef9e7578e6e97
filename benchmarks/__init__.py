# SPDX-License-Identifier: GPL-2.0-only
"""What `make bench` runs; figures in the docs come from here."""
