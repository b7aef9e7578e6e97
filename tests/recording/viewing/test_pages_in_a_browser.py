# SPDX-License-Identifier: GPL-2.0-only
"""Reports and the live page in a real browser, one for all tests."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from colours import READABLE, prefer, read_texts
from episode_files import write_episode
from made_episodes import MARKUP, made_episode
from made_runs import made_run, watch_beside
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from benchmarks.publishing.headless import Browser, after_frames, complaints, open_browser, requests
from defiance_zoo.experiments.training.status import Status
from defiance_zoo.recording.viewing import episode_page
from defiance_zoo.recording.viewing.page_assembly import script
from defiance_zoo.recording.viewing.watching.run_view import RunView
from defiance_zoo.recording.viewing.watching.server import WatchServer

OTHER_NAME = "rebound.example"
"""A host name that another page resolved to this machine."""

MOVES = 200


@pytest.fixture(scope="module")
def open_one() -> Iterator[Browser]:
    with open_browser(names={OTHER_NAME: "127.0.0.1"}) as opened:
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


@pytest.mark.parametrize("kind", ["report", "run"])
def test_the_page_follows_the_readers_colour_scheme(
    kind: str, browser: Browser, tmp_path: Path, serve: Any
) -> None:
    """Also when the colour scheme changes while the page is shown."""
    if kind == "report":
        show(browser, tmp_path, ("one", made_episode(50)))
    else:
        browser.get(serve(made_run(tmp_path / "run", rows=3)).url)
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
    nodes = ("rgb(29, 34, 40)", "rgb(227, 230, 234)") if kind == "report" else (None, None)
    assert found["light"][1] == ["none", nodes[0]]
    assert found["dark"][1] == ["brightness(1.8)", nodes[1]]


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


# ---------------------------------------------------------------------- the live page


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Any]:
    """Serve a run's folder, and return the server."""
    made: list[tuple[WatchServer, threading.Thread]] = []

    def serve(run: Path, **replaced: Any) -> WatchServer:
        server = WatchServer(0, {**RunView(run).answers(), **replaced})
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        made.append((server, thread))
        return server

    yield serve
    for server, thread in made:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.long
def test_a_run_can_be_watched(browser: Browser, tmp_path: Path, serve: Any) -> None:
    run = made_run(tmp_path / "run", rows=30)
    server = serve(run)
    browser.get(server.url)
    wait = WebDriverWait(browser, 30, poll_frequency=0.1)
    wait.until(lambda _: "300" in text_of(browser, ".numbers"))
    assert "killed" in text_of(browser, ".numbers")
    assert not browser.find_element("css selector", ".episodes").is_displayed()
    names = [each.text for each in browser.find_elements("css selector", ".curve .name")]
    assert names[:2] == ["return/mean", f"return/{MARKUP}"]
    made_run(run, rows=31)
    write_episode(run / "episodes" / "first", parts=2)
    wait.until(lambda _: "310" in text_of(browser, ".numbers"))
    wait.until(lambda _: browser.find_elements("css selector", ".episode"))
    assert text_of(browser, "h2") == "first"
    (write_episode(run / "episodes" / "bad") / "steps.parquet").write_bytes(b"nothing")
    wait.until(lambda _: "steps.parquet is damaged" in text_of(browser, ".episodes"))
    write_episode(run / "episodes" / "second")
    wait.until(lambda _: browser.find_elements("css selector", ".episode"))
    assert text_of(browser, "h2") == "second"
    assert press(browser, Keys.END) == "0.400000 s, round 41 of 41"
    asked = requests(browser)
    assert any(each.endswith("state.json") for each in asked)
    assert [each for each in asked if not each.startswith((server.url, "data:"))] == []


def test_the_end_of_a_run_is_shown_with_its_last_episode(browser: Browser, tmp_path: Path) -> None:
    run = made_run(tmp_path / "run", rows=30)
    status = Status(run)
    status.write("training", steps=300, until=1000)
    url, thread = watch_beside(run)
    browser.get(url)
    wait = WebDriverWait(browser, 30, poll_frequency=0.1)
    wait.until(lambda _: "training" in text_of(browser, ".numbers"))
    write_episode(run / "episodes" / "last")
    status.write("finished", steps=1000, until=1000)
    wait.until(lambda _: text_of(browser, ".trouble"))
    assert text_of(browser, ".trouble").startswith("The run is over")
    assert "finished" in text_of(browser, ".numbers")
    assert text_of(browser, "h2") == "last"
    last = [each.rpartition("/")[2] for each in requests(browser)][-3:]
    assert last == ["state.json", "episode.json?name=last", "end.json"]
    thread.join(20)
    assert not thread.is_alive()


class Elsewhere(BaseHTTPRequestHandler):
    """A page of another origin that tries to read the page of a run."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!DOCTYPE html><title>elsewhere</title><link rel=icon href='data:,'>")

    def log_message(self, *_: Any) -> None:
        pass


READ = """
const [url, done] = arguments;
const tries = {
  fetch: () => fetch(url + "state.json").then((answer) => answer.text()),
  opaque: () => fetch(url + "state.json", { mode: "no-cors" }).then((answer) => answer.text()),
  script: () => new Promise((resolve, reject) => {
    const made = document.createElement("script");
    made.src = url + "state.json"; made.onload = resolve; made.onerror = () => reject("refused");
    document.head.append(made);
  }),
  frame: () => new Promise((resolve, reject) => {
    const made = document.createElement("iframe");
    made.src = url; document.body.append(made);
    made.onload = () => { try { resolve(made.contentDocument.title); } catch (e) { reject(e); } };
  }).then((title) => { if (title === null || title === "") throw "empty"; return title; }),
};
const results = {};
(async () => {
  for (const [name, attempt] of Object.entries(tries)) {
    try { results[name] = `read ${await attempt()}`; } catch { results[name] = "refused"; }
  }
  done(results);
})();
"""


def test_a_page_of_another_origin_can_read_nothing(
    open_one: Browser, tmp_path: Path, serve: Any
) -> None:
    url = serve(made_run(tmp_path / "run", rows=3)).url
    # Browsers open unused connections, which would block a server without threads.
    other = ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere)
    thread = threading.Thread(target=other.serve_forever, args=(0.05,))
    thread.start()
    try:
        open_one.get(f"http://127.0.0.1:{other.server_port}/")
        found = open_one.execute_async_script(READ, url)
    finally:
        other.shutdown()
        thread.join()
        other.server_close()
    open_one.get("about:blank")
    complaints(open_one)
    assert found == dict.fromkeys(["fetch", "opaque", "script", "frame"], "refused")


def test_a_rebound_host_name_is_refused(open_one: Browser, tmp_path: Path, serve: Any) -> None:
    server = serve(made_run(tmp_path / "run", rows=3))
    open_one.get(server.url.replace("127.0.0.1", OTHER_NAME))
    seen = open_one.execute_script("return document.body.textContent")
    open_one.get("about:blank")
    complaints(open_one)
    assert seen.strip() == "Misdirected Request"
