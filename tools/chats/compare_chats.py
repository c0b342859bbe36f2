"""Holds chats against the templates of their models: is a random conversation the same text, or refused by both?

    python -m tools.chats.compare_chats [--template PATTERN] [--count N] [--seed N] [--differences N] [--write]

The templates are those of `original_templates`, rendered as transformers does: the conversation as messages, tools as
plain JSON, reasoning under each of its names, no option that was not asked for. A chat renders the same conversations,
with what could break out of its place left as it is, since templates do. A template has a chat where an entry of
chats.yaml names it under `templates`; all others are listed as missing. reasons.yaml says why a template has none, or
why the two differ. `--write` writes .reports/chats.md.
Exit code 0: all that have a chat agree with it on at least 99 % of the conversations, or there is a reason. 1: a reason
is missing, or stale.
"""

from __future__ import annotations

import argparse
import datetime
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from itertools import takewhile
from typing import Any, TypeAlias

from toolect._authoring.generate.random_conversations import ChatCase, cases
from toolect._chats import chat_registry
from toolect._chats.verbs import Chat
from toolect._message import MessageError
from toolect._rendered import RenderError
from toolect.chat_template import TemplateError
from tools.chats.chats_report import write
from tools.chats.compared import Compared, Difference
from tools.chats.original_templates import CACHE, Template, templates
from tools.chats.reasons import reasons, unreasoned, why
from tools.chats.template_texts import rendered

DRAWN = 6
"""Conversations that are drawn for each that is wanted, where a template is only for those with tools."""
AROUND = 40
"""Characters shown on either side of a difference."""
Render: TypeAlias = Callable[[ChatCase], str]
"""Renders a case, or raises `RefusedError`."""


class RefusedError(Exception):
    """A chat does not carry a conversation."""


def compare(template: Template, name: str, render: Render | None, seed: int, count: int) -> Compared:
    """The chat `name`, which renders by `render`, beside the template on `count` conversations."""
    if render is None:
        return Compared(template, "")
    given = _given(template, seed, count)
    try:
        texts = rendered(template, given)
    except TemplateError as error:
        return Compared(template, name, wrong=str(error))
    same = refused = 0
    differences: list[Difference] = []
    breaks = template.original.breaks
    left = 0
    for case, text in zip(given, texts, strict=True):
        if same + refused + len(differences) == count:
            break
        if breaks and isinstance(text, TemplateError) and breaks in str(text):
            left += 1
            continue
        try:
            ours: str | RefusedError = render(case)
        except RefusedError as error:
            ours = error
        if isinstance(text, TemplateError) and isinstance(ours, RefusedError):
            refused += 1
        elif text == ours:
            same += 1
        else:
            differences.append(Difference(case, _told(text), _told(ours)))
    return Compared(template, name, same, refused, tuple(differences), left=left)


def _told(text: str | Exception) -> str:
    return f"(refused: {text})" if isinstance(text, Exception) else str(text)


def shown(difference: Difference) -> Iterator[str]:
    """Where the two part, in a few lines."""
    theirs, ours = difference.template, difference.chat
    at = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(theirs, ours, strict=False)))
    yield f"  number {difference.case.number}, character {at}:"
    for what, text in (("template", theirs), ("chat", ours)):
        yield f"    {what:9}{text[max(at - AROUND, 0) : at]!r} ▶ {text[at : at + AROUND]!r}"


def chats() -> dict[str, tuple[str, Render]]:
    """For each template that a chat names, the chat's name and how it renders."""
    today = datetime.date.today()
    found: dict[str, tuple[str, Render]] = {}
    for name in chat_registry.chats():
        chat = chat_registry.chat(name)

        def render(case: ChatCase, chat: Chat = chat) -> str:
            options: dict[str, Any] = {"thinking": case.thinking, "date": today, "unsafe": "keep"}
            try:
                return str(chat.render(case.conversation, case.generate, **options))
            except (RenderError, MessageError) as error:
                raise RefusedError(str(error)) from None

        found |= {path.removesuffix(".jinja"): (name, render) for path in chat.spec.templates}
    return found


def table(compared: Iterable[Compared]) -> Iterator[str]:
    """A row for each template, as Markdown."""
    yield "| template | chat | same | refused by both | different | agree |"
    yield "| --- | --- | ---: | ---: | ---: | --- |"
    for one in compared:
        name = ", ".join([one.template.name, *one.template.copies])
        if one.wrong or not one.chat:
            yield f"| {name} | {one.chat or 'missing'} | | | | {one.wrong} |"
            continue
        verdict = "yes" if one.agrees else "no"
        yield f"| {name} | {one.chat} | {one.same} | {one.refused} | {len(one.differences)} | {verdict} |"


def _given(template: Template, seed: int, count: int) -> list[ChatCase]:
    """The conversations that a template is for."""
    wanted = template.original.tools
    most = DRAWN * count if wanted else count
    drawn = (one for one in cases(seed, most, template.original.ids) if one.conversation.tools or not wanted)
    return [*drawn]


def _first(one: Compared) -> Iterator[str]:
    yield f"{one.template.name} as {one.chat}"
    yield from shown(one.differences[0])


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the table."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.chats.compare_chats", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--template", default="*", help="a pattern of names, such as '*/Qwen*'")
    parser.add_argument("--count", type=int, default=200, help="how many conversations (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--differences", type=int, default=0, help="how many differences to show of each template")
    parser.add_argument("--write", action="store_true", help="write .reports/chats.md")
    options = parser.parse_args(arguments)
    chosen = [one for one in templates() if fnmatchcase(one.name, options.template)]
    if not chosen:
        print(f"expected templates in {CACHE}, found none: python -m tools.chats.original_templates", file=sys.stderr)
        return 2
    have = chats()
    compared = []
    for template in chosen:
        name, render = next((have[n] for n in (template.name, *template.copies) if n in have), ("", None))
        compared.append(compare(template, name, render, options.seed, options.count))
        for difference in compared[-1].differences[: options.differences]:
            print(f"{template.name} as {name}", *shown(difference), sep="\n", flush=True)
    rows = [*table(compared)]
    print(*rows, sep="\n")
    known = reasons()
    wrong = [*unreasoned(compared, known, options.count)]
    for line in wrong:
        print(line, file=sys.stderr)
    if options.write:
        held = [one for one in compared if one.chat]
        first = [line for one in held if one.differences for line in _first(one)]
        write(rows, [*why(compared, known)], first, options.count, sum(one.agrees for one in held), len(held))
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
