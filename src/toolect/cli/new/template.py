"""What `toolect new` makes of a chat template: answers to begin a dialect with, and a chat."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from toolect._shown import alike, cut, one_line
from toolect.cli._shared.io import Misuse, note, read, shown

if TYPE_CHECKING:
    from toolect.authoring.chat_scaffold.proposing import Difference, Proposal, Tried
    from toolect.authoring.induction import Row
    from toolect.compiled import Dialect

MAX_TEMPLATE = 1 << 22
"""Bytes of a chat template, or of the configuration that holds it."""
AROUND = 60
"""Characters of two texts that are shown from where they differ."""


UNREAD = 300
"""Characters that tell what is read otherwise."""


class Source(NamedTuple):
    """A chat template, what its tokenizer tells it, and the file that it is from."""

    text: str
    variables: dict[str, str]
    file: str


def source_of(file: str) -> Source:
    """The template of a jinja file, or of a tokenizer_config.json."""
    from toolect.chat_template import BadTemplate, special_tokens, template_of

    try:
        text = template_of(read(file, MAX_TEMPLATE), file.endswith(".json"))
    except BadTemplate as error:
        raise Misuse(f"{error} - in {shown(file)}") from None
    return Source(text, special_tokens(Path(file)), file)


def rows_of(source: Source, needed: bool) -> list[Row]:
    """What a template writes for known words; none without calls, which is an error where rows are needed."""
    from toolect.authoring.induction.probing import template_rows
    from toolect.chat_template import BadTemplate

    try:
        return template_rows(source.text)[0]
    except BadTemplate as error:
        if needed or not re.search(r"\{[{%]", source.text):
            raise Misuse(f"{error} - in {shown(source.file)}") from None
        note(f"no dialect is begun: {error}")
        return []


def begin_chat(
    name: str, source: Source, spec: Path, dialect: Dialect | None, write: Callable[[Mapping[Path, str]], None]
) -> int | None:
    """Write the files of a chat, and tell how it does; the exit code, or None where a known chat does it all."""
    from toolect._chats.chat_registry import chats
    from toolect.authoring.chat_scaffold.chat_draft import Unfound
    from toolect.authoring.chat_scaffold.proposing import proposed, spellings_of
    from toolect.authoring.chat_scaffold.template_asking import Template
    from toolect.chat_template import BadTemplate
    from toolect.registry import dialects

    for token in ("bos_token", "eos_token"):
        if token not in source.variables and re.search(rf"\b{token}\b", source.text):
            note(
                f"the template writes `{token}`, which {shown(source.file)} does not tell: a tokenizer_config.json does"
            )
    try:
        template = Template(source.text, dict(source.variables), spellings_of(chats()))
    except BadTemplate as error:
        raise Misuse(f"{error} - in {shown(source.file)}") from None
    try:
        found = proposed(template, name, spec, dialect)
    except (Unfound, BadTemplate) as error:
        note(f"no chat is proposed: {error}")
        return 1
    finally:
        template.close()
    if found.known:
        note(f"the chat `{found.known}` writes this already: {_how(found.tried)}; `toolect talk --to {found.known}`")
        return None
    write(found.files)
    click.echo(f"the chat: {_how(found.tried)}")
    if found.tried.sound:
        beside = "" if dialect is None or dialect.name in dialects() else f"TOOLECT_SPECS={spec.with_name(name)}.yaml "
        click.echo(f"next: {beside}toolect lint {spec}")
        return 0
    for line in _shortcomings(found):
        note(line)
    return 1


def _how(tried: Tried) -> str:
    back = f", and reads {tried.read} of {tried.written} back" if tried.written else ""
    return f"it writes {tried.same} of {tried.asked} conversations as the template does, of those without tools\
 {tried.untold_same} of {tried.untold}{back}"


def _shortcomings(found: Proposal) -> Iterator[str]:
    """What was not found out, and where the chat first writes something else."""
    if not found.tried.writes:
        yield "the chat is a beginning: it does not write what the template writes"
    yield from found.notes
    if found.tried.difference is not None:
        yield from _shown(found.tried.difference)
    if found.tried.unread:
        yield f"not all that it writes is read back: {cut(found.tried.unread, UNREAD)}"


def _shown(difference: Difference) -> Iterator[str]:
    texts = difference.template, difference.chat
    at = alike(*texts) if None not in texts else 0  # type: ignore[arg-type]
    for what, text in zip(("template", "chat"), texts, strict=True):
        there = "refuses the conversation" if text is None else f"`{cut(one_line(text[at:]), AROUND)}`"
        yield f"  {what:9}{there}"
