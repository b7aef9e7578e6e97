# SPDX-License-Identifier: GPL-2.0-only
"""The files of a recorded episode: a folder that is written while it is played, and read.

The format is defined in `header.py` (`episode.json`), `columns.py` and `steps.py` (`steps.parquet`)
and `simulation_tables.py` (`*.csv`). The limits for files of others are beside the readers, and in
`bridge/system/reading.py`.
"""
