#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Build the site into FOLDER/site (default: build/site), with warnings as errors.

Zensical reads one folder of pages and runs no hooks. This program therefore gathers the pages in
FOLDER/pages, and converts their links. Pages come from docs/ with its notebook, from the cards and
results of environments, and from the files in OTHERS. Doxygen's pages are under `cpp/`.
"""

from __future__ import annotations

import base64
import json
import os
import posixpath
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[1]
OTHERS = {
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
}
LINK = re.compile(r"(\]\()(?![a-z]+:|#|/)([^)#\s]+)((?:#[^)\s]*)?\))")
TABS = re.compile(r"^<!-- tabs -->\n(.*?)^<!-- /tabs -->\n", re.DOTALL | re.MULTILINE)
TAB = re.compile(r"^\*\*(.+)\*\*$", re.MULTILINE)
ROW = re.compile(
    r'<h[1-4] id="([^"]+)"|'
    r"<tr>\s*<td[^>]*>((?:<code>[\w.]+(?: \d+)?</code>(?:, )?)+)</td>(.*?)</tr>",
    re.DOTALL,
)
"""A heading, or a row of a table whose first cell has only names, such as `loss` or `kill 1`."""
QUALIFIED = re.compile(r"(?<=[#.])\w+\.\w+$")
"""The last two names in the address of a section of the Python reference."""
KINDS = {"api": "Python", "decisions": "Decision"}
"""The kind of the sections in a folder, which the search shows before their titles."""


def pages() -> dict[str, str]:
    """Return paths of pages outside of docs/, and their paths on the site."""
    found = {}
    for name, end in (("card", ""), ("results", "_results")):
        for path in sorted(ROOT.glob(f"envs/*/{name}.md")):
            folder = path.parent.name
            found[f"envs/{folder}/{name}.md"] = f"environments/{folder}{end}.md"
    return {**found, **OTHERS}


def gather(folder: Path) -> None:
    """Write all pages and their files into a folder, which this function empties first."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / "docs", folder)
    for path, uri in pages().items():
        (folder / uri).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / path, folder / uri)
    for notebook in folder.rglob("*.ipynb"):
        convert(notebook)
    for page in folder.rglob("*.md"):
        text = rewrite(page.read_text(encoding="utf-8"), page.relative_to(folder).as_posix())
        page.write_text(TABS.sub(make_tabs, text), encoding="utf-8")


def rewrite(markdown: str, uri: str) -> str:
    """Return a page with links to files of the repository converted to links of the site.

    Args:
        markdown: Text of the page in the repository.
        uri: URI of the page on the site, such as `environments/cart_pole.md`.
    """
    where = {each: path for path, each in pages().items()}.get(uri, f"docs/{uri}")
    folder = posixpath.dirname(where)

    def replace(found: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join(folder, found[2]))
        target = pages().get(path, path.removeprefix("docs/").replace(".ipynb", ".md"))
        if target == path:  # not part of the site: Zensical warns
            return found[0]
        return f"{found[1]}{os.path.relpath(target, posixpath.dirname(uri) or '.')}{found[3]}"

    return LINK.sub(replace, markdown)


def convert(notebook: Path) -> None:
    """Write a page, and its pictures, with the cells and the outputs of a notebook."""
    parts = []
    for number, cell in enumerate(json.loads(notebook.read_text(encoding="utf-8"))["cells"]):
        source = "".join(cell["source"])
        parts.append(source if cell["cell_type"] == "markdown" else fence("python", source))
        for output in cell.get("outputs", ()):
            data = output.get("data", {"text/plain": output.get("text", "")})
            if "image/png" in data:
                picture = notebook.with_name(f"{notebook.stem}-{number}.png")
                picture.write_bytes(base64.b64decode(data["image/png"]))
                parts.append(f"![{cell['metadata']['alt']}]({picture.name})")
            else:
                parts.append(fence("text", "".join(data["text/plain"]).rstrip()))
    notebook.with_suffix(".md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def fence(language: str, text: str) -> str:
    """Return a text as a block of a page."""
    return f"```{language}\n{text}\n```"


def make_tabs(found: re.Match[str]) -> str:
    """Convert paragraphs below bold titles into tabs; other readers of the page show the titles."""
    _, *parts = TAB.split(found[1])
    tabs = zip(parts[::2], parts[1::2], strict=True)
    return "".join(f'=== "{title}"\n{indent(text)}' for title, text in tabs)


def indent(text: str) -> str:
    """Return a text with each line indented as the content of a tab."""
    return "".join(f"    {line}" if line.strip() else line for line in text.splitlines(True))


def add_cpp_reference(folder: Path) -> None:
    """Write Doxygen's pages into a folder."""
    if shutil.which("doxygen") is None:
        raise SystemExit("doxygen is missing, which writes the reference of C++")
    html = ROOT / "build" / "doxygen" / "html"
    shutil.rmtree(html, ignore_errors=True)
    html.parent.mkdir(parents=True, exist_ok=True)
    command = ["doxygen", "cpp/doc/Doxyfile"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"doxygen failed: {done.stderr}")
    shutil.copytree(html, folder)


def configure() -> dict[str, Any]:
    """Return the configuration, with the card of each environment in the navigation."""
    config: dict[str, Any] = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    (section,) = (each["Environments"] for each in config["nav"] if "Environments" in each)
    cards = {path: uri for path, uri in pages().items() if path.endswith("/card.md")}
    section[:0] = [{f"{Path(path).parent.name}_v0": uri} for path, uri in cards.items()]
    (mkdocstrings,) = (each for each in config["plugins"] if "mkdocstrings" in each)
    mkdocstrings["mkdocstrings"]["handlers"]["python"]["paths"] = [str(ROOT)]
    return config


def names(nav: Any) -> Iterator[str]:
    """Yield the pages of a part of the navigation, in their order."""
    for each in nav if isinstance(nav, list) else nav.values():
        if isinstance(each, str):
            yield each.replace(".md", ".html")
        else:
            yield from names(each)


def find_rows(html: str) -> Iterator[tuple[str, str, str]]:
    """Yield the anchor, the name and the text of each row of a table that describes a name."""
    anchor = ""
    for found in ROW.finditer(html):
        anchor = found[1] or anchor
        text = re.sub(r"</?(?!code\b)\w[^>]*>", " ", found[3] or "")
        for name in re.findall(r"<code>([^<]+)", found[2] or ""):
            yield anchor, name, text


def complete(index: dict[str, Any], site: Path, nav: Any) -> None:
    """Add names in tables to the search, and order equal results by the navigation.

    A title that begins with a searched word comes first, so only titles of guides do. Others begin
    with their kind, as in `Python: FilePolicy.reset`, or with their environment.
    """
    order = {page: position for position, page in enumerate(names(nav))}
    sections = {each["location"]: each for each in index["items"]}
    for location, section in sections.items():
        kind = KINDS.get(location.partition("/")[0])
        if kind and not section["title"].startswith(kind):
            name = QUALIFIED.search(location)
            title = name[0].removeprefix("defiance_zoo.") if name else section["title"]
            section["title"] = f"{kind}: {title}"
    for page in order.keys() - {"changelog.html"}:
        for anchor, name, text in find_rows((site / page).read_text(encoding="utf-8")):
            section = sections.get(f"{page}#{anchor}") or sections[page]
            path = [*section["path"], section["title"]]
            if page.startswith("environments/"):
                name = f"{section['path'][1]}: {name}"
            index["items"].append({**section, "title": name, "text": text, "path": path})
    end = len(order)  # records of decisions and results are not in the navigation
    index["items"].sort(key=lambda each: order.get(each["location"].split("#")[0], end))


def finish(site: Path, nav: Any) -> None:
    """Complete the search, let pages in a folder load its index as a script, remove addresses.

    No address of the site is known, but without one Zensical loads whole pages instead of their
    content, and the search then indexes the site at every page.
    """
    index = json.loads((site / "search.json").read_text(encoding="utf-8"))
    complete(index, site, nav)
    text = json.dumps(index, separators=(",", ":"))
    (site / "search.json").write_text(text, encoding="utf-8")
    (site / "search.js").write_text(f"var __index = {text};\n", encoding="utf-8")
    for page in site.rglob("*.html"):
        if page.relative_to(site).parts[0] != "cpp":
            html = page.read_text(encoding="utf-8")
            page.write_text(re.sub(r'<link rel="canonical"[^>]*>', "", html), encoding="utf-8")


def main() -> int:
    """Build the site, and return the status of Zensical."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build").resolve()
    gather(folder / "pages")
    add_cpp_reference(folder / "pages" / "cpp")
    config, file = configure(), folder / "mkdocs.yml"
    file.write_text(yaml.safe_dump(config, sort_keys=False), encoding="utf-8")
    shutil.rmtree(folder / "site", ignore_errors=True)  # pages of an earlier build
    command = [sys.executable, "-m", "zensical", "build", "--clean", "--strict", "--config-file"]
    done = subprocess.run([*command, str(file)], check=False)
    if done.returncode == 0:
        finish(folder / "site", config["nav"])
    return done.returncode


if __name__ == "__main__":
    raise SystemExit(main())
