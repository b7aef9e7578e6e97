# SPDX-License-Identifier: GPL-2.0-only
"""Pictures: names, time, last actions, messages in flight, and how the episode ended."""

from __future__ import annotations

import functools
import re
import signal
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from pettingzoo.test import render_test

from defiance_zoo.environments import AgentView
from defiance_zoo.environments.rendering.characters import Characters, stretch
from defiance_zoo.environments.rendering.lettering import width, write, write_legend
from defiance_zoo.environments.rendering.renderer import Screen, open_screen
from defiance_zoo.envs import cart_pole_v0, edge_cart_pole_v0
from defiance_zoo.envs.cart_pole.rendering import CartPoleRenderer
from defiance_zoo.envs.edge_cart_pole.rendering import EdgeCartPoleRenderer

# The cart of agent_1 starts with a pole that no policy can save.
START = {"initial_state": {"agent_0": [0.0] * 4, "agent_1": [0, 0, 0.2, 1.0]}}


@pytest.mark.parametrize("module", [cart_pole_v0, edge_cart_pole_v0])
def test_pettingzoos_test_suite_passes(module: Any) -> None:
    render_test(functools.partial(module.env, carts=2))


def test_a_picture_keeps_its_size_as_agents_end() -> None:
    env = cart_pole_v0.parallel_env(carts=2, render_mode="rgb_array", duration="200ms")
    env.reset(seed=1, options=START)
    shapes, backgrounds, count = {env.render().shape}, [], 2
    for number in range(100):
        if not env.agents:
            break
        env.step(dict.fromkeys(env.agents, number % 2))
        picture = env.render()
        shapes.add(picture.shape)
        if len(env.agents) < count:
            count = len(env.agents)
            backgrounds.append([tuple(picture[60 + 160 * lane, 20]) for lane in range(2)])
    env.close()
    assert shapes == {(320, 600, 3)}
    (going_on, fell), (over, still) = backgrounds
    assert len({going_on, fell, over}) == 3
    assert still == fell


def play(env: Any, **options: Any) -> str:
    """Play an episode, pushing to the left; return the picture at its end."""
    env.reset(seed=1, options=options)
    while env.agents:
        env.step(dict.fromkeys(env.agents, 0))
    text: str = env.render()
    env.close()
    return text


@pytest.mark.parametrize(
    ("arguments", "options", "end"),
    [
        ({"duration": "10s"}, {}, "fell"),
        ({"duration": "60ms"}, {}, "time over"),
        ({"max_cycles": 2}, {}, "truncated"),
    ],
)
def test_the_last_picture_shows_how_the_episode_ended(
    arguments: dict[str, Any], options: dict[str, Any], end: str
) -> None:
    env = cart_pole_v0.parallel_env(render_mode="ansi", **arguments)
    assert re.search(rf"theta_dot \S+; action 0; {end}\n", play(env, **options))


def test_messages_in_flight_are_drawn() -> None:
    env = cart_pole_v0.raw_env(
        render_mode="ansi", transport="udp", delay="50ms", terminate_when_fallen=False
    )
    env.reset(seed=1)
    assert "not arrived: 2 observations" in env.render()
    for _ in range(4):
        env.step(1)
    assert "action 1; not arrived: 2 observations, 2 actions" in env.render()
    env.close()


def test_a_restored_snapshot_restores_the_picture() -> None:
    env = cart_pole_v0.raw_env(render_mode="ansi")
    env.reset(seed=1)
    env.step(1)
    shown = env.render()
    with env.snapshot() as snapshot:
        env.step(0)
        assert env.render() != shown
        env.restore(snapshot)
    assert env.render() == shown
    env.close()


def test_human_mode_renders_every_step(capsys: pytest.CaptureFixture[str]) -> None:
    env = gymnasium.make("defiance_zoo/CartPole-v0", render_mode="human")
    env.reset(seed=1)
    env.step(1)
    assert env.render() is None
    env.close()
    printed = capsys.readouterr().out
    assert printed.count("t = 0.000000 s\nagent_0: x ") == 1
    assert printed.count("t = 0.020000 s\nagent_0: x ") == 2  # by step() and by render()


def catches(number: signal.Signals) -> bool:
    """Return whether this process has a handler of a signal, which may be a library's."""
    status = Path("/proc/self/status").read_text()
    (mask,) = re.findall(r"^SigCgt:\t(\w+)$", status, re.MULTILINE)
    return bool(int(mask, 16) >> (number - 1) & 1)


def test_human_mode_opens_a_window_where_there_is_a_display(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pygame = pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    before = catches(signal.SIGTERM)
    env = gymnasium.make("defiance_zoo/CartPole-v0", render_mode="human")
    env.reset(seed=1)
    env.step(1)
    assert catches(signal.SIGTERM) == before
    window = pygame.display.get_surface()
    shown = pygame.surfarray.array3d(window).swapaxes(0, 1)
    env.close()
    assert not pygame.display.get_init()
    assert "t = 0" not in capsys.readouterr().out
    env = gymnasium.make("defiance_zoo/CartPole-v0", render_mode="rgb_array")
    env.reset(seed=1)
    env.step(1)
    assert np.array_equal(env.render(), shown)
    env.close()


@pytest.mark.parametrize("driver", ["", "no such driver"])
def test_human_mode_prints_where_no_window_opens(
    driver: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setenv("SDL_VIDEODRIVER", driver)
    assert type(open_screen(CartPoleRenderer().modes)) is Screen


@pytest.mark.parametrize("api", ["gymnasium", "aec"])
def test_rendering_without_a_mode_warns_as_gymnasium_does(api: str) -> None:
    env: Any = (
        gymnasium.make("defiance_zoo/CartPole-v0").unwrapped
        if api == "gymnasium"
        else cart_pole_v0.env()
    )
    env.reset(seed=1)
    with pytest.warns(UserWarning, match="without specifying any render mode"):
        assert env.render() is None
    env.close()


def sketched(state: list[float], action: int | None) -> list[str]:
    text = CartPoleRenderer().render("ansi", {"a": AgentView(np.array(state), action)}, 0)
    return text.splitlines()[2:]


@pytest.mark.parametrize(
    ("lean", "mark", "columns"), [(0.0, "|", [30] * 3), (0.5, "/", [33, 32, 31])]
)
def test_a_cart_and_its_pole_are_drawn_in_characters(
    lean: float, mark: str, columns: list[int]
) -> None:
    *pole, track = sketched([0.0, 0, lean, 0], 1)
    assert [(row.index(mark), row.strip()) for row in pole] == [(at, mark) for at in columns]
    assert track == "-" * 29 + "[#]>" + "-" * 28


def test_a_cart_in_characters_shows_its_position_and_push() -> None:
    assert sketched([-2.4, 0, 0, 0], None)[-1] == "#]" + "-" * 59
    assert sketched([1.2, 0, 0, 0], 0)[-1] == "-" * 43 + "<[#]" + "-" * 14


def test_lines_and_words_are_drawn_in_characters() -> None:
    drawing = Characters(6, 3)
    drawing.line((0, 0), (4, 2), ".")
    drawing.write("abc", 4, 1)  # the last one does not fit
    drawing.write("!", 9, 9)
    assert drawing.lines() == ["..", " ...ab", "   .."]
    assert stretch([(0, 0), (1, 4), (2, 2)], (1, 1), (10, 4)).tolist() == [[1, 1], [6, 5], [11, 3]]


def test_lanes_of_a_central_agent_show_each_push() -> None:
    view = AgentView(np.zeros(8, np.float32), np.array([0, 1]))
    picture = CartPoleRenderer().render("rgb_array", {"agent_0": view}, 0)
    blue = (picture == (30, 90, 200)).all(axis=2)
    arrows = [np.flatnonzero(blue[160 * lane + 128]).mean() for lane in range(2)]
    assert arrows[0] < 300 < arrows[1]


def test_agents_are_drawn_at_their_nodes() -> None:
    text = edge_cart_pole_v0.parallel_env(
        render_mode="ansi", migration="fixed", duration="200ms", handover_interval="50ms"
    )
    assert re.search(r"theta_dot \S+; agent at 0, cart at 4; action 0; ", play(text))
    seen = np.zeros(4, np.float32)
    shown = [
        EdgeCartPoleRenderer().render(
            "rgb_array", {"a": AgentView(seen, info={"edge/agent": here, "edge/cart": 1})}, 0
        )
        for here in (0, 2)
    ]
    blue = [np.flatnonzero((each[14] == (30, 90, 200)).all(axis=1)) for each in shown]
    assert [columns.min() for columns in blue] == [150, 150 + 2 * 28]


def test_texts_are_as_high_as_asked_and_cut_off_at_the_edge() -> None:
    for scale in (1, 1.6, 2, 4):
        picture = np.zeros((60, 200, 3), np.uint8)
        write(picture, "HIT", 3, 5, (255, 255, 255), scale)
        rows, columns = np.nonzero(picture[:, :, 0] > 100)
        assert rows.min() == 5
        assert abs(np.ptp(rows) + 1 - 7 * scale) <= 1.5
        assert columns.min() >= 3
        assert columns.max() < 3 + width("HIT", scale)
    small = np.zeros((8, 10, 3), np.uint8)
    write(small, "a longer text, with µ and 30 °C", 4, 4, (1, 2, 3))
    assert small.any()


def test_drawn_letters_differ() -> None:
    """A megabit is not a megabyte."""
    drawn = set()
    printable = [*map(chr, range(ord("!"), ord("~") + 1))]
    for letter in printable:
        picture = np.zeros((24, 24, 3), np.uint8)
        write(picture, letter, 2, 4, (255, 255, 255))
        assert not picture[0].any()
        drawn.add(picture.tobytes())
    assert len(drawn) == len(printable) == 94


def test_a_legend_has_squares_before_its_texts() -> None:
    picture = np.zeros((24, 300, 3), np.uint8)
    write_legend(picture, {"received": (0, 130, 95), "lost": (190, 50, 0)}, 5, 4)
    squares = [
        np.flatnonzero((picture[4:18] == color).all(axis=(0, 2)))
        for color in ((0, 130, 95), (190, 50, 0))
    ]
    assert [len(each) for each in squares] == [14, 14]
    assert squares[1].min() > squares[0].max() + width("received")
