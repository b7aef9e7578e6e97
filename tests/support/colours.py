# SPDX-License-Identifier: GPL-2.0-only
"""The legibility of a page's texts in a preferred colour scheme."""

from __future__ import annotations

from typing import Any, Literal

READABLE = 4.5
"""The least contrast of texts by WCAG 2.2."""

_TEXTS = """
const still = new CSSStyleSheet();
still.replaceSync("* { transition: none !important }");
document.adoptedStyleSheets = [still];
const parse = (text) => (text.match(/[\\d.]+/g) ?? [0, 0, 0, 0]).map(Number);
const bright = (rgb) => rgb.slice(0, 3).map((each) => {
  const part = each / 255;
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
}).reduce((sum, each, place) => sum + each * [0.2126, 0.7152, 0.0722][place], 0);
const ground = (node) => {
  for (let each = node; each; each = each.parentElement) {
    const colour = parse(getComputedStyle(each).backgroundColor);
    if (colour.length === 3 || colour[3] === 1) return colour;
  }
  return parse(getComputedStyle(document.documentElement).colorScheme === "dark"
    ? "rgb(18, 18, 18)" : "rgb(255, 255, 255)");
};
const found = new Map();
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const node = walker.currentNode.parentElement;
  const ours = !node.closest("svg, script, style, .md-skip");
  if (!walker.currentNode.textContent.trim() || !ours || !node.checkVisibility()) continue;
  const [text, behind] = [bright(parse(getComputedStyle(node).color)), bright(ground(node))];
  const contrast = (Math.max(text, behind) + 0.05) / (Math.min(text, behind) + 0.05);
  const name = `${node.tagName.toLowerCase()}.${node.className}`;
  found.set(name, Math.min(contrast, found.get(name) ?? 100));
}
return [bright(ground(document.body)), Object.fromEntries(found)];
"""


def prefer(browser: Any, scheme: Literal["light", "dark"]) -> None:
    """Set the colour scheme that a browser reports as preferred."""
    feature = {"name": "prefers-color-scheme", "value": scheme}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})


def read_texts(browser: Any) -> tuple[float, dict[str, float]]:
    """Return the brightness of a page, from 0 to 1, and the least contrast of texts by element.

    Texts in drawings are left out, and so is a link that is visible only to users of the keyboard.
    """
    brightness, contrasts = browser.execute_script(_TEXTS)
    return brightness, contrasts
