# SPDX-License-Identifier: GPL-2.0-only
"""Environment variables that keep NumPy's libraries from starting threads."""

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""Variables without threads, as a process with threads cannot be copied."""
