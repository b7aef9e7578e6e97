# SPDX-License-Identifier: GPL-2.0-only
"""A test of `key_value.py`: replica 1 is the server, and clients may ask each replica."""

import asyncio

import defiance_zoo.scenario.replicas as rp

rp.patched("key_value")


class KeyValueReplica(rp.AsyncReplica):
    server = None

    async def main(self):
        import key_value

        if self.id == 1:
            self.server = key_value.Server("/disk/values", is_durable=self.bug != "no_sync")
            await self.server.run()

    async def request(self, request):
        import key_value

        kind, key, expected, value = rp.operation(request)
        asked = {
            rp.READ: (key, None, None),
            rp.WRITE: (key, None, value),
            rp.COMPARE_AND_SWAP: (key, expected, value),
        }[kind]
        try:
            answer = await asyncio.wait_for(key_value.ask("replica1", *asked), timeout=1)
        except (OSError, ValueError, asyncio.TimeoutError):
            return  # no answer: the client does not know whether the server has done it
        self.answer(request, answer)

    def state(self):
        return rp.State([len(self.server.values) if self.server else 0])


class KeyValue(rp.Protocol):
    fields = (rp.number("keys"),)
    replica = KeyValueReplica
    bugs = ("no_sync",)
    answers_clients = True

    def takers(self, states):
        return [state.id for state in states if state.active]

    def check(self, group):
        return []  # histories of clients are checked by histories=true


sim = rp.Simulation(KeyValue)

if __name__ == "__main__":
    sim.main()
