# SPDX-License-Identifier: GPL-2.0-only
"""Hand-written policies for comparison.

Each policy decides for one client; a central agent has one policy for each client.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from defiance_zoo.bridge.system.capacity_traces import read_capacity_trace
from defiance_zoo.environments import PolicyMaker
from defiance_zoo.envs.video_streaming import video
from defiance_zoo.envs.video_streaming.best_plan import (
    Deliveries,
    Return,
    Situation,
    plan,
    plan_over_trace,
    weigh,
)
from defiance_zoo.errors import ParameterError

_SIZE = len(video.ELEMENTS)
_RATES_MBPS = np.array(video.RATES) / 1000


class ClientState(NamedTuple):
    """The observation of a client.

    Attributes:
        throughputs: Throughputs of the past chunks in Mb/s, the latest one last.
        sizes: Sizes of the next chunk in MB, for each bitrate.
        buffer: Seconds of video.
        left: Remaining chunks.
        last: Index of the last bitrate; None before the first chunk.
    """

    throughputs: NDArray[Any]
    sizes: NDArray[Any]
    buffer: float
    left: int
    last: int | None

    @classmethod
    def read(cls, observation: NDArray[Any]) -> ClientState:
        """Read the observation of a client, shape (25,)."""
        past = observation[: video.HISTORY].astype(np.float64)
        sizes = observation[2 * video.HISTORY : -3].astype(np.float64)
        buffer, left, last = observation[-3:].tolist()
        choice = int(np.argmin(abs(_RATES_MBPS - last))) if last > 0 else None
        return cls(past[past > 0], sizes, buffer, round(left), choice)


Chooser = Callable[[ClientState, Mapping[str, Any]], int]
"""Returns the index of a bitrate for a client's observation and infos."""


def harmonic_mean(throughputs: NDArray[Any]) -> float:
    """Return the harmonic mean of the last five throughputs; 0 without any."""
    return float(1 / np.mean(1 / throughputs[-5:])) if len(throughputs) else 0.0


def _rate_based() -> Chooser:
    def choose(seen: ClientState, _info: Mapping[str, Any]) -> int:
        fitting = np.flatnonzero(harmonic_mean(seen.throughputs) > _RATES_MBPS)
        return int(fitting[-1]) if len(fitting) else 0

    return choose


def _bba() -> Chooser:
    reservoir, cushion = 5.0, 10.0  # s

    def choose(seen: ClientState, _info: Mapping[str, Any]) -> int:
        share = min(max((seen.buffer - reservoir) / cushion, 0.0), 1.0)
        return int(share * (len(video.RATES) - 1))

    return choose


def _bola() -> Chooser:
    utilities = np.log(_RATES_MBPS / _RATES_MBPS[0])
    gamma = 5.0

    def choose(seen: ClientState, info: Mapping[str, Any]) -> int:
        weight = (info["buffer_limit"] / video.CHUNK_S - 1) / (utilities[-1] + gamma)
        scores = weight * (utilities + gamma) - seen.buffer / video.CHUNK_S
        return int(np.argmax(scores / seen.sizes))

    return choose


def _robust_mpc() -> Chooser:
    """Return RobustMPC of Yin et al. (2015): five chunks, and a lower bound of the throughput."""
    errors: deque[float] = deque(maxlen=5)
    predicted = 0.0
    chunks: list[tuple[int, ...]] = []

    def choose(seen: ClientState, info: Mapping[str, Any]) -> int:
        nonlocal predicted
        if not chunks:
            chunks.extend(video.make_video(seen.left))
        if not len(seen.throughputs):
            return 0
        if predicted:
            errors.append(abs(predicted - seen.throughputs[-1]) / float(seen.throughputs[-1]))
        predicted = harmonic_mean(seen.throughputs)
        ahead = np.array(chunks[len(chunks) - seen.left :][:5], np.float64)
        return _best_first(seen, ahead, predicted / (1 + max(errors, default=0.0)), info["qoe"])

    return choose


def _best_first(seen: ClientState, ahead: NDArray[Any], throughput: float, qoe: str) -> int:
    """Return the first bitrate of the best sequence, by exhaustive search.

    `ahead`: bytes of the next chunks, shape (chunks, bitrates). The throughput is in Mb/s.
    """
    plans = np.indices([len(video.RATES)] * len(ahead)).reshape(len(ahead), -1).T
    measure = video.MEASURES[qoe]
    qualities = np.array(measure.qualities)
    buffer, earned = np.full(len(plans), seen.buffer), np.zeros(len(plans))
    last = plans[:, 0] if seen.last is None else np.full(len(plans), seen.last)
    for sizes, choices in zip(ahead, plans.T, strict=True):
        times = 8e-6 * sizes[choices] / throughput
        earned += qualities[choices] - abs(qualities[choices] - qualities[last])
        earned -= measure.stall_price * np.maximum(times - buffer, 0)
        buffer = np.maximum(buffer - times, 0) + video.CHUNK_S
        last = choices
    return int(plans[np.argmax(earned), 0])


def download_time(size: int, rate: float, delay: float, *, opens: bool = False) -> float:
    """Return the download time of a chunk over a constant link in seconds, in closed form.

    A chunk has `size` bytes, in segments of `video.SEGMENT`. The rate in bit/s is for frames of
    1502 bytes, acknowledgements of 54 and requests of 254; the one-way delay is in s. The first
    chunk opens the connection, and begins in slow start: ten segments, doubled in each round trip
    time. There is an acknowledgement for two segments.
    """
    frame = 8 * 1502 / rate
    time = 2 * delay + 8 * 254 / rate + size / video.SEGMENT * frame
    if not opens:
        return time
    window, sent = 10.0, 10.0
    while sent < size / video.SEGMENT:
        time += max(0.0, 2 * delay + 8 * 54 / rate - (window - 2) * frame)
        window *= 2
        sent += window
    return time + 2 * delay + 16 * 54 / rate


def _optimum() -> Chooser:
    times: NDArray[Any] = np.empty(0)
    returns: list[list[Return]] = []

    def choose(seen: ClientState, info: Mapping[str, Any]) -> int:
        nonlocal times, returns
        if not info["capacity"]:
            raise ParameterError(
                "the policy optimum needs capacity=constant and one client at the bottleneck: "
                "choose another policy, such as robust_mpc"
            )
        measure, limit = video.MEASURES[info["qoe"]], info["buffer_limit"]
        if not len(times):
            chunks = video.make_video(seen.left)
            link = 1e6 * info["capacity"], info["delay"]
            opens = [info["connection"] == "per_chunk" or not i for i in range(len(chunks))]
            times = np.array(
                [
                    [download_time(size, *link, opens=each) for size in sizes]
                    for sizes, each in zip(chunks, opens, strict=True)
                ]
            )
            returns = plan(times, measure, limit)
        chunk = len(times) - seen.left
        earned = weigh(seen.buffer, times[chunk], returns[chunk + 1], measure, limit)
        if seen.last is not None:
            qualities = np.array(measure.qualities)
            earned = earned - abs(qualities - qualities[seen.last])
        return int(np.argmax(earned))

    return choose


def _clairvoyant() -> Chooser:
    chunks: list[tuple[int, ...]] = []
    link: Deliveries | None = None

    def choose(seen: ClientState, info: Mapping[str, Any]) -> int:
        nonlocal link
        if link is None:
            if not info["traces"]:
                raise ParameterError(
                    "the policy clairvoyant needs a trace: give capacity=training, "
                    "capacity=held_out or trace_file, or choose the policy optimum"
                )
            chunks.extend(video.make_video(seen.left))
            link = _deliveries(info["traces"], info["trace"])
        now = Situation(1e-9 * info["sim_time_ns"], seen.buffer, seen.last)
        sizes = np.array(chunks[len(chunks) - seen.left :])
        measure, limit = video.MEASURES[info["qoe"]], info["buffer_limit"]
        return plan_over_trace(now, sizes, link, info["delay"], measure, limit)

    return choose


def _deliveries(traces: str, number: int) -> Deliveries:
    """Return the deliveries of a generated trace, by its set and number, or of a file."""
    rates = video.make_rates(traces, number) if number >= 0 else None
    times = read_capacity_trace(traces) if rates is None else video.make_trace(rates)
    return Deliveries(np.array(times) / 1000, times[-1] / 1000)


class ClientPolicy:
    """A policy with a chooser for each client of each agent."""

    def __init__(self, make: Callable[[], Chooser]) -> None:
        """Take a maker of choosers, called in each episode."""
        self._make = make
        self.reset()

    def reset(self) -> None:
        self._choosers: dict[tuple[str, int], tuple[Chooser, int, int]] = {}

    def act(self, agent: str, observation: Any, info: Mapping[str, Any]) -> Any:
        rows = np.reshape(observation, (-1, _SIZE))
        chosen = [
            self._choose((agent, i), ClientState.read(row), {**info, "trace": int(trace)})
            for i, (row, trace) in enumerate(zip(rows, np.ravel(info["trace"]), strict=True))
        ]
        return chosen[0] if len(chosen) == 1 else np.array(chosen)

    def _choose(self, client: tuple[str, int], seen: ClientState, info: Mapping[str, Any]) -> int:
        """Return the choice for the next chunk, made once, as others may decide meanwhile."""
        chooser, left, choice = self._choosers.get(client) or (self._make(), -1, 0)
        if left != seen.left:
            choice = chooser(seen, info) if seen.left else 0
            self._choosers[client] = chooser, seen.left, choice
        return choice


def _make(chooser: Callable[[], Chooser]) -> Callable[..., ClientPolicy]:
    return lambda _env, _seed, _options: ClientPolicy(chooser)


BASELINES = {
    "rate_based": PolicyMaker(_make(_rate_based), __name__),
    "bba": PolicyMaker(_make(_bba), __name__),
    "bola": PolicyMaker(_make(_bola), __name__),
    "robust_mpc": PolicyMaker(_make(_robust_mpc), __name__),
    "optimum": PolicyMaker(_make(_optimum), __name__, costly=True, kind="reference"),
    "clairvoyant": PolicyMaker(_make(_clairvoyant), __name__, costly=True, kind="reference"),
}
"""The policies, by name."""
