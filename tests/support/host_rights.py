# SPDX-License-Identifier: GPL-2.0-only
"""Whether this machine can have hosts; if it cannot, the suite's last lines say so."""

from __future__ import annotations

import shutil

import pytest

from defiance_zoo.scenario.hosts.keeper_client import find_lack

_PROGRAMS = ("ping", "iperf3", "setpriv", "curl", "etcd")
_MISSING = [each for each in _PROGRAMS if shutil.which(each) is None]
_LACK = find_lack() or (f"there is no {' and no '.join(_MISSING)}" if _MISSING else "")

needs_rights = pytest.mark.skipif(bool(_LACK), reason=f"NO REAL PROGRAMS ARE TESTED: {_LACK}")
