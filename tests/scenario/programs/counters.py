# SPDX-License-Identifier: GPL-2.0-only
"""Print the counters of a link and of Wi-Fi, and the same counts by Python functions."""

import defiance_zoo.scenario as sc

sim = sc.Simulation("counters", duration="1s")
sim.parameter("refusals", False, help="Print what is refused.")


def count_by_functions(queue, heard):
    """Count the events of trace sources."""
    heard.update(now=0, peak=0, least=0, area=0.0, since=sc.now(), lost=0, sent=0)

    @queue.trace("PacketsInQueue")
    def changed(old, new):
        grow()
        heard.update(now=new, peak=max(heard["peak"], new), least=min(heard["least"], new))

    def grow():
        heard["area"] += heard["now"] * (sc.now() - heard["since"]).seconds
        heard["since"] = sc.now()

    @queue.trace("Drop")
    def dropped():  # without arguments
        heard["lost"] += 1

    @queue.trace("Dequeue")
    def sent(packet):
        heard["sent"] += packet.size

    return grow


@sim.episode
def build(p):
    a, b = sc.nodes(2, internet=True)
    link = sc.point_to_point(a, b, rate="1Mbps", queue="20p", flow_control=False)
    source = {"DataRate": "1300kbps", "Protocol": "ns3::UdpSocketFactory", "PacketSize": 500}
    a.add("ns3::OnOffApplication", Remote=(b.address(), 9), OnTime=1e6, OffTime=0, **source)
    queue = link[0]["TxQueue"]
    waiting, lost, sent = (queue.count(each) for each in ("PacketsInQueue", "Drop", "Dequeue"))
    heard = {}
    grow = count_by_functions(queue, heard)
    agent = sc.Agent(a, sc.Box(0, 1e9, (2, 7), "float64"), sc.Discrete(2), StepInterval="70ms")

    agent.on_action(lambda action: None)
    agent.info(dict)

    @agent.observe
    def observe():
        grow()
        packets, bytes_ = waiting.take(), sent.take().bytes
        counted = [packets.value, packets.min, packets.max, packets.mean, lost.take().count]
        counted += [bytes_, sent.bytes]
        told = [heard["now"], heard["least"], heard["peak"], heard["area"] / 0.07, heard["lost"]]
        heard["all"] = heard.get("all", 0) + heard["sent"]
        told += [heard["sent"], heard["all"]]
        heard.update(peak=heard["now"], least=heard["now"], area=0.0, lost=0, sent=0)
        return [counted, told]

    if p.refusals:
        refuse(queue, waiting, lost, sent, link)


def refuse(queue, waiting, lost, sent, link):
    for wrong in (
        lambda: queue.count("Dropp"),
        lambda: link.channel.count("TxRxPointToPoint"),
        lambda: waiting.bytes,
        lambda: sent.take().mean,
        lambda: link[0].node.get("ns3::Ipv4L3Protocol").count("Rx").value,
        lambda: queue.trace("Drop", lambda packet, why: None),
        lambda: queue.trace("PacketsInQueue", lambda new: None),
    ):
        try:
            wrong()
        except (AttributeError, TypeError) as error:
            print(f"{type(error).__name__}: {error}")
