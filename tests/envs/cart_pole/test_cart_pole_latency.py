# SPDX-License-Identifier: GPL-2.0-only
"""The latencies of access networks: by hand, or within the bounds of their standards."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cart_pole_messages import ACTIONS, IPV4, MS, START, UDP, action_bytes, observation_bytes, play
from cart_pole_reference import INTERVAL_NS, ReferenceCart

from defiance_zoo.envs import cart_pole_v0

US = 1000
ETHERNET_HEADER, ETHERNET_FCS, LEAST_ETHERNET_PAYLOAD = 14, 4, 46
PPP = 2


def on_the_bus_ns(message: int, rate: int) -> int:
    """Return how long the Ethernet frame of a message takes; ns-3 leaves the preamble out."""
    payload = max(message + UDP + IPV4, LEAST_ETHERNET_PAYLOAD)
    return round((ETHERNET_HEADER + payload + ETHERNET_FCS) * 8 * 10**9 / rate)


def on_the_backhaul_ns(message: int, rate: int = 10_000_000) -> int:
    """Return how long the point-to-point frame of a message takes."""
    return round((PPP + IPV4 + UDP + message) * 8 * 10**9 / rate)


def arrivals(decisions: int, **arguments: Any) -> list[int]:
    """Return how long after its sample each observation arrives, in ns; less than a sample."""
    env = cart_pole_v0.raw_env(
        transport="udp", terminate_when_fallen=False, duration="20s", **arguments
    )
    env.reset(seed=3)
    times = []
    for number in range(decisions):
        times.append(env.last()[4]["sim_time_ns"] % INTERVAL_NS)
        env.step(np.full(env.action_space(env.agent_selection).shape, number % 2, np.int64))
    env.close()
    return times


def latencies(kind: str, **arguments: Any) -> dict[str, float]:
    """Return mean and maximum latency in s of one kind of message in a simulated second."""
    env = cart_pole_v0.parallel_env(
        communication_infos=True,
        transport="udp",
        terminate_when_fallen=False,
        duration="1s",
        **arguments,
    )
    env.reset(seed=1)
    reported: dict[str, Any] = {}
    while env.agents:
        reported.update(env.step(dict.fromkeys(env.agents, 0))[4])
    env.close()
    flat = {key: value for info in reported.values() for key, value in info.items()}
    means = [value for key, value in flat.items() if key.endswith(f"/{kind}/mean_latency")]
    worst = [value for key, value in flat.items() if key.endswith(f"/{kind}/max_latency")]
    assert len(means) == len(worst) == arguments.get("carts", 1)
    return {"mean": float(np.mean(means)), "max": max(worst)}


@pytest.mark.parametrize(("delay_us", "rate"), [(0, 10_000_000), (5, 1_000_000), (1000, 1_000_000)])
def test_an_empty_bus_takes_the_transmission_time_of_a_frame(delay_us: int, rate: int) -> None:
    """Header, padding and check sequence, then the propagation along the bus."""
    env = cart_pole_v0.raw_env(
        access="csma", transport="udp", delay=f"{delay_us}us", data_rate=f"{rate}bps"
    )
    reported = play(env, ACTIONS)
    env.close()
    cart = ReferenceCart(START)
    for sample, ((time_ns, observation), action) in enumerate(zip(reported, ACTIONS, strict=True)):
        expected = cart.advance(sample * INTERVAL_NS)
        up = on_the_bus_ns(observation_bytes(), rate) + delay_us * US
        assert time_ns == sample * INTERVAL_NS + up
        assert np.allclose(observation, expected, rtol=0, atol=2e-6)
        down = on_the_bus_ns(action_bytes(action), rate) + delay_us * US
        cart.push(time_ns + down, action)


def test_a_bus_carries_one_frame_at_a_time() -> None:
    """Four carts observe at one instant, and each frame waits for the frames before it."""
    carts = 4
    frame = on_the_bus_ns(observation_bytes(), 10_000_000)
    times = arrivals(
        10 * carts, access="csma", carts=carts, placement="central", action_delay="10ms"
    )
    for sample in range(10):
        instants = times[carts * sample : carts * (sample + 1)]
        assert instants[0] == frame
        assert (np.diff(instants) >= frame).all()


def test_the_gap_between_frames_is_kept() -> None:
    """A central agent sends two actions at once: the second follows 96 bit times after the first.

    The agent decides twice a sample, at the arrival of either observation. Actions of one decision
    may have to wait for those of the other: this is their time without that wait.
    """
    rate = 10_000_000
    env = cart_pole_v0.raw_env(
        access="csma",
        carts=2,
        placement="central",
        transport="udp",
        data_rate=f"{rate}bps",
        action_delay="10ms",
        terminate_when_fallen=False,
        communication_infos=True,
    )
    env.reset(seed=1)
    totals = []
    for _ in range(50):
        for _ in range(2):
            env.step(np.zeros(2, np.int64))
        info = env.infos["agent_0"]
        channel = "communication/agent_0/action_1/action"
        totals.append(info[f"{channel}/rx_messages"] * info[f"{channel}/mean_latency"])
    env.close()
    expected = 2 * on_the_bus_ns(action_bytes(0), rate) + 96 * 10**9 // rate
    # Reports give means in whole nanoseconds, here of up to 100 messages.
    assert np.diff(totals).min() == pytest.approx(2 * expected / 1e9, abs=200e-9)


def test_a_wifi_frame_takes_a_preamble_and_a_symbol() -> None:
    """At 10 m, 802.11ax sends 122 bytes in one symbol of 13.6 us after a preamble of 44 us.

    The rest is the wait for the end of the arbitration interval and a slot boundary: at most SIFS
    and three slots, and one slot. The first message sets up block acknowledgement.
    """
    backhaul = on_the_backhaul_ns(observation_bytes())
    frame = round((44 + 13.6) * US)
    times = arrivals(100, access="wifi")[1:]
    assert min(times) >= frame + backhaul
    assert max(times) <= frame + backhaul + (16 + 4 * 9) * US


def test_wifi_is_slower_at_a_distance() -> None:
    assert min(arrivals(100, access="wifi", distance=50)) > max(arrivals(100, access="wifi")[1:])


def test_lte_takes_the_time_of_its_scheduling() -> None:
    """An uplink grant holds for the fourth subframe after it, and a subframe takes 1 ms.

    Before the grant, the cell must have received the device's buffer status.
    """
    backhaul = on_the_backhaul_ns(observation_bytes())
    times = arrivals(100, access="lte")
    assert len({(time - backhaul) % MS for time in times}) == 1
    assert min(times) >= (1 + 4 + 1) * MS + backhaul
    assert max(times) < 15 * MS
    down = latencies("action", access="lte")
    assert 0.001 <= down["mean"] <= down["max"] < 0.010


@pytest.mark.parametrize("access", ["wifi", "lte"])
def test_the_delay_of_the_backhaul_is_added(access: str) -> None:
    """The radio hop of the first observation does not depend on the backhaul."""
    (near,), (far,) = arrivals(1, access=access), arrivals(1, access=access, delay="3ms")
    assert far == near + 3 * MS
    slow = arrivals(1, access=access, data_rate="1Mbps")[0]
    message = observation_bytes()
    assert slow - near == on_the_backhaul_ns(message, 1_000_000) - on_the_backhaul_ns(message)


@pytest.mark.parametrize("access", ["csma", "wifi", "lte"])
def test_latency_grows_with_contention(access: str) -> None:
    one, some, many = (latencies("observation", access=access, carts=n)["mean"] for n in (1, 4, 8))
    assert one < some < many


def test_dedicated_links_have_no_contention() -> None:
    one, many = (latencies("observation", carts=n)["mean"] for n in (1, 8))
    assert one == many
