# SPDX-License-Identifier: GPL-2.0-only
"""The registers of the examples under faults, with a command and a client of the test."""

import os
from pathlib import Path

import defiance_zoo.scenario as sc
from defiance_zoo.scenario.nemesis import nemesis

EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "real_programs"
SERVER = (
    f"python3 '{EXAMPLES}/register_server.py' --name {{name}} --address {{address}} "
    "--peers {peers} --data {data} --bug {bug}"
)

sim = sc.Simulation("registers", duration="60s", realtime=True)
sim.parameter("bug", "none")
sim.parameter("client", f"{EXAMPLES}/register_client.py:execute")
nemesis(sim, os.environ.get("REGISTERS_COMMAND", SERVER), "{client}", operations=("read", "write"))

if __name__ == "__main__":
    sim.main()
