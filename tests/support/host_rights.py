# SPDX-License-Identifier: GPL-2.0-only
"""Whether this machine can have hosts; where it cannot, the last lines of the suite say so."""

from __future__ import annotations

import shutil

import pytest

from defiance_zoo.errors import HostsUnavailable
from defiance_zoo.scenario.hosts.rights import require_rights


def _find_lack() -> str:
    """Return which right or program is missing; empty: none."""
    missing = [each for each in ("ping", "iperf3", "setpriv") if shutil.which(each) is None]
    try:
        require_rights()
    except HostsUnavailable as error:
        return str(error)
    return f"there is no {' and no '.join(missing)}" if missing else ""


_LACK = _find_lack()
needs_rights = pytest.mark.skipif(bool(_LACK), reason=f"NO REAL PROGRAMS ARE TESTED: {_LACK}")
