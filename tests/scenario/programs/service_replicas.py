# SPDX-License-Identifier: GPL-2.0-only
"""The programs of `asyncio_services.py` as replicas; the parameter `bug` selects one."""

import defiance_zoo.scenario.replicas as rp

rp.patched("asyncio_services", path=".")


class ServiceReplica(rp.AsyncReplica):
    node = None

    async def main(self):
        import asyncio_services as services

        self.node = services.Node(self.id)
        await getattr(services, self.bug or "lock")(self.node)

    def state(self):
        node = self.node
        if node is None:
            return rp.State([0, 0, 0])
        return rp.State([node.value, node.leads, int(self.loop.time() < node.held_until)])


class Services(rp.Protocol):
    fields = (rp.number("value"), rp.number("leads"), rp.choice("holds", 1))
    replica, bugs, traffic = ServiceReplica, ("count", "lock", "elect", "back_up"), (1500, 100)

    def takers(self, states):
        return []

    def check(self, group):
        one, two, three = group.states
        if two.value and three.value and one.value != 2:
            yield "lost_update", f"the counter is {one.value}"
        if two.holds and three.holds and two.active and three.active:
            yield "mutual_exclusion", "two clients hold the lock"
        leads = [state.leads for state in group.states if state.leads and state.active]
        if len(set(leads)) < len(leads):
            yield "one_leader", f"terms of leaders: {leads}"


rp.Simulation(Services)
