# SPDX-License-Identifier: GPL-2.0-only
"""Hosts: Linux network namespaces with real programs, linked with nodes of the simulation."""
