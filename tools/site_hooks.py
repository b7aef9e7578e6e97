# SPDX-License-Identifier: GPL-2.0-only
"""Hooks of MkDocs: pages from outside docs/, the C++ reference, and search without a server.

Cards and results of environments, the change log, the guide for contributors and the page about
security are also pages of the site, for links by their paths in the repository. Doxygen's pages are
under `cpp/`. Search also works from a folder, and ranks titles before sections.
"""

from __future__ import annotations

import os
import posixpath
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[1]
DOXYGEN = ROOT / "build" / "doxygen" / "html"
OTHERS = {
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
}
LINK = re.compile(r"(\]\()(?![a-z]+:|#|/)([^)#\s]+)((?:#[^)\s]*)?\))")


def pages() -> dict[str, str]:
    """Return paths of pages outside of docs/, and their paths on the site."""
    found = {}
    for name, end in (("card", ""), ("results", "_results")):
        for path in sorted(ROOT.glob(f"envs/*/{name}.md")):
            folder = path.parent.name
            found[f"envs/{folder}/{name}.md"] = f"environments/{folder}{end}.md"
    return {**found, **OTHERS}


def on_config(config: Any) -> None:
    """Add the card of each environment to the navigation."""
    (section,) = (each["Environments"] for each in config.nav if "Environments" in each)
    cards = {path: uri for path, uri in pages().items() if path.endswith("/card.md")}
    section[:0] = [{f"{Path(path).parent.name}_v0": uri} for path, uri in cards.items()]


def on_files(files: Any, config: Any) -> Any:
    """Add pages outside of docs/, and the reference of C++."""
    for path, uri in pages().items():
        files.append(File.generated(config, uri, abs_src_path=str(ROOT / path)))
    for path in sorted(doxygen().rglob("*")):
        if path.is_file():
            uri = f"cpp/{path.relative_to(DOXYGEN).as_posix()}"
            files.append(File.generated(config, uri, abs_src_path=str(path)))
    return files


def doxygen() -> Path:
    """Write the reference of C++, and return its folder.

    Raises:
        PluginError: Doxygen is not installed, or failed.
    """
    if shutil.which("doxygen") is None:
        raise PluginError("doxygen is missing, which writes the reference of C++")
    shutil.rmtree(DOXYGEN, ignore_errors=True)
    DOXYGEN.parent.mkdir(parents=True, exist_ok=True)
    command = ["doxygen", "cpp/doc/Doxyfile"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise PluginError(f"doxygen failed: {done.stderr}")
    return DOXYGEN


WEIGHTS = {
    "this.field('title');": "this.field('title', {boost: 10});",
    "this.add(doc);": "this.add(doc, {boost: doc.location.includes('#') ? 1 : 1.5});",
}
"""Code of MkDocs' search, and code that ranks titles first, as docs/from-folder.js does."""


def on_post_build(config: Any) -> None:
    """Weigh titles in the search, and let pages in a folder load its index as a script.

    Raises:
        PluginError: MkDocs has another search.
    """
    folder = Path(config.site_dir) / "search"
    worker = (folder / "worker.js").read_text(encoding="utf-8")
    for old, new in WEIGHTS.items():
        if worker.count(old) != 1:
            raise PluginError(f"the search of this MkDocs has not one {old!r}")
        worker = worker.replace(old, new)
    (folder / "worker.js").write_text(worker, encoding="utf-8")
    index = (folder / "search_index.json").read_text(encoding="utf-8")
    (folder / "search_index.js").write_text(f"window.searchIndex = {index};\n", encoding="utf-8")


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Convert links to files of the repository into links of the site."""
    return rewrite(markdown, page.file.src_uri)


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
        target = pages().get(path, path.removeprefix("docs/"))
        if target == path:  # not part of the site: MkDocs warns
            return found[0]
        return f"{found[1]}{os.path.relpath(target, posixpath.dirname(uri) or '.')}{found[3]}"

    return LINK.sub(replace, markdown)
