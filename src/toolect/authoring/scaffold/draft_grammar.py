"""The grammar of a draft."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

from toolect.authoring.scaffold.dialect_draft import Draft
from toolect.authoring.scaffold.pieces import Hole, Token
from toolect.authoring.scaffold.seen import Arguments
from toolect.message import dumps

FORMS = ("quoted", "plain")
"""The names of the forms of an argument that has two."""


def grammar(draft: Draft, title: str) -> str:
    """The grammar of a draft."""
    holes = holes_of(draft)
    slots = ["TEXT", *(hole.value for hole in (Hole.JSON, Hole.ESCAPED) if hole in holes)]
    lines = [f"// {title}"]
    language = language_of(draft)
    lines += [f"%import .values.{language} (value)"] if language else []
    parts = list(_parts(draft))
    if draft.following:
        first = ["think?"] if draft.thought is not None and not draft.divided_thought else []
        item = "item?" if first else "item"
        lines.append(f"start: {' '.join([*first, item])} ({dumps(draft.following)} item)*")
        lines.append(f"item: {' | '.join(part for part in parts if not first or part != 'think')}")
    else:
        lines.append(f"start: ({' | '.join(parts)})*" if len(parts) > 1 else "start: content*")
    if (wrap := draft.wrap) is not None:
        lines.append(" ".join(["text:", *_markers(wrap.opener), "TEXT", *_markers(wrap.closer)]))
        lines[-1] += f" {dumps(wrap.after)}?" if wrap.after else ""
    lines.append("content: TEXT")
    if draft.thought is not None:
        lines.append(" ".join(["think:", *_markers(draft.thought.opener), "TEXT", *_markers(draft.thought.closer)]))
    if draft.wrapped:
        inner = f"call ({' '.join(_spelled(draft.divider))} call)*" if draft.divider else "call+"
        lines.append("calls: " + " ".join([*_spelled(draft.opener), inner, *_spelled(draft.closer)]))
    lines += _call(draft) if draft.call else []
    if draft.arguments is not None:
        several = draft.arguments.forms[1:]
        forms = [" ".join(_spelled(form)) for form in draft.arguments.forms]
        named = [f"{form} -> {name}" for form, name in zip(forms, FORMS, strict=False)] if several else forms
        lines.append("argument: " + "\n    | ".join(named))
    lines += _terminals(draft)
    lines.append(f"%declare {' '.join(slots)}")
    return "\n".join(lines) + "\n"


def literals(text: str) -> list[str]:
    """The markers in the grammar of a draft, each as it is written in an answer."""
    rules = re.findall(r"^[a-z_]+: .*|^    \| .*", text, re.MULTILINE)
    return [json.loads(marker) for line in rules for marker in re.findall(r'"(?:[^"\\]|\\.)*"', line)]


def _markers(text: str) -> list[str]:
    """A text as a marker, if there is any."""
    return [dumps(text)] if text else []


def language_of(draft: Draft) -> str:
    """The value language that the grammar imports, if any."""
    return "python" if Hole.CODE in draft.call else draft.arguments.language if draft.arguments else ""


def _parts(draft: Draft) -> Iterator[str]:
    if draft.wrap is not None:
        yield "text"
    yield "content"
    if draft.thought is not None:
        yield "think"
    if draft.call:
        yield "calls" if draft.wrapped or Hole.CODE in draft.call and draft.listed else "call"


def _call(draft: Draft) -> Iterator[str]:
    if Hole.CODE not in draft.call:
        yield "call: " + " ".join(_spelled(draft.call, draft.arguments))
        return
    at = draft.call.index(Hole.CODE)
    before, after = draft.call[:at], draft.call[at + 1 :]
    one = 'NAME "(" (argument (", " argument)*)? ")"'
    if draft.listed:
        yield "calls: " + " ".join([*_spelled((*before, "[")), 'call (", " call)*', *_spelled(("]", *after))])
        yield f"call: {one}"
    else:
        yield "call: " + " ".join([*_spelled(before), one, *_spelled(after)])
    yield 'argument: KEY "=" value'


def _spelled(tokens: Sequence[Token], arguments: Arguments | None = None) -> Iterator[str]:
    """Tokens as the grammar has them: texts between holes are one marker."""
    given = _arguments(arguments) if arguments is not None else ""
    text = ""
    for token in tokens:
        if isinstance(token, Hole):
            yield from ([dumps(text)] if text else [])
            yield given if given and token is Hole.ARGUMENTS else token.value
            text = ""
        else:
            text += token
    yield from ([dumps(text)] if text else [])


def _arguments(arguments: Arguments) -> str:
    """The arguments of a call, where more than they themselves comes with them; "" otherwise."""
    several = f"argument ({dumps(arguments.divider)} argument)*" if arguments.divider else "argument+"
    opener, closer = arguments.around
    parts = [*_markers(opener), several, *_markers(closer)]
    return f"({' '.join(parts)})?" if arguments.divider or len(parts) > 1 else ""


def _terminals(draft: Draft) -> Iterator[str]:
    tokens = holes_of(draft)
    if Hole.CODE in tokens:
        yield r"NAME: /[A-Za-z_][\w.]*/"
        yield r"KEY: /[A-Za-z_]\w*/"
        return
    for hole in (Hole.NAME, Hole.REF, Hole.ID, Hole.INDEX, Hole.TYPE, Hole.KEY):
        if hole in tokens:
            yield f"{hole}: /{_regex(hole, draft)}/"


def holes_of(draft: Draft) -> list[Token]:
    """What a call is made of, and its arguments."""
    return (
        [*draft.call, *(token for form in draft.arguments.forms for token in form)]
        if draft.arguments
        else [*draft.call]
    )


def _regex(hole: Hole, draft: Draft) -> str:
    """A name ends where whitespace or a sign comes that may follow it."""
    signs = {text[0] for text in _following(hole, draft) if text and not (text[0].isalnum() or text[0] in "_-")}
    shown = {_escaped(sign) for sign in signs if not sign.isspace()} | {"<", ">", '"'} | {*"'" * (not draft.quoted)}
    shown |= {_escaped(sign) for sign in _leading(draft)} if hole is Hole.KEY else set()
    name = rf"[^\s{''.join(sorted(shown))}]+"
    instead = _instead(draft) if hole is Hole.KEY else _other_headers(draft, name) if hole is Hole.NAME else ()
    taken = [text for text in dict.fromkeys(instead) if re.match(name, text)]
    without = "|".join(_escaped(text) + r"\b" * text.isidentifier() for text in taken)
    return f"(?!{without}){name}" if taken else name


def _other_headers(draft: Draft, name: str) -> Iterator[str]:
    """The words of other parts of an answer that stand where the name of a call does."""
    lead = "".join(_until(draft.call))
    for part in (draft.wrap, draft.thought):
        if part is not None and part.opener.startswith(lead) and (match := re.match(name, part.opener[len(lead) :])):
            yield match[0]


def _escaped(text: str) -> str:
    return re.escape(text).replace("/", r"\/")


def _instead(draft: Draft) -> Iterator[str]:
    """The markers that may stand where a key does, which is the first thing of an argument."""
    if draft.arguments is None or all("".join(_until(form)).strip() for form in draft.arguments.forms):
        return
    at = draft.call.index(Hole.ARGUMENTS) + 1 if Hole.ARGUMENTS in draft.call else len(draft.call)
    rest, again = draft.call[at:], (*draft.divider, *draft.call)
    for after in (rest, (*rest, *again), (*rest, *draft.closer)):
        text = "".join((draft.arguments.around[1], *_until(after)))
        yield from text.split()[:1]


def _leading(draft: Draft) -> Iterator[str]:
    """The signs that stand where the first one of a key does: in what begins as an argument, and closes a call."""
    at = draft.call.index(Hole.ARGUMENTS) + 1 if Hole.ARGUMENTS in draft.call else len(draft.call)
    behind = "".join((draft.arguments.around[1] if draft.arguments else "", *_until(draft.call[at:])))
    for form in draft.arguments.forms if draft.arguments is not None else ():
        lead = "".join(_until(form)).strip()
        sign = behind.strip()[len(lead) : len(lead) + 1]
        if lead and behind.strip().startswith(lead) and not (sign.isalnum() or sign in "_-"):
            yield sign


def _until(tokens: Sequence[Token]) -> Iterator[str]:
    """The texts before the first hole."""
    return takewhile(lambda token: not isinstance(token, Hole), tokens)


def _following(hole: Token, draft: Draft) -> Iterator[str]:
    """The texts that may come behind a hole, or that a hole at the beginning of a part may not go over."""
    if draft.following and draft.call[:1] == (hole,):
        yield draft.following
    forms = draft.arguments.forms if draft.arguments else ()
    after = [*draft.divider, *draft.closer, *filter(None, (draft.following,))]
    for run in ((*draft.call, *after), (*draft.call, *draft.closer), *forms):
        for at, token in enumerate(run):
            if token is not hole:
                continue
            for other in run[at + 1 :]:
                if other is Hole.ARGUMENTS:
                    yield from filter(None, draft.arguments.around[:1] if draft.arguments is not None else ())
                    yield from (str(form[0]) for form in forms if not isinstance(form[0], Hole))
                elif not isinstance(other, Hole):
                    yield other
                    break
