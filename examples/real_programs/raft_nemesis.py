# SPDX-License-Identifier: GPL-2.0-only
"""Servers of hashicorp/raft under faults; `make raft-registers` builds build/raft-registers.

    defiance-zoo partition record found --env examples/real_programs/raft_nemesis.py \
        -p bug=local_read --episodes 10 --keep violations --stop-on violation
"""

import defiance_zoo.scenario as sc
from defiance_zoo.scenario.nemesis import nemesis

sim = sc.Simulation("raft_nemesis", duration="60s", realtime=True)
sim.parameter("bug", "none", choices=("none", "local_read"), help="A mistake of the servers.")
nemesis(
    sim,
    "{folder}/../../build/raft-registers -name {name} -address {address} -peers {peers} "
    "-data {data} -bug {bug}",
    client="raft_client.py:execute",
    peer="{name}={address}",
)

if __name__ == "__main__":
    sim.main()
