# SPDX-License-Identifier: GPL-2.0-only
"""Real etcd servers under faults: serializable reads are stale, default reads are not.

The servers are of Debian's package etcd-server. An episode takes a minute:

    defiance-zoo partition record found --env examples/real_programs/etcd_nemesis.py \
        -p reads=serializable --keep violations
"""

import defiance_zoo.scenario as sc
from defiance_zoo.scenario.nemesis import nemesis

sim = sc.Simulation("etcd_nemesis", duration="60s", realtime=True)
sim.parameter("reads", "linearizable", choices=("linearizable", "serializable"))
nemesis(
    sim,
    "etcd --name {name} --data-dir {data} --initial-cluster {peers} "
    "--listen-peer-urls http://{address}:2380 --initial-advertise-peer-urls http://{address}:2380 "
    "--listen-client-urls http://{address}:2379 --advertise-client-urls http://{address}:2379 "
    "--heartbeat-interval 100 --election-timeout 1000",
    client="etcd_client.py:{reads}",
    peer="{name}=http://{address}:2380",
)

if __name__ == "__main__":
    sim.main()
