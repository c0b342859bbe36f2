"""Reports as HTML pages, each in one file that needs no other, by the templates in `pages/`.

There is no script in them, and their policy forbids any; whatever text the data holds is shown and never obeyed.
"""

from __future__ import annotations

from base64 import b64encode
from datetime import date
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from toolect._shown import cut, percent, visible
from toolect._version import __version__


def draw_page(template: str, command: str = "", figures: bytes = b"", **data: object) -> str:
    """The page that a template makes of the data; it tells by what, when, and by which command it was made.

    `figures`, all that it is drawn from as JSON, are in it, to be saved as a file.
    """
    saved = b64encode(figures).decode()
    made = f"Made by toolect {__version__} on {date.today().isoformat()}"
    return _environment().get_template(template).render(data, made=made, command=command, saved=saved)


@cache
def _environment() -> Environment:
    environment = Environment(
        autoescape=True, finalize=_seen, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
        loader=FileSystemLoader(Path(__file__).with_name("pages"), encoding="utf-8"),
    )  # fmt: skip
    environment.filters.update(figure=_figure, percent=percent, cut=cut)
    return environment


def _seen(value: object) -> object:
    """A value as it is put into a page: characters that nobody sees are written as escapes."""
    return value if isinstance(value, Markup) else visible(str(value).replace("\r", "\\r"))


def _figure(value: object) -> object:
    """A number as people read it: thousands apart, and a nought that does not stand out. Text stays as it is."""
    if not isinstance(value, int):
        return value
    return f"{value:,}".replace(",", "\u202f") if value else Markup('<span class="nil">0</span>')
