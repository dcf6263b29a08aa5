"""Writes the documentation as a site: our Markdown, its links led to where things stand there, then pages.

Usage: python scripts/write_site.py [--zensical PROGRAM] [FOLDER]    without a program only what it would read

The Markdown of `docs/` and of the root stays the source, and reads as well where it lies. What is not on the
site is shown by the repository.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[1]
ABOUT = tomllib.loads((ROOT / "packaging" / "about.toml").read_text())
INDEX = ROOT / "docs" / "README.md"
LINK = re.compile(r"(\]\()(?![a-z]+:)([^)#\s]*)(#[^)\s]*)?(\))")
FENCE = re.compile(r"(^```.*?^```$|`[^`\n]+`)", re.MULTILINE | re.DOTALL)
PARTS = re.compile(r"^\*\*([^*]+)\*\*[^:]*: (.*)$", re.MULTILINE)
ENTRY = re.compile(r"\[([^\]]+)\]\(([^)#]+)\)")
MORE = {
    "examples/README.md": "Examples",
    "ARCHITECTURE.md": "Architecture",
    "CONTRIBUTING.md": "Contributing",
    "SECURITY.md": "Security",
    "CHANGELOG.md": "Changes",
}


def places() -> dict[Path, str]:
    """Every file of the site, and where it stands there."""
    docs = ROOT / "docs"
    found = {path: path.relative_to(docs).as_posix() for path in sorted(docs.rglob("*")) if path.is_file()}
    found |= {ROOT / path: path for path in MORE}
    # The front page is the repository's; what the folder says of itself becomes the menu.
    del found[INDEX]
    return {ROOT / "README.md": "index.md", **found}


def menu() -> list[tuple[str, list[tuple[str, Path]]]]:
    """The parts of the documentation with their pages, as docs/README.md lists them."""
    return [
        (
            part,
            [entry for label, path in ENTRY.findall(entries) for entry in whole(label, INDEX.parent / path)],
        )
        for part, entries in PARTS.findall(INDEX.read_text())
    ]


def whole(label: str, page: Path) -> list[tuple[str, Path]]:
    """A page; with what it lists, where it stands for its folder."""
    beside = ENTRY.findall(page.read_text()) if page.name == "README.md" else []
    return [(label, page), *((text, page.parent / path) for text, path in beside if "/" not in path)]


def rewritten(page: Path, known: dict[Path, str]) -> str:
    """A page whose links lead to where things are on the site."""
    here = Path(known[page]).parent

    def lead(link: re.Match[str]) -> str:
        path, anchor = link[2], link[3] or ""
        if not path:
            return link[0]
        target = (page.parent / path).resolve()
        if target == INDEX:
            target = ROOT / "README.md"
        if target in known:
            return f"{link[1]}{os.path.relpath(known[target], here)}{anchor}{link[4]}"
        if not target.exists():
            raise SystemExit(f"{page.relative_to(ROOT)}: {path} leads nowhere")
        kind = "tree" if target.is_dir() else "blob"
        shown = f"{ABOUT['repository']}/{kind}/main/{target.relative_to(ROOT).as_posix()}"
        return f"{link[1]}{shown}{anchor}{link[4]}"

    # What stands between backquotes is shown, not followed.
    texts = FENCE.split(page.read_text())
    return "".join(text if number % 2 else LINK.sub(lead, text) for number, text in enumerate(texts))


def settings(known: dict[Path, str]) -> str:
    """What Zensical is told. Values are written as JSON, which TOML's strings are, too."""
    parts = [*menu(), ("Project", [(label, ROOT / path) for path, label in MORE.items()])]
    listed = {path for _, entries in parts for _, path in entries}
    for page, place in known.items():
        if place.endswith(".md") and place != "index.md" and page not in listed:
            raise SystemExit(f"{place} is not listed in docs/README.md")
    entries = "".join(
        f"  {{ {quoted(part)} = [\n"
        + "".join(
            f"    {{ {quoted(label[:1].upper() + label[1:])} = {quoted(known[path])} }},\n"
            for label, path in pages
        )
        + "  ] },\n"
        for part, pages in parts
    )
    return f"""[project]
site_name = {quoted(ABOUT["title"])}
site_description = {quoted(ABOUT["summary"])}
site_url = {quoted(ABOUT["repository"])}
repo_url = {quoted(ABOUT["repository"])}
docs_dir = "source"
site_dir = "site"
nav = [
  {{ "Start" = "index.md" }},
{entries}]

[project.theme]
language = "en"
# Nothing of it is fetched from elsewhere.
font = false
features = [
  "content.code.copy", "navigation.footer", "navigation.sections", "navigation.top", "search.highlight",
]

[[project.theme.palette]]
media = "(prefers-color-scheme: light)"
scheme = "default"
toggle.icon = "lucide/sun"
toggle.name = "Dark"

[[project.theme.palette]]
media = "(prefers-color-scheme: dark)"
scheme = "slate"
toggle.icon = "lucide/moon"
toggle.name = "Light"

[project.markdown_extensions]
toc.permalink = true
pymdownx.highlight.pygments_lang_class = true
pymdownx.superfences = {{}}
"""


def quoted(text: str) -> str:
    """A text between quotation marks."""
    assert not set(text) & set('"\\\n'), text
    return f'"{text}"'


class Page(HTMLParser):
    """What a finished page links to, and what can be linked to in it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Notes addresses and ids."""
        attributes = dict(attrs)
        if attributes.get("id"):
            self.anchors.add(str(attributes["id"]))
        address = attributes.get("href") if tag in ("a", "link") else attributes.get("src")
        if address:
            self.links.append(address)


def astray(site: Path) -> list[str]:
    """The links between finished pages that lead nowhere."""
    pages = {
        path.resolve(): Page(path.read_text()) for path in site.rglob("*.html") if path.name != "404.html"
    }
    assert pages, "there are no pages"
    wrong = []
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            whole = (
                not parts.fragment or target not in pages or unquote(parts.fragment) in pages[target].anchors
            )
            if not target.exists() or not whole:
                wrong.append(f"{path.relative_to(site.resolve())}: {link} leads nowhere")
    return wrong


def main() -> int:
    """Writes the sources; with a program, the site, too."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--zensical")
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "target" / "site")
    arguments = parser.parse_args()
    folder: Path = arguments.folder
    source = folder / "source"
    shutil.rmtree(source, ignore_errors=True)
    known = places()
    for path, place in known.items():
        written = source / place
        written.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".md":
            written.write_text(rewritten(path, known))
        else:
            shutil.copy(path, written)
    (folder / "zensical.toml").write_text(settings(known))
    if not arguments.zensical:
        return 0
    shutil.rmtree(folder / "site", ignore_errors=True)
    subprocess.run(
        [Path(arguments.zensical).absolute(), "build", "--clean", "--strict"], check=True, cwd=folder
    )
    wrong = astray(folder / "site")
    print(*wrong, sep="\n", end="\n" if wrong else "", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
