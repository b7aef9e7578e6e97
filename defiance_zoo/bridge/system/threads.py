# SPDX-License-Identifier: GPL-2.0-only
"""Variables that keep libraries below NumPy from starting threads."""

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""Variables with which they start none: a process with threads cannot be copied."""
