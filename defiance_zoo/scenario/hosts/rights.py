# SPDX-License-Identifier: GPL-2.0-only
"""The rights and programs that hosts need."""

from __future__ import annotations

import os
import shutil

_CAPABILITIES = {"CAP_NET_ADMIN": 12, "CAP_SYS_ADMIN": 21}
"""Numbers of capabilities, by name: for network devices, and for namespaces."""
_TUN = "/dev/net/tun"
_PROGRAMS = {"unshare": "util-linux", "ip": "iproute2"}
"""Packages of Debian, by the program that hosts need."""


def find_lack() -> str:
    """Return the missing right or program for hosts, with the remedy; empty if none is missing."""
    missing = [name for name, number in _CAPABILITIES.items() if not _effective() >> number & 1]
    if missing:
        return (
            "sc.host() makes network namespaces and tap devices, and this process lacks "
            f"{' and '.join(missing)}: run the program as root, or in a user namespace, as by "
            "`unshare --map-root-user --net python PROGRAM.py`"
        )
    if not os.access(_TUN, os.R_OK | os.W_OK, effective_ids=True):
        state = "may not be read and written" if os.path.exists(_TUN) else "does not exist"  # noqa: PTH110
        return (
            f"sc.host() makes tap devices, and {_TUN} {state}: load the kernel's module `tun`, or "
            f"start the container with `--device {_TUN}`, or have root allow it by "
            f"`chmod 666 {_TUN}`"
        )
    for program, package in _PROGRAMS.items():
        if shutil.which(program) is None:
            return f"sc.host() needs the program {program!r}, which Debian's package {package} has"
    return ""


def is_root_outside() -> bool:
    """Return whether this process's user is root outside of all user namespaces, too."""
    with open("/proc/self/uid_map") as lines:  # noqa: PTH123
        for inside, outside, count in (map(int, line.split()) for line in lines):
            if inside <= os.getuid() < inside + count:
                return os.getuid() - inside + outside == 0
    return False


def _effective() -> int:
    """Return the effective capabilities of this process, a bit each."""
    with open("/proc/self/status") as status:  # noqa: PTH123
        lines = dict(line.split(":", 1) for line in status)
    return int(lines["CapEff"], 16)
