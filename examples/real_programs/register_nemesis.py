# SPDX-License-Identifier: GPL-2.0-only
"""Small servers of replicated registers under faults, which find planted bugs.

    defiance-zoo partition record found --env examples/real_programs/register_nemesis.py \
        -p bug=no_disk --episodes 10 --keep violations --stop-on violation
"""

import defiance_zoo.scenario as sc
from defiance_zoo.scenario.nemesis import nemesis

BUGS = ("none", "no_write_back", "small_quorum", "no_disk")

sim = sc.Simulation("register_nemesis", duration="60s", realtime=True)
sim.parameter("bug", "none", choices=BUGS, help="A mistake of the servers.")
nemesis(
    sim,
    "python3 {folder}/register_server.py --name {name} --address {address} --peers {peers} "
    "--data {data} --bug {bug}",
    client="register_client.py:execute",
    operations=("read", "write"),
)

if __name__ == "__main__":
    sim.main()
