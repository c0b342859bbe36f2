"""Why templates have no chat, or their chats differ: `reasons.yaml`, held against what is so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from textwrap import wrap

import msgspec

from tools.chats.compared import Compared
from tools.chats.original_templates import CACHE


def reasons() -> dict[str, str]:
    """Why templates have no chat, or differ from it, by their names."""
    return msgspec.yaml.decode((Path(__file__).parent / "reasons.yaml").read_bytes(), type=dict[str, str])


def why(compared: Iterable[Compared], known: Mapping[str, str]) -> Iterator[str]:
    """The reasons as a list in Markdown, with what is left out."""
    for one in compared:
        told = [known[one.template.name]] if one.asks and one.template.name in known else []
        if one.left:
            told.append(
                f"Left out: {one.left} conversations on which the template breaks, by `{one.template.original.breaks}`."
            )
        if told:
            yield from wrap(f"- **{one.template.name}** {' '.join(told)}", 120, subsequent_indent="  ")


MIN_STALE = 200
"""Conversations that must be compared before a reason is called stale. Below it: the others may need it."""


def unreasoned(compared: Sequence[Compared], known: Mapping[str, str], count: int) -> Iterator[str]:
    """What is to be done about reasons, after `count` conversations: some may be missing, some needed no more."""
    for one in compared:
        name = one.template.name
        if one.asks and name not in known:
            since = "the chat differs" if one.chat else "it has no chat"
            yield f"{name}: expected a reason in reasons.yaml, since {since}"
        elif not one.asks and name in known and count >= MIN_STALE:
            yield f"{name}: the reason in reasons.yaml is stale, since its chat writes the same"
    yield from (f"{name}: there is a reason in reasons.yaml, but no such template" for name in known if not _is(name))


def _is(name: str) -> bool:
    return (CACHE / f"{name}.jinja").is_file()
