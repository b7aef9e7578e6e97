# SPDX-License-Identifier: GPL-2.0-only
"""Messages between Python and ns-3, links that carry them, and processes of simulations."""

from pathlib import Path

_PACKAGE = Path(__file__).parents[1]
if not (_PACKAGE / "_proto").is_dir():
    raise ImportError(
        f"the checkout {_PACKAGE.parent} is not built: run `make build` in it, or, if a wheel is "
        "installed, run Python in another folder"
    )
