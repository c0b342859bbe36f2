"""Answers of which it is known what they say, as a chat template writes them: the rest is markup."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from toolect.authoring.scaffold.dialect_draft import Prepared, Stripped
from toolect.authoring.scaffold.pieces import Mark, Prose
from toolect.authoring.scaffold.seen import common_end, common_start, tokens
from toolect.authoring.scaffold.thoughts import SPEAKS_OF_THINKING, Thought, Wrap
from toolect.message import Message

_TAG = re.compile(r"<[^<>\n]{1,60}>|\[/?[A-Z_]{3,40}\]")
MAX_HEADER = 8
"""Tokens at the end of a prompt that may open the reasoning."""
MAX_END = 100
"""Characters of a text that ends an answer."""


class Told(NamedTuple):
    """An answer with what it says.

    `prompt` is what stands before it; `asked` is the prompt that asks for an answer, which may end otherwise.
    """

    title: str
    text: str
    message: Message
    prompt: str = ""
    asked: str = ""


class _Parts(NamedTuple):
    """The places of what was put into an answer: reasoning, content, and the name of the first call."""

    told: Told
    thought: tuple[int, int] | None
    content: tuple[int, int] | None
    called: int | None

    def before(self, place: int) -> str:
        """The text between a place and what was put in before it."""
        ends = [part[1] for part in (self.thought, self.content) if part is not None and part[1] <= place]
        return self.told.text[max(ends, default=0) : place]


def prepared(answers: Sequence[Told]) -> Prepared:
    """The answers without their end tokens, with how reasoning and content are written."""
    parts = [_parts(one) for one in answers]
    calls = [(one, tokens(one.before(one.called))) for one in parts if one.called is not None]
    opener = "".join(common_end(before for _, before in calls)) if len(calls) > 1 else ""
    thought = _thought(parts, opener)
    wrap, left = _wrap(parts, thought, opener)
    ends = _ends(parts, left)
    gaps = [one.before(one.called).removesuffix(opener) for one in parts if one.called is not None and one.content]
    gaps += [opener[: len(opener) - len(opener.lstrip())]] if gaps else []
    gap = next((text for text in gaps if text and not text.strip()), "") if wrap is None else ""
    following = _following(parts, opener, ends) if wrap is None else ""
    stripped = [_stripped(one, thought, wrap, ends, following) for one in parts]
    ends = tuple(end for end in ends if not following.strip().startswith(end))  # it divides, and is read as that
    divided = "" if following else _divider(parts, opener, thought, wrap)
    divided_thought = thought is not None and bool(divided) and thought.closer == divided
    return Prepared(
        stripped,
        thought._replace(closer="") if thought is not None and divided_thought else thought,
        ends,
        wrap._replace(after="") if wrap is not None and divided else wrap,
        gap,
        following or divided,
        divided_thought,
    )


def _parts(told: Told) -> _Parts:
    text, message = told.text, told.message
    thought = _place(text, message.reasoning, 0)
    content = _place(text, message.content, thought[1] if thought else 0)
    after = max((part[1] for part in (thought, content) if part), default=0)
    names = [found for call in message.calls[:1] for at in (after, 0) if (found := text.find(call.name, at)) >= 0]
    return _Parts(told, thought, content, names[0] if names else None)


def _place(text: str, part: str, at: int) -> tuple[int, int] | None:
    found = text.find(part, at) if part else -1
    return (found, found + len(part)) if found >= 0 else None


def _divider(parts: Sequence[_Parts], opener: str, thought: Thought | None, wrap: Wrap | None) -> str:
    """What divides all parts of an answer, if that is what stands behind two kinds of them."""
    behind = [thought.closer] if thought is not None and thought.closer.strip() else []
    behind += [wrap.after] if wrap is not None and wrap.after and not wrap.closer else []
    if not behind or len({*behind}) > 1:
        return ""
    text = behind[0]
    calls = [second for one in parts if (second := _before_second(one)) is not None]
    divides = [before.removesuffix(opener).endswith(text) for before in calls]
    return text if all(divides) and len(behind) + bool(divides) > 1 else ""


def _before_second(one: _Parts) -> str | None:
    """The text up to the name of the second call."""
    if one.called is None or len(one.told.message.calls) < 2:
        return None
    first, second, *_ = one.told.message.calls
    at = one.told.text.find(second.name, one.called + len(first.name))
    return one.told.text[:at] if at >= 0 else None


def _thought(parts: Sequence[_Parts], opener: str) -> Thought | None:
    """How reasoning is written: its opener may be the end of the prompt."""
    with_it = [one for one in parts if one.thought is not None]
    if not with_it:
        return _untold_thought(parts)
    closers = []
    for one in with_it:
        assert one.thought is not None
        if one.content is not None and one.content[0] >= one.thought[1]:
            closers.append(tokens(one.told.text[one.thought[1] : one.content[0]]))
        elif one.called is not None:
            closers.append(tokens(one.told.text[one.thought[1] : one.called].removesuffix(opener)))
    closer = "".join(common_start(closers))
    first = with_it[0]
    assert first.thought is not None
    begins = first.told.text[: first.thought[0]]
    if begins.strip() or not closer.strip():
        return Thought(begins, closer) if begins and closer else None
    asked = first.told.asked.removeprefix(first.told.prompt) if first.told.asked.startswith(first.told.prompt) else ""
    begins = asked.lstrip("\n") if asked.strip() and not _closed(asked, closer) else _header(first.told.prompt)
    return Thought(begins, _closing(begins, closer) or closer, prompted=True) if begins else None


def _closing(opener: str, text: str) -> str:
    """The beginning of a text that ends as an opener does, from the word in it on: `<|close|>think<|sep|>`."""
    parts = tokens(opener)
    at = max((i for i, part in enumerate(parts[:-1]) if part.isalnum()), default=-1)
    ending = "".join(parts[at:])
    found = text.find(ending) if at > 0 else -1
    return text[: found + len(ending)] if found > 0 else ""


def _untold_thought(parts: Sequence[_Parts]) -> Thought | None:
    """How reasoning is written where a template leaves it out: the prompt that asks opens it, and closes it."""
    asked = next(iter({one.told.asked.removeprefix(one.told.prompt) for one in parts}), "")
    tags = _TAG.findall(asked)
    if len(tags) != 2 or "".join(asked.split()) != "".join(tags) or not SPEAKS_OF_THINKING.search(tags[0]):
        return None
    opener, closer = tags
    return Thought(opener, closer, prompted=True) if all(one.told.text.startswith(closer) for one in parts) else None


def _closed(text: str, closer: str) -> bool:
    return closer.strip() in text


def _header(prompt: str) -> str:
    """What at the end of a prompt speaks of thinking."""
    end = tokens(prompt[-200:])
    for count in range(1, min(MAX_HEADER, len(end)) + 1):
        found = end[-count:]
        if found[0][0] in "<[" and any(map(SPEAKS_OF_THINKING.search, found)):
            return "".join(found)
    return ""


def _wrap(parts: Sequence[_Parts], thought: Thought | None, opener: str) -> tuple[Wrap | None, str]:
    """How content is written, and what is behind it when nothing follows."""
    alone = next((one for one in parts if one.content is not None and one.called is None), None)
    if alone is None or alone.content is None:
        return None, ""
    begins = alone.told.text[: alone.content[0]]
    tail = alone.told.text[alone.content[1] :]
    if thought is not None and thought.closer.strip() in begins:
        begins = begins[begins.rindex(thought.closer.strip()) + len(thought.closer.strip()) :]
    if not begins.strip():
        return None, tail
    others = [tokens(one.told.text) for one in parts if one.content is None and one.called is not None]
    end = "".join(common_end([tokens(tail), *others[:1]])) if others else ""
    if closing := _closing(begins, tail):
        return Wrap(begins.lstrip("\n"), closing), tail.removeprefix(closing)
    closer = tokens(tail.removesuffix(end))
    between = [
        tokens(one.told.text[one.content[1] : one.called].removesuffix(opener))
        for one in parts
        if one.content is not None and one.called is not None and one.called > one.content[1]
    ]
    if between and between[0]:
        closer = common_start([closer, *between])
    after = "".join(between[0]).removeprefix("".join(closer)) if between else ""
    return Wrap(begins.lstrip("\n"), "".join(closer), after.strip()), end


def _ends(parts: Sequence[_Parts], left: str) -> tuple[str, ...]:
    """The tokens that answers end with: what is left behind content, or behind content that comes after calls."""
    found = dict.fromkeys(_TAG.findall(left)[:2])
    bodies = [one.told.text[: one.content[1]] for one in parts if one.content is not None]
    if not found or any(next(iter(found)) in body for body in bodies):
        line = left.strip() if found else next(iter(left.strip().splitlines()), "")
        return (line,) if 0 < len(line) <= MAX_END else ()
    for one in parts:
        if one.content is not None and one.called is not None and one.content[0] > one.called:
            found |= dict.fromkeys(_TAG.findall(one.told.text[one.content[1] :])[:1])
    return tuple(found)


def _following(parts: Sequence[_Parts], opener: str, ends: Sequence[str]) -> str:
    """What divides content from calls, if the end of an answer, and the next one's beginning, are in it."""
    found = set()
    for one in parts:
        if one.content is None or one.called is None:
            continue
        text = one.told.text
        if one.called > one.content[1]:
            found.add(text[one.content[1] : one.called].removesuffix(opener))
        else:
            last = max(text.rfind(call.name, 0, one.content[0]) for call in one.told.message.calls)
            at = min((at for end in ends if (at := text.find(end, last, one.content[0])) >= 0), default=one.content[0])
            found.add(text[at : one.content[0]])
    text = found.pop() if len(found) == 1 else ""
    return text if any(end in text for end in ends) else ""


def _stripped(one: _Parts, thought: Thought | None, wrap: Wrap | None, ends: Sequence[str], following: str) -> Stripped:
    """An answer up to its end token, with the places of what is no call."""
    text = one.told.text
    last = max((part[1] for part in (one.thought, one.content) if part), default=0)
    last = max([last, *(text.rfind(call.name) for call in one.told.message.calls)])
    cuts = [at for end in ends if (at := text.find(end, last)) >= 0]
    text = text[: min(cuts, default=len(text))]
    marks: list[Mark] = []
    first = min((place for place in (one.content and one.content[0], one.called) if place is not None), default=0)
    if thought is not None and one.thought is not None:
        start = max(0, one.thought[0] - len(thought.opener)) if text.startswith(thought.opener) else one.thought[0]
        marks.append(Mark(start, one.thought[1] + len(thought.closer), Prose("", reasoning=True)))
    elif thought is not None and (at := text.find(thought.closer.strip(), 0, first)) >= 0:  # none at all, said so
        marks.append(Mark(0, at + len(thought.closer.strip()), Prose("", reasoning=True)))
    if one.content is not None:
        start, end = one.content
        if wrap is not None:
            start = max(0, start - len(wrap.opener))
            end = _past(text, end, (wrap.closer, wrap.after))
        start -= len(following) if text.endswith(following, 0, start) else 0
        end = _past(text, end, (following,))
        marks.append(Mark(start, end, Prose("")))
    elif wrap is not None:  # said so, too
        at = text.find(wrap.opener + wrap.closer)
        if 0 <= at <= (first or len(text)):
            marks.append(Mark(at, at + len(wrap.opener + wrap.closer), Prose("")))
    return Stripped(text, tuple(sorted(marks)), one.told.message.content)


def _past(text: str, at: int, parts: Iterable[str]) -> int:
    """The place behind texts that follow one another from `at` on."""
    for part in parts:
        at += len(part) if text.startswith(part, at) else 0
    return at
