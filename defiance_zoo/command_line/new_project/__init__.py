# SPDX-License-Identifier: GPL-2.0-only
"""Files that `defiance-zoo new` writes."""
