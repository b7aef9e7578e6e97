# SPDX-License-Identifier: GPL-2.0-only
"""Moving pictures of the environments, for cards and docs.

    python -m benchmarks.publishing.pictures [--only ENVIRONMENT] [--out FOLDER]

Each picture is an episode of a policy that needs no training, with a fixed seed, rendered at even
intervals of simulated time. Equal frames give equal files with the same version of Pillow.
"""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from defiance_zoo.environments import Policy, SimulationAECEnv, lookup
from defiance_zoo.experiments.evaluation import NamedPolicy, open_env

DOCS = Path(__file__).parents[2] / "docs" / "pictures"
FRAMES, COLORS = 32, 30
SEED = 3


@dataclass(frozen=True)
class Shot:
    """The episode of a picture.

    Attributes:
        policy: Policy of the episode.
        every_s: Simulated time between two frames, in s.
        parameters: Parameters of the environment.
        frame_ms: Display time of a frame, in ms.
    """

    policy: str
    every_s: float
    parameters: dict[str, Any] = field(default_factory=dict)
    frame_ms: int = 100


SHOTS = {
    "cart_pole_v0": Shot("pole", 0.04, {"carts": 2, "transport": "udp", "delay": "40ms"}, 60),
    "cell_power_v0": Shot("target_tracking", 0.1, {"movement": "walk", "duration": "5s"}),
    "cell_sleep_v0": Shot("greedy", 0.5, {}, 150),
    "channel_access_v0": Shot("predict", 0.001, {"radios": 1, "interferer": "periodic"}, 150),
    "channel_rps_v0": Shot("random", 0.001, {"duration": "50ms"}, 150),
    "channel_sharing_v0": Shot("fill_gap", 0.001, {"interferer": "periodic"}, 150),
    "edge_cart_pole_v0": Shot("state_feedback", 0.25, {"migration": "follow"}),
    "handover_v0": Shot("a3_rsrp", 0.5, {"duration": "21s"}, 150),
    "jamming_v0": Shot("random", 0.001, {"opponent": "sensing", "duration": "50ms"}, 150),
    "multi_access_v0": Shot("delay_balanced", 0.5, {"speed": 10.0}, 150),
    "networked_cheetah_v0": Shot("gait", 0.05, {"delay": "40ms", "loss": 0.1}, 60),
    "networked_control_v0": Shot("state_feedback", 0.04, {"delay": "20ms", "loss": 0.1}, 60),
    "networked_spread_v0": Shot("predictor", 0.1, {"delay": "80ms", "loss": 0.1}, 150),
    "packet_routing_v0": Shot(
        "q_routing", 0.05, {"topology": "abilene", "packet_rate": 1500, "duration": "2.1s"}
    ),
    "partition_v0": Shot("random", 0.001, {"num_replicas": 5}, 300),
    "partition_tendermint_v0": Shot("random", 0.001, {}, 300),
    "tcp_congestion_v0": Shot("random", 0.25, {"flows": 2, "duration": "11s"}),
    "video_streaming_v0": Shot("bola", 6.0, {"clients": 2, "bottleneck": "shared"}, 150),
    "wifi_contention_v0": Shot(
        "look_up_table", 0.05, {"stations": 3, "final_stations": 20, "duration": "2.1s"}
    ),
    "wifi_rate_control_v0": Shot(
        "thompson_sampling",
        0.25,
        {"situation": "moving", "stations": 2, "distance": 5, "duration": "10.5s"},
    ),
}
"""The picture of each environment."""


def frames(name: str, shot: Shot, count: int = FRAMES) -> list[NDArray[np.uint8]]:
    """Return pictures of an episode, at most `count`; fewer if the episode ends early."""
    spec = lookup(name)
    env = open_env(spec, {**shot.parameters, "render_mode": "rgb_array"})
    with contextlib.closing(env):
        policy = NamedPolicy(shot.policy).make(spec, env, SEED)
        return [np.array(frame) for frame in _frames(env, policy, shot, count)]


def _frames(
    env: SimulationAECEnv, policy: Policy, shot: Shot, count: int
) -> Iterator[NDArray[np.uint8]]:
    env.reset(seed=SEED)
    policy.reset()
    shown, due_ns = 0, 1e9 * shot.every_s  # at the beginning, pictures are empty
    for agent in env.agent_iter():
        observation, _, terminated, truncated, info = env.last()
        if info.get("sim_time_ns", 0) >= due_ns:
            yield env.render()
            shown += 1
            due_ns = max(due_ns + 1e9 * shot.every_s, info["sim_time_ns"] + 1)
            if shown == count:
                return
        over = terminated or truncated
        env.step(None if over else policy.act(agent, observation, info))


def write(path: Path, pictures: list[NDArray[np.uint8]], frame_ms: int) -> None:
    """Write a looping animated GIF with a small palette for all frames.

    Frames keep their size: smaller frames have more shades, and take more bytes.
    """
    drawn = [Image.fromarray(each) for each in pictures]
    palette = _palette(drawn)
    first, *others = [_in_colors(each, palette) for each in drawn]
    first.save(path, save_all=True, append_images=others, duration=frame_ms, loop=0, optimize=False)


def _palette(pictures: list[Image.Image]) -> NDArray[np.uint8]:
    """Return colours for all pictures: white, rare and common colours, shape (colours, 3)."""
    width, height = pictures[0].size
    some = pictures[:: max(1, len(pictures) // 8)]
    sheet = Image.new("RGB", (width, height * len(some)))
    for number, each in enumerate(some):
        sheet.paste(each, (0, number * height))
    found = [255, 255, 255]  # backgrounds keep the page's white
    for method in (Image.Quantize.MAXCOVERAGE, Image.Quantize.MEDIANCUT):
        colors = COLORS // 2 - 1
        found += sheet.quantize(colors, method).getpalette()[: 3 * colors]
    return np.reshape(np.array(found, np.uint8), (-1, 3))


def _in_colors(picture: Image.Image, palette: NDArray[np.uint8]) -> Image.Image:
    """Return a picture in the palette's nearest colours; Pillow's search is not exact."""
    points = np.asarray(picture, np.int32)[:, :, np.newaxis]
    nearest = ((points - palette.astype(np.int32)) ** 2).sum(axis=3).argmin(axis=2)
    indexed = Image.frombytes("P", picture.size, nearest.astype(np.uint8).tobytes())
    indexed.putpalette(palette.ravel().tolist())
    return indexed


def main() -> None:
    """Draw the pictures of the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=SHOTS, metavar="ENVIRONMENT")
    parser.add_argument("--out", type=Path, default=DOCS)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    for name, shot in SHOTS.items():
        if options.only in (None, name):
            write(options.out / f"{name}.gif", frames(name, shot), shot.frame_ms)
            print(f"{options.out / name}.gif")


if __name__ == "__main__":
    main()
