"""Links and anchors within the built site lead somewhere, and no page loads anything from elsewhere.

python docs/check_links.py docs/_build/html
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Reader(HTMLParser):
    """What a page links to, what it loads, and the anchors that it has."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.anchors: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what the tag refers to."""
        values = {name: value for name, value in attrs if value}
        self.anchors |= {values[name] for name in ("id", "name") if name in values}
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        elif tag in ("img", "script", "iframe", "source") and "src" in values:
            self.loaded.append(values["src"])
        elif tag == "link" and values.get("rel") in ("stylesheet", "preload", "icon", "shortcut icon"):
            self.loaded.append(values["href"])


def find_faults(site: Path) -> list[str]:
    """One line per broken link or outside file."""
    pages = {path.resolve(): Reader(path) for path in sorted(site.rglob("*.html")) if "_static" not in path.parts}
    faults = []
    for path, page in pages.items():
        where = path.relative_to(site.resolve())
        faults += [f"{where}: loads {url}" for url in page.loaded if urlsplit(url).netloc]
        for url in [*page.links, *page.loaded]:
            parts = urlsplit(url)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.is_file():
                faults.append(f"{where}: {url} is not there")
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors:
                faults.append(f"{where}: {url} has no such anchor")
    print(f"{len(pages)} pages, {sum(len(page.links) for page in pages.values())} links")
    return faults


if __name__ == "__main__":
    found = find_faults(Path(sys.argv[1]))
    sys.exit("\n".join(found) if found else 0)
