# SPDX-License-Identifier: GPL-2.0-only
"""What `defiance-zoo new` writes."""
