"""Holds chats against the templates of their models: is a random conversation the same text, or refused by both?

    python -m tools.chats.compare_chats [--template PATTERN] [--count N] [--seed N] [--differences N] [--induced]
                                        [--write]

The templates are those of `original_templates`, rendered as transformers does: the conversation as messages, tools as
plain JSON, reasoning under each of its names, no option that was not asked for. A chat renders the same conversations,
with what could break out of its place left as it is, since templates do. A template has a chat where an entry of
chats.yaml names it under `templates`; all others are listed as missing. reasons.yaml says why a template has none, or
why the two differ. With --induced each template is taken as one that nobody knows, and the chat is what is found out
from it. The last column is the time that a chat takes, over that of its template. --write writes .reports/chats.md.
Exit code 0: all that have a chat agree with it on at least 99 % of the conversations, or there is a reason. 1: a reason
is missing, or stale.
"""

from __future__ import annotations

import argparse
import datetime
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import partial
from itertools import takewhile
from pathlib import Path
from statistics import median
from textwrap import wrap
from typing import NamedTuple, TypeAlias

import msgspec

from toolect._authoring.generate.small_conversations import ChatCase
from toolect._authoring.lint.chat_checks import talk, unlike
from toolect._chats import chat_registry
from toolect._chats.grammar_chat import Chat
from toolect._message import MessageError
from toolect._rendered import RenderError
from toolect.chat_template import TemplateError
from toolect.chat_template.verdict import best_dialect
from tools.chats.chat_timing import time_beside
from tools.chats.induction.proposing import induced
from tools.chats.induction.regions import InductionError
from tools.chats.induction.template_asking import Template as Asked
from tools.chats.original_templates import CACHE, Original, Template, templates
from tools.chats.template_texts import rendered
from tools.markdown_text import table
from tools.random_conversations import cases
from tools.reports import keep

SHARE = 0.99
"""The part of the conversations that a chat must agree on."""
FAST = 0.5
"""The part of a template's time that a chat should take."""
DRAWN = 6
"""Conversations that are drawn for each that is wanted, where a template is only for those with tools."""
AROUND = 40
"""Characters shown on either side of a difference."""
MIN_STALE = 200
"""Conversations that must be compared before a reason is called stale. Below it: the others may need it."""
INDUCED, READ = 200, 40
"""Conversations that a chat which was found out is tried on, and those that it has to read back."""
Render: TypeAlias = Callable[[ChatCase], str]
"""Renders a case; raises `RenderError` or `MessageError` where a chat does not carry it."""

_ABOUT = """# Chats beside chat templates

`make chats` renders {count} random conversations with each chat template, as transformers does, and with the chat of
its models. They are with and without a system turn, tools, reasoning and parallel calls, of several rounds, with empty
texts, with any script, blanks around texts and markup in them, with thinking on, off and as usual; some have turns that
many templates refuse. *Same* is byte for byte, *refused by both* counts as agreement: {agree} of {held} templates that
have a chat agree with it on 99 % or more. *Time* is that of rendering 20 turns, over that of the template in jinja2.
Where a template has several names, their texts are the same. A template that the model has for conversations with tools
alone is held against the chat on those. [Why](#why) tells of templates without a chat, and of those that differ.

The templates are those that come with llama-cpp-python and with trl. `make chats ARGS="--differences 3"` shows where a
text and its template part.
"""


class Difference(NamedTuple):
    """One case that is not the same: what the template makes of it, and the chat."""

    case: ChatCase
    template: str
    chat: str

    def shown(self) -> Iterator[str]:
        """The first place where the two differ, in a few lines."""
        pairs = zip(self.template, self.chat, strict=False)
        at = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        yield f"  number {self.case.number}, character {at}:"
        for what, text in (("template", self.template), ("chat", self.chat)):
            yield f"    {what:9}{text[max(at - AROUND, 0) : at]!r} ▶ {text[at : at + AROUND]!r}"


class Compared(NamedTuple):
    """Result of a chat on the conversations of a template; without a chat all are missing."""

    template: Template
    chat: str
    same: int = 0
    refused: int = 0
    """By both."""
    differences: tuple[Difference, ...] = ()
    wrong: str = ""
    """Why there is nothing to compare."""
    left: int = 0
    """Conversations that were left out, since the template breaks on them."""
    unread: int = 0
    """Conversations of its own that it does not read back, where that was tried."""
    time: float | None = None
    """Time of the chat as a multiple of the template's."""

    @property
    def asks(self) -> bool:
        """True where a reason is asked for: there is no chat, or it differs somewhere."""
        return not self.chat or bool(self.wrong or self.differences)

    @property
    def agrees(self) -> bool:
        """True where they are the same often enough."""
        alike = self.same + self.refused
        return alike > 0 and alike >= SHARE * (alike + len(self.differences))

    def row(self) -> tuple[str, ...]:
        """A row of the table."""
        name = ", ".join([self.template.name, *self.template.copies])
        if self.wrong or not self.chat:
            return name, self.chat or "missing", "", "", "", self.wrong[:120], ""
        numbers = (str(count) for count in (self.same, self.refused, len(self.differences)))
        time = "" if self.time is None else f"{self.time:.2f}"
        return name, self.chat, *numbers, "yes" if self.agrees else "no", time


def compare(template: Template, name: str, render: Render, seed: int, count: int) -> Compared:
    """The chat `name`, which renders by `render`, beside the template on `count` conversations."""
    original = template.original
    drawn = cases(seed, DRAWN * count if original.tools else count, original.ids)
    given = [one for one in drawn if one.conversation.tools or not original.tools]
    try:
        texts = rendered(template, given)
    except TemplateError as error:
        return Compared(template, name, wrong=str(error))
    same = refused = left = 0
    differences: list[Difference] = []
    for case, text in zip(given, texts, strict=True):
        if same + refused + len(differences) == count:
            break
        if original.breaks and isinstance(text, TemplateError) and original.breaks in str(text):
            left += 1
            continue
        try:
            ours: str | Exception = render(case)
        except (RenderError, MessageError) as error:
            ours = error
        if isinstance(text, TemplateError) and isinstance(ours, Exception):
            refused += 1
        elif text == ours:
            same += 1
        else:
            shown = (f"(refused: {one})" if isinstance(one, Exception) else one for one in (text, ours))
            differences.append(Difference(case, *shown))
    return Compared(template, name, same, refused, tuple(differences), left=left)


def written(chat: Chat, case: ChatCase) -> str:
    """Text that a chat writes, whatever the texts hold."""
    today = datetime.date.today()
    return str(chat.render(case.conversation, case.generate, thinking=case.thinking, date=today, unsafe="keep"))


def chat_of(template: Template) -> str:
    """The name of the chat that names a template; nothing where there is none."""
    names = {f"{name}.jinja" for name in (template.name, *template.copies)}
    chats = chat_registry.chats()
    return next((name for name in chats if names.intersection(chat_registry.chat(name).spec.templates)), "")


def shipped(template: Template, seed: int, count: int) -> Compared:
    """The shipped chat of a template, beside it."""
    name = chat_of(template)
    if not name:
        return Compared(template, "")
    chat = chat_registry.chat(name)
    compared = compare(template, name, partial(written, chat), seed, count)
    return compared._replace(time=time_beside(chat, template))


def judged(name: str, asked: Asked, chat: Chat) -> Compared:
    """A chat that was found out from a template, beside it on other conversations, and what it does not read back."""
    text, empty = asked.habits
    bos, eos = (str(asked.variables.get(key, "")) for key in ("bos_token", "eos_token"))
    original = Original(bos, eos, "text" if text else "object", empty, loose=True)
    compared = compare(Template(name, asked.text, (), original), name, partial(written, chat), 21, INDUCED)
    talks = [one for case in cases(22, READ, usual=True) if (one := talk(chat, case)).text is not None]
    return compared._replace(unread=sum(unlike(chat, one) is not None for one in talks))


def unknown(template: Template, seed: int, count: int) -> Compared:
    """The chat that is found out from a template, as if nobody knew it, beside it."""
    original = template.original
    try:
        asked = Asked(template.text, {"bos_token": original.bos_token, "eos_token": original.eos_token})
        try:
            chat, _ = induced(asked, "new", best_dialect(template.text))
        finally:
            asked.sandbox.close()
        found = judged(template.name, asked, chat)
    except (InductionError, TemplateError) as error:
        return Compared(template, "", wrong=str(error))
    claimed = "claimed" if found.agrees and not found.unread else "not claimed"
    return compare(template, claimed, partial(written, chat), seed, count)


# Reasons


def reasons() -> dict[str, str]:
    """Why templates have no chat, or differ from it, by their names."""
    return msgspec.yaml.decode((Path(__file__).parent / "reasons.yaml").read_bytes(), type=dict[str, str])


def why(compared: Iterable[Compared], known: Mapping[str, str]) -> Iterator[str]:
    """The reasons as a list in Markdown, with what is left out."""
    for one in compared:
        notes = [known[one.template.name]] if one.asks and one.template.name in known else []
        if one.left:
            breaks = one.template.original.breaks
            notes.append(f"Left out: {one.left} conversations on which the template breaks, by `{breaks}`.")
        if notes:
            yield from wrap(f"- **{one.template.name}** {' '.join(notes)}", 120, subsequent_indent="  ")


def unreasoned(compared: Sequence[Compared], known: Mapping[str, str], count: int) -> Iterator[str]:
    """Errors in the list of reasons, after `count` conversations: missing ones and stale ones."""
    for one in compared:
        name = one.template.name
        if one.asks and name not in known:
            since = "the chat differs" if one.chat else "it has no chat"
            yield f"{name}: expected a reason in reasons.yaml, since {since}"
        elif not one.asks and name in known and count >= MIN_STALE:
            yield f"{name}: the reason in reasons.yaml is stale, since its chat writes the same"
    gone = (name for name in known if not (CACHE / f"{name}.jinja").is_file())
    yield from (f"{name}: there is a reason in reasons.yaml, but no such template" for name in gone)


def page(rows: str, compared: Sequence[Compared], known: Mapping[str, str], count: int) -> str:
    """The report."""
    held = [one for one in compared if one.chat]
    first = [(f"{one.template.name} as {one.chat}", *one.differences[0].shown()) for one in held if one.differences]
    lines = [
        "The first difference of each chat that is not always the same.",
        "",
        "```",
        *(y for x in first for y in x),
    ]
    head = _ABOUT.format(count=count, agree=sum(one.agrees for one in held), held=len(held))
    return "\n".join([head, rows, "\n## Why\n", *why(compared, known), "\n## What differs\n", *lines, "```", ""])


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--template", default="*", help="a pattern of names, such as '*/Qwen*'")
    parser.add_argument("--count", type=int, default=200, help="how many conversations (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--differences", type=int, default=0, help="how many differences to show of each template")
    parser.add_argument("--induced", action="store_true", help="chats that are found out from the templates")
    parser.add_argument("--write", action="store_true", help="write .reports/chats.md")
    options = parser.parse_args(arguments)
    chosen = [one for one in templates() if fnmatchcase(one.name, options.template)]
    if not chosen:
        print(f"expected templates in {CACHE}, found none: python -m tools.chats.original_templates", file=sys.stderr)
        return 2
    compared = []
    for template in chosen:
        one = (unknown if options.induced else shipped)(template, options.seed, options.count)
        compared.append(one)
        print(" | ".join(one.row()), flush=True)
        for difference in one.differences[: options.differences]:
            print(*difference.shown(), sep="\n", flush=True)
    rows = table(
        [
            ("template", "chat", "same", "refused by both", "different", "agree", "time"),
            *(one.row() for one in compared),
        ]
    )
    print("", rows, f"{sum(one.agrees for one in compared)} of {len(compared)} agree", sep="\n")
    if times := [one.time for one in compared if one.time is not None]:
        fast = sum(time <= FAST for time in times)
        print(f"{len(times)} chats take {median(times):.2f} times the time of their templates, {fast} at most {FAST}")
    if options.induced:
        claimed = [one for one in compared if one.chat == "claimed"]
        print(f"{len(claimed)} are claimed, {sum(not one.agrees for one in claimed)} of them wrongly")
        return 0
    known = reasons()
    wrong = [*unreasoned(compared, known, options.count)]
    print(*wrong, sep="\n", file=sys.stderr)
    if options.write:
        keep("chats.md", page(rows, compared, known, options.count))
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
