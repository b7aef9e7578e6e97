# SPDX-License-Identifier: GPL-2.0-only
"""A headless Chromium from Debian that can reach only this machine."""

from __future__ import annotations

import contextlib
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

Browser = webdriver.Chrome


@contextlib.contextmanager
def open_browser(width: int = 1280, height: int = 1000) -> Iterator[Browser]:
    """Open a browser that resolves no host name, with a window of this size in pixels."""
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        for argument in (
            "headless=new",
            "no-sandbox",  # for root, as in containers
            "disable-gpu",
            "disable-dev-shm-usage",
            "disable-background-networking",
            "force-device-scale-factor=1",
            f"user-data-dir={profile}",
            f"window-size={width},{height}",
            "host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
        ):
            options.add_argument(f"--{argument}")
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        browser = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
        try:
            yield browser
        finally:
            browser.quit()


def measure_on_phone(browser: Browser, page: Path) -> int:
    """Show a page on a screen that is 420 pixels wide; return how many the page takes."""
    browser.get(page.as_uri())
    size = {"width": 420, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    width: int = browser.execute_script("return document.documentElement.scrollWidth")
    return width


def complaints(browser: Browser) -> list[str]:
    """Return the console's messages since the last call."""
    return [entry["message"] for entry in browser.get_log("browser")]


def requests(browser: Browser) -> list[str]:
    """Return the pages' requests since the last call, answered or not."""
    events = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    return [
        event["params"]["request"]["url"]
        for event in events
        if event["method"] == "Network.requestWillBeSent"
    ]


def after_frames(browser: Browser, script: str, *arguments: Any) -> Any:
    """Run a script; return its result when two more frames have been drawn.

    Args:
        browser: Browser with the page.
        script: A function's body; `arguments` are its `arguments`.
    """
    return browser.execute_async_script(
        "const done = arguments[arguments.length - 1];"
        f"const result = (function () {{ {script} }}).apply(null, arguments);"
        "requestAnimationFrame(() => requestAnimationFrame(() => done(result)));",
        *arguments,
    )
