# SPDX-License-Identifier: GPL-2.0-only
"""Speed of cart_pole_v0: the exchange, resets, and what Python costs the simulation.

    python -m benchmarks.cart_pole [--quick] [--out FOLDER] [--name NAME]

Each repetition measures everything once, one thing after the other, and the medians over the
repetitions are reported, so that the figures of one run can be compared with each other.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import multiprocessing
import os
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import zmq

from benchmarks.report import save
from defiance_zoo.environments import lookup
from defiance_zoo.errors import SimulationCrashed
from defiance_zoo.wrappers.gymnasium import GymnasiumEnv

SPEC = lookup("cart_pole_v0")
STEP_S = 0.02
FOR_EVER = {"terminate_when_fallen": False}
DEPLOYMENTS: dict[str, dict[str, Any]] = {
    "local, simple": {"placement": "local"},
    "remote, udp": {"transport": "udp", "delay": "1ms"},
    "remote, tcp": {"transport": "tcp", "delay": "1ms"},
}
LINKS = ("zmq", "local")


def step_times(deployment: dict[str, Any], steps: int) -> np.ndarray:
    """Return the duration of each `step()` of one long episode, in seconds, shape (steps,)."""
    env = GymnasiumEnv(SPEC, duration=(steps + 300) * STEP_S, **FOR_EVER, **deployment)
    env.reset(seed=1)
    for _ in range(200):
        env.step(0)
    times = np.zeros(steps)
    for number in range(steps):
        began = time.perf_counter()
        env.step(number & 1)
        times[number] = time.perf_counter() - began
    env.close()
    return times


def aec_rate(deployment: dict[str, Any], steps: int) -> float:
    """Return decisions a second of `env()`, in PettingZoo's wrappers, by `last()` and `step()`."""
    env = SPEC.env(duration=(steps + 10) * STEP_S, **FOR_EVER, **deployment)
    env.reset(seed=1)
    began = time.perf_counter()
    for number in range(steps):
        env.last()
        env.step(number & 1)
    rate = steps / (time.perf_counter() - began)
    env.close()
    return rate


def without_python(deployment: dict[str, Any], steps: int) -> float:
    """Return seconds a decision of the same scenario with its built-in policy."""
    arguments = {**FOR_EVER, **{k: v for k, v in deployment.items() if k != "link"}}
    flags = [f"--{n}={str(v).lower() if isinstance(v, bool) else v}" for n, v in arguments.items()]

    def run(duration_s: float) -> float:
        command = [SPEC.scenario.locate(), *flags, f"--duration={duration_s}s"]
        began = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return time.perf_counter() - began

    return (run(steps * STEP_S) - run(STEP_S)) / steps


def reset_times(deployment: dict[str, Any], resets: int, launch: str) -> np.ndarray:
    """Return the duration of resets in the middle of an episode, in seconds, shape (resets,)."""
    env = GymnasiumEnv(SPEC, launch=launch, **deployment)
    env.reset(seed=1)
    times = np.zeros(resets)
    for number in range(resets):
        env.step(0)
        began = time.perf_counter()
        env.reset()
        times[number] = time.perf_counter() - began
    env.close()
    return times


def crash_times(deployment: dict[str, Any], crashes: int) -> np.ndarray:
    """Return the seconds from kill -9 of a simulation to the exception, shape (crashes,)."""
    env = GymnasiumEnv(SPEC, **deployment)
    times = np.zeros(crashes)
    for number in range(crashes):
        env.reset(seed=1)
        programs = psutil.Process().children(recursive=True)
        simulation = max(programs, key=psutil.Process.create_time)  # its server is older
        began = time.perf_counter()
        simulation.kill()
        with contextlib.suppress(SimulationCrashed):
            while True:
                env.step(0)
        times[number] = time.perf_counter() - began
    env.close()
    return times


def _echo(address: str) -> None:
    context = zmq.Context()
    socket = context.socket(zmq.DEALER)
    socket.connect(address)
    socket.send(b"ready")
    while message := socket.recv():
        socket.send(message)
    context.destroy()


def floor_times(exchanges: int) -> np.ndarray:
    """Return the duration of bare pyzmq round trips of 100 bytes over ipc, in seconds."""
    with tempfile.TemporaryDirectory() as directory:
        return _ping_pong(exchanges, f"ipc://{directory}/floor")


def _ping_pong(exchanges: int, address: str) -> np.ndarray:
    context = zmq.Context()
    socket = context.socket(zmq.ROUTER)
    socket.bind(address)
    peer = multiprocessing.get_context("spawn").Process(target=_echo, args=(address,))
    peer.start()
    name, _ = socket.recv_multipart()
    times = np.zeros(exchanges)
    for number in range(exchanges):
        began = time.perf_counter()
        socket.send_multipart([name, bytes(100)])
        socket.recv_multipart()
        times[number] = time.perf_counter() - began
    socket.send_multipart([name, b""])
    peer.join()
    context.destroy()
    return times[exchanges // 10 :]


def pipe_floor_times(exchanges: int) -> np.ndarray:
    """Return the duration of bare round trips of 100 bytes through two pipes, in seconds."""
    (their_reader, writer), (reader, their_writer) = os.pipe(), os.pipe()
    peer = os.fork()
    if peer == 0:
        os.close(writer)
        while message := os.read(their_reader, 100):
            os.write(their_writer, message)
        os._exit(0)
    os.close(their_reader)
    times = np.zeros(exchanges)
    for number in range(exchanges):
        began = time.perf_counter()
        os.write(writer, bytes(100))
        os.read(reader, 100)
        times[number] = time.perf_counter() - began
    os.close(writer)
    os.waitpid(peer, 0)
    for descriptor in (reader, their_writer):
        os.close(descriptor)
    return times[exchanges // 10 :]


def in_us(times: np.ndarray) -> dict[str, float]:
    """Return median and 99th percentile in microseconds."""
    return {
        "median_us": float(np.median(times) * 1e6),
        "p99_us": float(np.quantile(times, 0.99) * 1e6),
    }


def measure(steps: int, resets: int) -> dict[str, Any]:
    """Measure everything once."""
    results: dict[str, Any] = {
        "floor: bare pyzmq round trip": in_us(floor_times(steps)),
        "floor: bare round trip through pipes": in_us(pipe_floor_times(steps)),
    }
    cases = itertools.product(DEPLOYMENTS.items(), LINKS)
    for name, deployment in ((f"{n}, {k}", {**d, "link": k}) for (n, d), k in cases):
        times = step_times(deployment, steps)
        alone = without_python(deployment, steps)
        forked = reset_times(deployment, resets, "fork") * 1e3
        spawned = reset_times(deployment, resets, "spawn") * 1e3
        results[name] = {
            **in_us(times),
            "steps_per_s": float(1 / times.mean()),
            "aec_steps_per_s": aec_rate(deployment, steps),
            "built_in_policy_us_per_step": alone * 1e6,
            "ratio_with_python": float(times.mean() / alone),
            "simulated_s_per_s": float(STEP_S / times.mean()),
            "forked_reset_median_ms": float(np.median(forked)),
            "forked_reset_p99_ms": float(np.quantile(forked, 0.99)),
            "spawned_reset_median_ms": float(np.median(spawned)),
            "spawned_reset_p99_ms": float(np.quantile(spawned, 0.99)),
            "crash_noticed_max_ms": float(crash_times(deployment, resets // 5).max() * 1e3),
        }
    return results


def median_of(repetitions: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the median of each figure."""
    return {
        name: {
            figure: float(np.median([each[name][figure] for each in repetitions]))
            for figure in figures
        }
        for name, figures in repetitions[0].items()
    }


def main() -> None:
    """Measure, print, save."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="few steps, for trying the command")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results")
    parser.add_argument("--name", default="cart_pole", help="of the file with the results")
    arguments = parser.parse_args()
    steps, resets, repetitions = (300, 5, 1) if arguments.quick else (10_000, 100, 3)
    results = median_of([measure(steps, resets) for _ in range(repetitions)])
    for name, figures in results.items():
        print(name)
        for figure, value in figures.items():
            print(f"  {figure:30} {value:12.1f}")
    print("saved as", save(arguments.name, "make bench", results, arguments.out))


if __name__ == "__main__":
    main()
