# SPDX-License-Identifier: GPL-2.0-only
"""video_streaming_v0 compared with results computed without a network."""

from __future__ import annotations

import bisect
import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from defiance_zoo.envs import video_streaming_v0
from defiance_zoo.envs.video_streaming import video
from defiance_zoo.envs.video_streaming.baselines import download_time
from defiance_zoo.envs.video_streaming.best_plan import (
    Deliveries,
    Situation,
    plan,
    plan_over_trace,
    weigh,
)
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.evaluation import NamedPolicy
from defiance_zoo.experiments.evaluation.lookahead import Lookahead, LookaheadOptions

SPEC = video_streaming_v0.SPEC
POLICIES = ["random", "rate_based", "bba", "bola", "robust_mpc"]
KBPS = [300, 750, 1200, 1850, 2850, 4300]


def simulate(rates: list[float], times: list[float], qoe: str, limit: float = 60) -> list[float]:
    """Return the quality of experience of each chunk, from its bitrate and download time only."""
    earned, buffer, last = [], 0.0, None
    for rate, time in zip(rates, times, strict=True):
        stalled = max(time - buffer, 0.0)
        buffer = max(buffer - time, 0.0) + 4
        if qoe == "linear":
            quality, price = rate / 1000, 4.3
        elif qoe == "log":
            quality, price = math.log(rate / 300), 2.66
        else:
            quality, price = float({300: 1, 750: 2, 1200: 3, 1850: 12, 2850: 15, 4300: 20}[rate]), 8
        earned.append(quality - price * stalled - (0 if last is None else abs(quality - last)))
        last = quality
        while buffer > limit:
            buffer -= 0.5
    return earned


def play(policy: str, seed: int = 1, **arguments: Any) -> list[tuple[float, Any, dict[str, Any]]]:
    """Play an episode of one client; return reward, observation and info after each chunk."""
    env = SPEC.raw_env(link="local", **arguments)
    chooser = NamedPolicy(policy).make(SPEC, env, 1)
    env.reset(seed=seed)
    steps = []
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        steps.append((reward, observation, info))
        ended = terminated or truncated
        env.step(None if ended else chooser.act(agent, observation, info))
    env.close()
    return steps[1:]


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("qoe", video.MEASURES)
def test_rewards_equal_those_of_a_chunk_simulator(policy: str, qoe: str) -> None:
    steps = play(policy, qoe=qoe, chunks=30, buffer_limit="12s")
    rates, times = ([info[key] for *_, info in steps] for key in ("rate", "download_time"))
    assert [reward for reward, *_ in steps] == simulate(rates, times, qoe, limit=12)
    assert len(steps) == 30


@pytest.mark.parametrize("connection", ["persistent", "per_chunk"])
@pytest.mark.parametrize(("rate", "delay"), [(3e6, 0.04), (1e6, 0.01)])
def test_download_times_equal_the_closed_form(rate: float, delay: float, connection: str) -> None:
    """From sizes, headers and slow start, which tests/scenario/test_downloads.py also compares."""
    steps = play(
        "random", chunks=20, capacity="constant", rate=f"{rate:.0f}bps", path_delay=f"{delay}s",
        connection=connection,
    )  # fmt: skip
    for number, (sizes, (_, _, info)) in enumerate(zip(video.make_video(20), steps, strict=True)):
        size = sizes[KBPS.index(info["rate"])]
        opens = connection == "per_chunk" or number == 0
        expected = download_time(size, rate, delay, opens=opens)
        assert info["download_time"] == pytest.approx(expected, rel=0.01)


def times_of(chunks: int, rate: float = 3e6, delay: float = 0.04) -> np.ndarray[Any, Any]:
    """Return the download times of all chunks at all bitrates over a constant link."""
    return np.array(
        [
            [download_time(size, rate, delay, opens=number == 0) for size in sizes]
            for number, sizes in enumerate(video.make_video(chunks))
        ]
    )


@pytest.mark.parametrize("limit", [60.0, 8.0, 4.3])
@pytest.mark.parametrize("qoe", video.MEASURES)
def test_the_dynamic_program_is_the_best_of_all_plans(qoe: str, limit: float) -> None:
    """Exactly, also where a plan ends just before a stall, and where clients wait."""
    measure = video.MEASURES[qoe]
    qualities = np.array(measure.qualities)
    for rate, delay in ((3e6, 0.04), (2.5e6, 0.06), (1.1e6, 0.2)):
        times = times_of(5, rate, delay)

        def earn(choices: Any, times: Any = times) -> float:
            taken = times[range(5), choices].tolist()
            return sum(simulate([KBPS[i] for i in choices], taken, qoe, limit))

        best = max(earn(list(each)) for each in itertools.product(range(6), repeat=5))
        returns = plan(times, measure, limit)
        assert weigh(0.0, times[0], returns[1], measure, limit).max() == pytest.approx(best)
        chosen: list[int] = []
        buffer = 0.0
        for number, row in enumerate(times):
            earned = weigh(buffer, row, returns[number + 1], measure, limit)
            changes = abs(qualities - qualities[chosen[-1]]) if chosen else 0.0
            chosen.append(int(np.argmax(earned - changes)))
            buffer = max(buffer - row[chosen[-1]], 0.0) + 4
            while buffer > limit:
                buffer -= 0.5
        assert earn(chosen) == pytest.approx(best)


@pytest.mark.parametrize("rate", ["2Mbps", "3Mbps"])
def test_lookahead_over_the_whole_video_equals_the_dynamic_program(rate: str) -> None:
    """No other bitrate earns more in copies of the network, at any chunk."""
    arguments: dict[str, Any] = {"capacity": "constant", "rate": rate, "chunks": 6}
    planned = play("optimum", **arguments)
    env = SPEC.raw_env(link="local", **arguments)
    options = LookaheadOptions(horizon=7, then="optimum")
    lookahead = Lookahead(env, 1, options, lambda each: NamedPolicy("optimum").make(SPEC, each, 1))
    env.reset(seed=1)
    earned = 0.0
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        earned += reward
        ended = terminated or truncated
        env.step(None if ended else lookahead.act(agent, observation, info))
    env.close()
    assert earned == pytest.approx(sum(reward for reward, *_ in planned), abs=1e-6)
    assert len({info["rate"] for *_, info in planned}) > 1


def test_no_policy_earns_more_than_the_dynamic_program() -> None:
    for rate in ("1500kbps", "3Mbps"):
        arguments: dict[str, Any] = {"capacity": "constant", "rate": rate, "chunks": 20}
        earned = {
            policy: sum(reward for reward, *_ in play(policy, **arguments))
            for policy in ("optimum", *POLICIES)
        }
        assert max(earned, key=lambda each: earned[each]) == "optimum"


@pytest.mark.parametrize(
    "arguments", [{}, {"capacity": "constant", "clients": 2, "bottleneck": "shared"}]
)
def test_the_dynamic_program_refuses_unsupported_parameters(arguments: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match="optimum needs capacity=constant and one client"):
        play("optimum", **arguments)


@pytest.mark.parametrize("qoe", video.MEASURES)
def test_a_plan_over_a_trace_is_the_best_of_all_plans(qoe: str) -> None:
    """Within a fiftieth, as similar states are joined; 1500 bytes at each time of the trace."""
    measure, chunks = video.MEASURES[qoe], video.make_video(5)
    for number in range(3):
        lines = [each / 1000 for each in video.make_trace(video.make_rates("training", number))]

        def arrive(start: float, size: int, lines: list[float] = lines) -> float:
            first = bisect.bisect_left(lines, start + 0.04)
            return lines[first + math.ceil(size / 1448) - 1] + 0.04

        def earn(choices: Any, arrive: Any = arrive) -> float:
            now, times = 0.0, []
            for sizes, choice in zip(chunks, choices, strict=True):
                times.append(arrive(now, sizes[choice]) - now)
                now += times[-1]
            return sum(simulate([KBPS[i] for i in choices], times, qoe))

        chosen: list[int] = []
        now, buffer = 0.0, 0.0
        for left in range(5, 0, -1):
            at = Situation(now, buffer, chosen[-1] if chosen else None)
            link = Deliveries(np.array(lines), lines[-1])
            sizes = np.array(chunks[5 - left :])
            chosen.append(plan_over_trace(at, sizes, link, 0.04, measure, 60.0))
            end = arrive(now, chunks[5 - left][chosen[-1]])
            now, buffer = end, max(buffer - (end - now), 0.0) + 4
        best = max(earn(each) for each in itertools.product(range(6), repeat=5))
        assert best - 0.02 * abs(best) - 1e-9 <= earn(chosen) <= best + 1e-9


def test_download_times_over_a_trace_are_known_in_advance() -> None:
    """Half of them to 5 ms, if a client is alone on its link."""
    steps = play("random", chunks=20, trace=7)
    lines = np.array(video.make_trace(video.make_rates("training", 7))) / 1000
    link, start = Deliveries(lines, lines[-1]), 0.0
    errors = []
    for sizes, (_, _, info) in zip(video.make_video(20), steps, strict=True):
        segments = np.array([math.ceil(sizes[KBPS.index(info["rate"])] / 1448)])
        expected = float(link.after(np.array([start + 0.04]), segments)[0]) + 0.04 - start
        errors.append(abs(expected - info["download_time"]))
        start = 1e-9 * info["sim_time_ns"]
    assert np.median(errors) < 0.005


@pytest.mark.parametrize("bottleneck", ["own", "shared"])
def test_the_clairvoyant_policy_plays_for_several_clients_at_once(bottleneck: str) -> None:
    together: dict[str, Any] = {"clients": 2, "bottleneck": bottleneck, "chunks": 20}
    together |= {"placement": "central"}
    earned = {
        policy: sum(reward for reward, *_ in play(policy, 1000, **together))
        for policy in ("clairvoyant", *POLICIES)
    }
    assert max(earned, key=lambda each: earned[each]) == "clairvoyant"


def test_the_clairvoyant_policy_reads_a_users_trace(tmp_path: Path) -> None:
    path = tmp_path / "phone, at home.txt"
    path.write_text("0 2.0\n40 4.0\n44 0.3\n60 1.8\n")
    given = {"trace_file": str(path), "chunks": 20}
    earned = {
        policy: sum(reward for reward, *_ in play(policy, **given))
        for policy in ("clairvoyant", *POLICIES)
    }
    assert max(earned, key=lambda each: earned[each]) == "clairvoyant"
    with pytest.raises(ParameterError, match="clairvoyant needs a trace"):
        play("clairvoyant", capacity="constant")


def test_buffer_based_policies_choose_by_the_papers_formulas() -> None:
    for _, observation, info in play("bba", chunks=30)[:-1]:
        assert info["rate"] in KBPS
        assert 0 <= observation[-3] <= 60
    bba, bola = (play(policy, chunks=30) for policy in ("bba", "bola"))
    for (_, seen, _), (_, _, info) in itertools.pairwise(bba):
        share = min(max((float(seen[-3]) - 5) / 10, 0), 1)
        assert info["rate"] == KBPS[int(5 * share)]
    utilities = np.log(np.array(KBPS) / 300)
    for (_, seen, _), (_, _, info) in itertools.pairwise(bola):
        weight = 14 / (utilities[-1] + 5)
        scores = (weight * (utilities + 5) - float(seen[-3]) / 4) / seen[16:22]
        assert info["rate"] == KBPS[int(np.argmax(scores))]
    low, high = (len({info["rate"] for *_, info in steps}) for steps in (bba, bola))
    assert min(low, high) > 2


def test_traces_follow_the_documented_process() -> None:
    rates = np.array([video.make_rates("training", number) for number in range(200)])
    assert rates.shape == (200, 320)
    assert rates.min() == pytest.approx(0.1)
    assert rates.mean() == pytest.approx(2.25, abs=0.1)  # the middle of 0.2 and 4.3 Mb/s
    near = np.corrcoef(rates[:, :-1].ravel(), rates[:, 1:].ravel())[0, 1]
    assert 0.7 < near < 0.95
    assert video.make_rates("held_out", 0) != video.make_rates("training", 0)
    one = video.make_trace(video.make_rates("training", 3))
    assert one[-1] == 320_000
    assert one == sorted(one)
    assert len(one) * 12_000 == pytest.approx(
        1e6 * sum(video.make_rates("training", 3)), abs=24_000
    )


def test_clients_on_a_shared_bottleneck_get_its_capacity() -> None:
    """Three clients at the highest bitrate fill a bottleneck of 3 Mb/s per client."""
    env = SPEC.parallel_env(
        link="local", clients=3, bottleneck="shared", capacity="constant", chunks=8
    )
    env.reset(seed=1)
    now = 0
    while env.agents:
        *_, infos = env.step(dict.fromkeys(env.agents, 5))
        now = next(iter(infos.values()))["sim_time_ns"]
    received = 3 * sum(sizes[5] for sizes in video.make_video(8)) * 8
    env.close()
    assert received / (now / 1e9) == pytest.approx(9e6 * 1448 / 1502, rel=0.05)
