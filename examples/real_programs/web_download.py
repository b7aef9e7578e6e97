# SPDX-License-Identifier: GPL-2.0-only
"""curl downloads a file from Python's web server repeatedly; an agent buys the link's rate.

defiance-zoo random examples/real_programs/web_download.py --episodes 1
"""

import sys

import defiance_zoo.scenario as sc

BYTES = 125_000
LEVELS = ("1Mbps", "2Mbps", "5Mbps", "10Mbps")

sim = sc.Simulation("web_download", duration="10s", realtime=True)
sim.parameter("delay", sc.Time("10ms"), range=("0s", "1s"), help="One-way delay of the link.")
sim.parameter("price", 0.05, range=(0.0, 10.0), help="Price of 1 Mb/s, in seconds per download.")


@sim.episode
def build(p):
    a, b = sc.nodes(2, internet=True)
    link = sc.point_to_point(a, b, rate=LEVELS[0], delay=p.delay)
    client, server = sc.host(a, "client"), sc.host(b, "server")
    sc.route_globally()
    serve = f"exec {sys.executable} -m http.server --directory /mnt"
    prepare = f"mount -t tmpfs tmpfs /mnt && head -c {BYTES} /dev/zero > /mnt/file"
    server.run(["unshare", "--mount", "sh", "-c", f"{prepare} && {serve}"])
    download = f"curl -s -o /dev/null -w '%{{time_total}}\\n' http://{server.address}:8000/file"
    downloads = client.run(["sh", "-c", f"while :; do {download} || sleep 0.1; done"])
    agent = sc.Agent(a, sc.Box(0, 1e3, (1,)), sc.Discrete(len(LEVELS)), StepInterval="500ms")

    @agent.observe
    def observe():
        """Return the duration of the last download in seconds; 0 without one."""
        lines = downloads.output.rpartition("\n")[0].splitlines()
        seconds = float(lines[-1]) if lines else 0.0
        agent.reward = -seconds - p.price * (link[1]["DataRate"] / sc.DataRate("1Mbps"))
        return [seconds]

    @agent.on_action
    def act(level):
        link[1]["DataRate"] = LEVELS[level]


if __name__ == "__main__":
    sim.main()
