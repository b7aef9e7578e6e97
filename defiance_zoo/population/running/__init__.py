# SPDX-License-Identifier: GPL-2.0-only
"""Growth of populations by generations, in a folder that can be resumed."""
