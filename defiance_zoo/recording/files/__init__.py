# SPDX-License-Identifier: GPL-2.0-only
"""Writing and reading of the folder of a recorded episode.

The format is defined in `header.py` (`episode.json`), `columns.py` and `steps.py` (`steps.parquet`)
and `loading.py` (`*.csv`). The limits for untrusted files are in the readers, and in
`bridge/system/reading.py`.
"""
