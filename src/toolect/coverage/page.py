"""A report as one HTML page that needs nothing else: its frame, its style, and the pieces it is made of.

There is no script in it, and its policy forbids any; whatever text the data holds is shown and never obeyed.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from toolect.cli._io import visible

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
"""What the browser may load and run for the page: its own styles, nothing else."""


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


def safe(text: object) -> Html:
    """`text` for a page: signs of HTML and characters that nobody sees are escaped. HTML stays as it is."""
    if isinstance(text, Html):
        return text
    return Html(html.escape(visible(str(text).replace("\r", "\\r"))))


def join(pieces: Iterable[object], between: str = "") -> Html:
    """The pieces one after the other."""
    return Html(between.join(map(safe, pieces)))


def tag(name: str, *children: object, **attributes: object) -> Html:
    """An element; an attribute `class_` is `class`, `data_x` is `data-x`, and one that is None is left out."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{safe(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Html(f"<{name}{written}>{join(children)}</{name}>")


class Section(NamedTuple):
    """A part of the page with a title, which the list at the top leads to."""

    title: str
    body: Html
    note: str = ""
    """What the part shows, in a sentence or two."""


def page(title: str, lead: str, facts: Sequence[tuple[str, object, str]], sections: Sequence[Section]) -> str:
    """The whole page. `facts` are the figures at its top: what, how much, and the kind: good, warn, bad, or none."""
    css = Path(__file__).with_name("page.css").read_text("utf-8")
    ids = [f"s{i}" for i in range(1, len(sections) + 1)]
    links = join(tag("a", s.title, href=f"#{i}") for i, s in zip(ids, sections, strict=True))
    figures = join(
        tag("div", tag("b", value), tag("span", what), class_=f"fact {kind}".strip()) for what, value, kind in facts
    )
    parts = join(
        tag("section", tag("h2", s.title), tag("p", s.note, class_="note") if s.note else "", s.body, id=i)
        for i, s in zip(ids, sections, strict=True)
    )
    body = join([
        tag("header", tag("h1", title), tag("p", lead, class_="lead"), tag("nav", links)),
        tag("div", figures, class_="facts"),
        tag("main", parts),
        tag("footer", "Made by toolect. One file, no scripts, nothing loaded."),
    ])  # fmt: skip
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n<link rel="icon" href="data:,">\n'
        f"<title>{safe(title)}</title>\n<style>\n{css}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


# Tables


def table(head: Sequence[str], rows: Iterable[Sequence[object]], left: int | Sequence[str] = 1) -> Html:
    """A table that scrolls sideways when it is wide; the `left` columns, a number or names, are text, not figures."""
    kinds = [None if (i < left if isinstance(left, int) else name in left) else "n" for i, name in enumerate(head)]
    cells = [
        tag("tr", *(tag("td", figure(cell), class_=kind) for cell, kind in zip(row, kinds, strict=True)))
        for row in rows
    ]
    titles = tag("tr", *(tag("th", name, class_=kind) for name, kind in zip(head, kinds, strict=True)))
    return tag("div", tag("table", tag("thead", titles), tag("tbody", *cells)), class_="wide")


def figure(value: object) -> object:
    """A number as people read it: thousands apart, and a nought that does not stand out."""
    if isinstance(value, bool) or not isinstance(value, int):
        return value
    return f"{value:,}".replace(",", "\u202f") if value else tag("span", "0", class_="nil")


def fold(summary: object, body: object, open_: bool = False) -> Html:
    """Something that unfolds."""
    inner = f"<details{' open' if open_ else ''}>{tag('summary', summary)}{safe(body)}</details>"
    return Html(inner)


# Plots


class Share(NamedTuple):
    """A part of a bar: what it counts, how much, and the class that colours it."""

    what: str
    size: int
    kind: str


def stacked(shares: Sequence[Share], width: int = 220, height: int = 14) -> Html:
    """A bar in which each share has its part."""
    total = sum(share.size for share in shares)
    at, parts = 0.0, []
    for share in shares:
        size = width * share.size / total if total else 0.0
        if share.size:
            drawn = max(size, 2.0)
            tip = tag("title", f"{share.what}: {share.size} of {total}, {percent(share.size, total)}")
            parts.append(tag("rect", tip, x=f"{at:.1f}", y=0, width=f"{drawn:.1f}", height=height, class_=share.kind))
        at += size
    frame = tag("rect", x=0, y=0, width=width, height=height, class_="empty")
    return tag(
        "svg", frame, *parts, viewBox=f"0 0 {width} {height}", width=width, height=height, class_="bar", role="img"
    )


def legend(shares: Iterable[tuple[str, str]]) -> Html:
    """What the colours mean: names with their classes."""
    return tag("p", *(tag("span", tag("i", class_=kind), name) for name, kind in shares), class_="legend")


def columns(rows: Sequence[tuple[str, int]], kind: str = "hue", width: int = 640, label: int = 200) -> Html:
    """A bar for each row with its name on the left and its count on the right; the longest fills the width."""
    most, pitch, room = max((count for _, count in rows), default=0), 24, 80
    parts: list[Html] = []
    for i, (name, count) in enumerate(rows):
        y = i * pitch
        size = max((width - label - room) * count / most, 2) if most else 0
        short = name if len(name) <= 30 else name[:29] + "…"
        parts.append(tag("text", tag("title", name), short, x=label - 8, y=y + 16, text_anchor="end"))
        parts.append(tag("rect", x=label, y=y + 4, width=f"{size:.1f}", height=pitch - 8, rx=3, class_=kind))
        parts.append(tag("text", figure(count), x=f"{label + size + 6:.1f}", y=y + 16, class_="count"))
    height = max(len(rows) * pitch, 1)
    return tag("svg", *parts, viewBox=f"0 0 {width} {height}", width=width, height=height, class_="columns", role="img")


def percent(part: int, whole: int) -> str:
    """A share in per cent; only nothing is 0 %, and only all is 100 %."""
    if not whole or not part:
        return "0 %"
    if part == whole:
        return "100 %"
    share = 100 * part / whole
    return "<0.1 %" if share < 0.1 else ">99.9 %" if share > 99.9 else f"{share:.1f} %"
