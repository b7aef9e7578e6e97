# SPDX-License-Identifier: GPL-2.0-only
"""Reports in a real browser, one for all tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from colours import READABLE, prefer, read_texts
from made_episodes import MARKUP, made_episode
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from benchmarks.publishing.headless import Browser, after_frames, complaints, open_browser, requests
from defiance_zoo.recording.viewing import episode_page
from defiance_zoo.recording.viewing.episode_report import script

MOVES = 200


@pytest.fixture(scope="module")
def open_one() -> Iterator[Browser]:
    with open_browser() as opened:
        opened.set_script_timeout(60)
        yield opened


@pytest.fixture
def browser(open_one: Browser) -> Iterator[Browser]:
    """The browser; a test fails if it writes to the browser's console."""
    open_one.get("about:blank")
    complaints(open_one), requests(open_one)
    yield open_one
    assert complaints(open_one) == []


def show(browser: Browser, folder: Path, *episodes: tuple[str, Any]) -> None:
    page = folder / "report.html"
    page.write_text(episode_page(episodes), encoding="utf-8")
    browser.get(page.as_uri())


def text_of(browser: Browser, selector: str) -> str:
    return str(browser.execute_script(f"return document.querySelector({selector!r}).textContent"))


def press(browser: Browser, *keys: str) -> str:
    """Press keys, and return the time shown afterwards."""
    for key in keys:
        browser.find_element("tag name", "body").send_keys(key)
    after_frames(browser, "")
    return text_of(browser, ".time")


def test_the_scrubber_moves_by_keys_and_by_mouse(browser: Browser, tmp_path: Path) -> None:
    show(browser, tmp_path, ("one", made_episode(50)))
    assert text_of(browser, ".time") == "0.000000 s, round 1 of 50"
    assert press(browser, Keys.ARROW_RIGHT) == "0.010000 s, round 2 of 50"
    assert press(browser, Keys.END) == "0.490000 s, round 50 of 50"
    assert press(browser, Keys.ARROW_LEFT) == "0.480000 s, round 49 of 50"
    assert press(browser, Keys.HOME) == "0.000000 s, round 1 of 50"
    move = "const s = document.querySelector('.slider'); s.value = 50000;"
    after_frames(browser, f"{move} s.dispatchEvent(new Event('input'));")
    assert text_of(browser, ".time") == "0.245000 s, round 25 of 50"
    cursor = "return document.querySelector('.cursor').getBoundingClientRect().x"
    at_half = browser.execute_script(cursor)
    press(browser, Keys.END)
    width = browser.execute_script("return document.querySelector('.strip').clientWidth")
    assert browser.execute_script(cursor) - at_half == pytest.approx(width / 2, abs=1)


def test_a_histogram_of_equal_delays_is_described(browser: Browser, tmp_path: Path) -> None:
    show(browser, tmp_path, ("one", made_episode(50)))
    after_frames(browser, "")
    assert text_of(browser, ".said") == "All 45 messages took 4\xa0ms."


def test_the_network_fills_windows_of_any_width(browser: Browser, tmp_path: Path) -> None:
    """Names stay as large in a narrow window, and the shown time does not change."""
    show(browser, tmp_path, ("one", made_episode(50)))
    after_frames(browser, "defianceReport.clock.set(12e6)")
    scale = "const s = document.querySelector('.topology svg'); return s.getScreenCTM().a"
    dot = "return document.querySelector('.dot:not([visibility=hidden])').getAttribute('cx') / 1"
    places, width = [], browser.get_window_size()["width"]
    try:
        for each in (width, 500):
            browser.set_window_size(each, 900)
            after_frames(browser, "")
            assert after_frames(browser, scale) == pytest.approx(1, abs=0.01)
            places.append(browser.execute_script(dot))
    finally:
        browser.set_window_size(width, 1000)
    assert places[1] < places[0] / 1.5


def test_the_space_bar_opens_the_focused_facts(browser: Browser, tmp_path: Path) -> None:
    """Elsewhere the space bar plays the episode."""
    show(browser, tmp_path, ("one", made_episode(50)))
    browser.find_element("css selector", "summary").send_keys(" ")
    after_frames(browser, "")
    assert browser.find_element("css selector", ".facts").is_displayed()
    assert text_of(browser, ".play") == "Play"
    press(browser, " ")
    assert text_of(browser, ".play") == "Pause"


def test_the_page_follows_the_readers_colour_scheme(browser: Browser, tmp_path: Path) -> None:
    """Also when the colour scheme changes while the page is shown."""
    show(browser, tmp_path, ("one", made_episode(50)))
    wait = WebDriverWait(browser, 20, poll_frequency=0.05)
    wait.until(lambda _: browser.find_elements("css selector", ".strip"))
    found = {}
    try:
        for scheme in ("light", "dark"):
            prefer(browser, scheme)
            brightness, contrasts = read_texts(browser)
            found[scheme] = (brightness, browser.execute_script(DRAWN))
            assert len(contrasts) > 5
            assert {name: each for name, each in contrasts.items() if each < READABLE} == {}
    finally:
        prefer(browser, "light")
    assert found["light"][0] > 0.8
    assert found["dark"][0] < 0.05
    assert found["light"][1] == ["none", "rgb(29, 34, 40)"]
    assert found["dark"][1] == ["brightness(1.8)", "rgb(227, 230, 234)"]


DRAWN = """
const style = (selector) => {
  const drawn = document.querySelector(selector);
  return drawn && getComputedStyle(drawn);
};
return [style(".strip").filter, style(".node text")?.fill];
"""
"""The filter that changes the colours of curves, and the colour of node names."""

BROKEN = """
return [...document.querySelectorAll(".wide :is(th, td)")].filter((cell) => {
  const range = document.createRange();
  range.selectNodeContents(cell);
  return !cell.textContent.includes(" ") && range.getClientRects().length > 1;
}).map((cell) => cell.textContent);
"""
"""Words in table cells that are broken over several lines."""


def test_in_a_narrow_window_words_stay_whole_and_curves_visible(
    browser: Browser, tmp_path: Path
) -> None:
    """Tables scroll there, and nothing else is wider than the window."""
    before = browser.get_window_size()
    browser.set_window_size(500, 900)
    try:
        for sides in (1, 2):
            show(browser, tmp_path, *[(f"{side}", made_episode(20)) for side in range(sides)])
            after_frames(browser, "")
            assert browser.execute_script(BROKEN) == []
            curve, plot = browser.execute_script(
                "return ['.curve', '.plot'].map((each) =>"
                " document.querySelector(each).getBoundingClientRect().width)"
            )
            assert plot > 0.9 * curve
            assert browser.execute_script(
                "return document.documentElement.scrollWidth <= innerWidth"
            )
    finally:
        browser.set_window_size(before["width"], before["height"])


def test_playback_runs_to_the_end(browser: Browser, tmp_path: Path) -> None:
    show(browser, tmp_path, ("one", made_episode(50)))
    browser.execute_script("defianceReport.clock.perSecond = 1e9")
    press(browser, " ")
    wait = WebDriverWait(browser, 30, poll_frequency=0.1)
    wait.until(lambda _: text_of(browser, ".time") == "0.490000 s, round 50 of 50")
    assert text_of(browser, ".play") == "Play"


def test_messages_are_drawn_at_their_positions(browser: Browser, tmp_path: Path) -> None:
    """Messages take 4 ms, and are sent every 10 ms; the tenth is lost."""
    show(browser, tmp_path, ("one", made_episode(50)))
    seen = {}
    for time in (11e6, 12e6, 13.5e6, 15e6, 92e6):
        after_frames(browser, f"defianceReport.clock.set({time})")
        seen[time] = browser.execute_script(
            "return [...document.querySelectorAll('.dot')]"
            ".filter((dot) => dot.getAttribute('visibility') === 'visible')"
            ".map((dot) => [Number(dot.getAttribute('cx')), dot.getAttribute('class')])"
        )
    assert [len(each) for each in seen.values()] == [1, 1, 1, 0, 1]
    assert seen[11e6][0][0] < seen[12e6][0][0] < seen[13.5e6][0][0]
    assert seen[92e6][0][1] == "dot lost"
    after_frames(browser, "defianceReport.clock.set(11e6)")
    row = [cell.text for cell in browser.find_elements("css selector", ".now tr:nth-child(2) td")]
    assert row == ["observer → agent_0", "0.010000 s", "4 ms", "100", "received"]


def test_markup_is_shown_as_text(browser: Browser, tmp_path: Path) -> None:
    label = f"<i>label</i>{MARKUP}"
    show(browser, tmp_path, (label, made_episode(20, name=MARKUP)))
    assert browser.title == label
    assert text_of(browser, "h2") == label
    names = browser.execute_script(
        "return [...document.querySelectorAll('td, dd, li, option, title')]"
        ".map((each) => each.textContent)"
    )
    assert sum(MARKUP in each for each in names) > 8
    assert browser.execute_script("return document.querySelectorAll('img, i').length") == 0
    assert browser.execute_script("return document.scripts.length") == 2


def test_two_episodes_are_shown_side_by_side_over_one_time(
    browser: Browser, tmp_path: Path
) -> None:
    show(browser, tmp_path, ("trained", made_episode(50)), ("baseline", made_episode(20, seed=2)))
    left, right = browser.find_elements("css selector", ".episode")
    assert left.rect["y"] == right.rect["y"]
    assert right.rect["x"] >= left.rect["x"] + left.rect["width"]
    press(browser, Keys.END)
    first, second = browser.execute_script(
        "return [...document.querySelectorAll('.episode')]"
        ".map((each) => each.querySelector('.cursor').style.transform)"
    )
    assert first == second


def test_curves_of_two_episodes_have_one_scale(browser: Browser, tmp_path: Path) -> None:
    show(browser, tmp_path, ("long", made_episode(50)), ("short", made_episode(20, seed=2)))
    first, second = (
        {
            each.find_element("css selector", ".name").text: each.find_element(
                "css selector", ".range"
            ).text
            for each in episode.find_elements("css selector", ".curve")
        }
        for episode in browser.find_elements("css selector", ".episode")
    )
    common = first.keys() & second.keys()
    assert len(common) > 2
    assert all(first[name] for name in common)
    assert {name: first[name] for name in common} == {name: second[name] for name in common}


def test_a_report_sends_no_request(browser: Browser, tmp_path: Path) -> None:
    show(browser, tmp_path, ("one", made_episode(20)))
    press(browser, Keys.END)
    assert [each for each in requests(browser) if not each.startswith(("file:", "data:"))] == []


@pytest.mark.long
def test_a_report_of_ten_thousand_steps_stays_fast(browser: Browser, tmp_path: Path) -> None:
    """No curve has more points than pixels, and moving the cursor redraws none."""
    show(browser, tmp_path, ("long", made_episode(10_000)))
    work = "return {...defianceReport.work}"
    width, strips = browser.execute_script(
        "const all = document.querySelectorAll('.strip'); return [all[0].clientWidth, all.length]"
    )
    drawn = after_frames(browser, work)
    assert strips > 5
    # Each curve is drawn when it is made, and once more when the page has its width.
    assert 0 < drawn["points"] <= 2 * strips * (2 * width + 2)
    moved = browser.execute_async_script(
        "const done = arguments[arguments.length - 1]; let i = 0;"
        "const slider = document.querySelector('.slider');"
        "const move = () => {"
        f"  if (i === {MOVES}) return done({{...defianceReport.work}});"
        f"  slider.value = (i++ * 100000) / {MOVES};"
        "  slider.dispatchEvent(new Event('input'));"
        "  requestAnimationFrame(move);"
        "}; move();"
    )
    assert moved["renders"] - drawn["renders"] >= MOVES - 1
    assert moved["points"] == drawn["points"]
    assert moved["dots"] - drawn["dots"] <= MOVES
    assert moved["elements"] - drawn["elements"] <= 1
    press(browser, *["+"] * 6)
    zoomed = browser.execute_script(work)
    assert 0 < zoomed["points"] - moved["points"] <= 6 * strips * (2 * width + 2)


def test_drawn_curves_keep_every_extreme(browser: Browser) -> None:
    points = browser.execute_script(
        script("decimation.js").replace(
            "})();",
            "globalThis.check = visiblePoints;})();",
        )
        + "const n = 100000, x = Float64Array.from({length: n}, (_, i) => i);"
        "const values = new Float64Array(n);"
        "values[70000] = 5; values[70001] = -5; values[3] = NaN;"
        "return check(x, values, 0, n - 1, 500).filter((i) => values[i] !== 0 || i === 3)"
    )
    assert points == [70000, 70001]
