# SPDX-License-Identifier: GPL-2.0-only
"""A sender's decider, its measurement over a real path, and the prediction of the simulation."""

from __future__ import annotations

import contextlib
import json
import statistics
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium import spaces

import defiance_zoo
from defiance_zoo.bridge.simulation import describe
from defiance_zoo.bridge.system.spelling import known_words
from defiance_zoo.environments import lookup
from defiance_zoo.environments.policies import Policy
from defiance_zoo.envs.tcp_congestion.flow_state import ABSOLUTE, HISTORY, RELATIVE
from defiance_zoo.errors import ParameterError, SimulationCrashed
from defiance_zoo.experiments.evaluation import (
    BaselinePolicy,
    FilePolicy,
    RandomPolicy,
    open_env,
    play,
    pretrained,
)

ENVIRONMENT = "tcp_congestion_v1"
ALGORITHMS = {"reno": "newreno", "cubic": "cubic"}
"""Algorithms of the QUIC library, each with the simulation's algorithm to compare with."""
AGENT = "agent_0"
_OBSERVATIONS = {ABSOLUTE: "absolute", RELATIVE: "relative", HISTORY: "history"}


@dataclass(frozen=True)
class Decider:
    """A decider of a sender's window."""

    name: str
    policy: Policy | None
    observed: int
    actions: spaces.Space[Any]
    interval: float = 0.1

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameters with which the environment's decisions equal those on a real path."""
        if self.policy is None:
            return {"algorithm": ALGORITHMS[self.name]}
        kind = "continuous"
        if isinstance(self.actions, spaces.Discrete):
            kind = "discrete" if self.actions.n == 5 else "proportional"
        return {"observation": _OBSERVATIONS[self.observed], "action_space": kind}


def find_decider(name: str) -> Decider:
    """Return a decider."""
    baselines = lookup(ENVIRONMENT).baselines
    box = spaces.Box(-1, 1, (1,), np.float32)
    if name in ALGORITHMS:
        return Decider(name, None, HISTORY, box)
    if name in baselines:
        maker = baselines[name]
        assert callable(maker)
        return Decider(name, BaselinePolicy(maker, lambda _agent: box), ABSOLUTE, box)
    if name == "trained" or Path(name).suffix == ".onnx":
        policy = pretrained(ENVIRONMENT) if name == "trained" else FilePolicy(Path(name))
        place = name if name == "trained" else str(Path(name).resolve())
        return Decider(place, policy, *_read_spaces(policy), _read_interval(policy))
    known = ["trained", *baselines, *ALGORITHMS]
    there = known_words(name, known, "there are files that end with .onnx, and")
    raise ParameterError(f"{name!r} is not a policy of a sender{there}")


def _read_spaces(policy: FilePolicy) -> tuple[int, spaces.Space[Any]]:
    """Return the number of elements of a policy's observation, and its action space."""
    observes, acts = policy.spaces
    size = observes.shape[0] if observes.shape is not None and len(observes.shape) == 1 else 0
    one = isinstance(acts, spaces.Box) and acts.shape == (1,) and acts.low.min() == -1
    choices = isinstance(acts, spaces.Discrete) and acts.n in (5, 9)
    if size not in _OBSERVATIONS or not (one or choices):
        raise ParameterError(
            f"{policy.path} observes {observes} and acts in {acts}: it is not a policy of "
            f"{ENVIRONMENT} that sets the window of one sender"
        )
    return size, acts


def _read_interval(policy: FilePolicy) -> float:
    """Return the interval of a policy's training in seconds; by default the environment's."""
    trained: Any = {}
    with contextlib.suppress(ValueError):  # other exporters may write other values
        trained = json.loads(policy.metadata.get("parameters", "{}"))
    if not isinstance(trained, dict):
        trained = {}
    control, interval = trained.get("control", "window"), trained.get("interval", 0.1)
    seconds = (
        describe(lookup(ENVIRONMENT).scenario.locate()).parameters["interval"].to_number(interval)
    )
    if control != "window" or not seconds:
        raise ParameterError(
            f"{policy.path} was trained with control={control}, interval={interval}: a sender "
            "needs control=window and an interval above 0s"
        )
    return seconds


SCENARIO = Path(__file__).with_name("scenario.py")
_STARTING = 180.0
"""Additional seconds in which both programs start."""
_LATE = f"the programs did not end within {_STARTING:g} s after the time of the transfer"
_PACKET, _TCP, _QUIC = 1500, 1448, 1472
"""Size of a full IPv4 packet, and the bytes of it that a sender counts as acknowledged."""


@dataclass(frozen=True)
class Link:
    """The bottleneck of a path; the hosts' links add 20 ms to the round trip time.

    Attributes:
        rate: Data rate, such as "12Mbps".
        delay: One-way delay, such as "20ms".
        buffer: Packets in its queue; 0: one bandwidth-delay product, at least 10.
    """

    rate: str
    delay: str
    buffer: int = 0

    @staticmethod
    def parse(text: str) -> Link:
        """Parse a link: RATE,DELAY or RATE,DELAY,PACKETS."""
        rate, _, rest = text.partition(",")
        delay, _, buffer = rest.partition(",")
        if not rate or not delay or not (buffer or "0").isdecimal():
            raise ParameterError(
                f"{text!r} is not a link: write RATE,DELAY or RATE,DELAY,PACKETS, such as "
                "12Mbps,20ms"
            )
        return Link(rate, delay, int(buffer or 0))

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameters of the environment and of the real path."""
        return {
            "bottleneck_rate": self.rate,
            "bottleneck_delay": self.delay,
            "buffer": self.buffer,
        }


@dataclass(frozen=True)
class Transfer:
    """The results of a transfer, simulated or real.

    Attributes:
        throughput: Mean acknowledged rate of the monitor intervals, in Mb/s of IP packets.
        rtt: Mean round trip time of the intervals, in ms.
        rtt_p95: The 95th percentile of the intervals' mean round trip times, in ms.
        lost: Lost share of the sent packets, in percent.
    """

    throughput: float
    rtt: float
    rtt_p95: float
    lost: float

    @staticmethod
    def of_intervals(throughputs: list[float], rtts: list[float], lost: float) -> Transfer:
        """Summarise intervals; a round trip time of 0 is unknown."""
        known = [each for each in rtts if each > 0]
        return Transfer(
            statistics.fmean(throughputs),
            statistics.fmean(known),
            float(np.percentile(known, 95)),
            100 * lost,
        )


@dataclass(frozen=True)
class Clocks:
    """The delays that the machine adds to the path of a measurement.

    Attributes:
        lag_p99: 99th percentile of the simulation's lag behind real time, over periods of 100 ms,
            in ms.
        lag_max: The largest lag, in ms.
        late_p99: 99th percentile of the lateness of decisions, in ms.
        decisions: Decisions per second.
        least_rtt: The smallest round trip time in ms; its excess over the propagation time is the
            delay of programs, acknowledgements and clocks.
    """

    lag_p99: float
    lag_max: float
    late_p99: float
    decisions: float
    least_rtt: float


@dataclass(frozen=True)
class Measured:
    """A transfer over a real path."""

    transfer: Transfer
    clocks: Clocks


def predict(
    decider: Decider, link: Link, *, seconds: float, interval: float, jitter: float = 0.0
) -> Transfer:
    """Simulate a transfer, in virtual time; the sender starts at once."""
    arguments = {
        **link.parameters,
        **decider.parameters,
        "duration": f"{seconds}s",
        "interval": f"{interval}s",
        "leaf_jitter": f"{jitter}s",
        "start_jitter": 0.0,
    }
    watched = ("throughput", "round_trip_time")
    with contextlib.closing(open_env(lookup(ENVIRONMENT), arguments)) as env:
        policy = decider.policy or RandomPolicy(env.action_space, 1)
        (played,) = play(env, policy, episodes=1, seed=1, watch=watched)
    series, last = played.info_series[AGENT], played.infos[AGENT]
    again = float(last["retransmissions"])
    return Transfer.of_intervals(
        [each * _PACKET / _TCP for each in series["throughput"]],
        series["round_trip_time"],
        again / max(again + float(last["received_bytes"]) / _TCP, 1),
    )


def measure_over_ns3(
    decider: Decider, link: Link, *, seconds: float, interval: float, max_lag: str = "1s"
) -> Measured:
    """Send over a real path: programs in network namespaces, linked by ns-3 in real time."""
    env = defiance_zoo.make(
        str(SCENARIO),
        api="gymnasium",
        **link.parameters,
        decider=decider.name,
        seconds=seconds,
        interval=interval,
        max_lag=max_lag,
        duration=f"{seconds + _STARTING}s",
    )
    lags = []
    with contextlib.closing(env):
        _, info = env.reset(seed=1)
        ended = False
        while not info["sender"]:
            if ended:
                raise SimulationCrashed(_LATE)
            _, _, terminated, truncated, info = env.step(0)
            ended = terminated or truncated
            if info["started"]:
                lags.append(1e3 * info["realtime/lag"])
    return _read_report(info["sender"], seconds, lags)


def _read_report(text: str, seconds: float, lags: list[float]) -> Measured:
    """Return the measurements in the report of a sender."""
    report = json.loads(text.splitlines()[-1])
    intervals = report["intervals"]
    return Measured(
        Transfer.of_intervals(
            [each["throughput"] / 1e6 * _PACKET / _QUIC for each in intervals],
            [1e3 * each["rtt"] for each in intervals],
            report["lost"] / max(report["sent"], 1),
        ),
        Clocks(
            float(np.percentile(lags, 99)),
            max(lags),
            float(np.percentile([1e3 * each["late"] for each in intervals], 99)),
            len(intervals) / seconds,
            1e3 * report["least_rtt"],
        ),
    )


def find_gap(predicted: Transfer, measured: Transfer) -> dict[str, float]:
    """Return the differences between a measured and a predicted transfer.

    `lost` is in percentage points, other values in percent of the prediction.
    """
    return {
        **{
            name: 100 * (getattr(measured, name) / getattr(predicted, name) - 1)
            for name in ("throughput", "rtt", "rtt_p95")
        },
        "lost": measured.lost - predicted.lost,
    }
