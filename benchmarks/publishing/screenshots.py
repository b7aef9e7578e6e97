# SPDX-License-Identifier: GPL-2.0-only
"""Screenshots of pages for the docs: `python -m benchmarks.publishing.screenshots`."""

from __future__ import annotations

import contextlib
import io
import tempfile
from pathlib import Path

from PIL import Image

from benchmarks.publishing.headless import Browser, after_frames, open_browser
from defiance_zoo.environments import lookup
from defiance_zoo.experiments.evaluation import NamedPolicy, open_env, play
from defiance_zoo.recording import Record
from defiance_zoo.recording.viewing import write_report

PICTURES = Path("docs/pictures")
SIZE = (1180, 900)
ENV = "cart_pole_v0"
PARAMETERS = {"transport": "udp", "delay": "15ms", "loss": 0.1, "communication_report": True}


def record(policy: str, folder: Path) -> Path:
    """Return a recorded episode of a policy."""
    spec, recorded = lookup(ENV), Record(folder)
    with contextlib.closing(open_env(spec, {**PARAMETERS, "record": recorded})) as env:
        list(play(env, NamedPolicy(policy).make(spec, env, 1), episodes=1, seed=3))
    return recorded.written[0]


def keep(browser: Browser, name: str) -> None:
    """Write a screenshot of the browser."""
    shown = Image.open(io.BytesIO(browser.get_screenshot_as_png())).convert("RGB")
    shown.save(PICTURES / name, optimize=True)


def draw_reports(browser: Browser, folder: Path) -> None:
    baseline, chance = record("pole", folder / "baseline"), record("random", folder / "random")
    page = folder / "report.html"
    for episodes, name in (
        ([baseline], "episode-report.png"),
        ([baseline, chance], "episode-pair.png"),
    ):
        write_report(episodes, page)
        browser.get(page.as_uri())
        after_frames(browser, "defianceReport.clock.set(defianceReport.clock.end * 0.34);")
        step = "const c = defianceReport.clock; c.set(c.now + 2e6);"
        for _ in range(50):
            after_frames(browser, step)
            if browser.execute_script(MOVING):
                break
        keep(browser, name)


MOVING = "return document.querySelectorAll('.dot:not([visibility=hidden])').length > 1"


def main() -> None:
    PICTURES.mkdir(exist_ok=True)
    with (
        tempfile.TemporaryDirectory(prefix="screenshots-") as folder,
        open_browser(*SIZE) as browser,
    ):
        browser.set_script_timeout(60)
        draw_reports(browser, Path(folder))


if __name__ == "__main__":
    main()
