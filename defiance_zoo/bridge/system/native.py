# SPDX-License-Identifier: GPL-2.0-only
"""Paths of the programs and libraries of the package."""

from __future__ import annotations

from pathlib import Path

NATIVE = Path(__file__).resolve().parents[2] / "_native"
"""Folder with `bin`, `lib` and the files with which users build their own programs."""
